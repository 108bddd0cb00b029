import { expect, test } from 'vitest'
import type { Kube } from '../../kube/client/client.ts'
import { keyOfUser, mayDo } from './access-review.ts'
import type { UserInfo } from '../reviews/admission-request.ts'

const { signal } = new AbortController()
const joe: UserInfo = { username: 'joe', uid: '7', groups: ['editors'], extra: { scopes: ['x'], teams: ['y'] } }
const deed = { verb: 'delete', resource: 'nodes', name: 'one' }

test.each([
  { status: { allowed: true }, expected: true },
  { status: { allowed: false }, expected: false },
  { status: {}, expected: false },
  { status: undefined, expected: false },
])('an answer of $status means $expected', async ({ status, expected }) => {
  const kube = { ask: async () => ({ status }) } as unknown as Pick<Kube, 'ask'>
  expect(await mayDo(kube, joe, deed, signal)).toBe(expected)
})

test('asks about the user as the API server knows it', async () => {
  const asked: unknown[] = []
  const ask = async (_resource: unknown, review: unknown) => {
    asked.push(review)
    return {}
  }
  await mayDo({ ask } as unknown as Pick<Kube, 'ask'>, joe, deed, signal)
  const { username: user, ...rest } = joe
  expect(asked).toEqual([{ spec: { user, ...rest, resourceAttributes: deed } }])
})

test.each<{ name: string; user: UserInfo; isSame: boolean }>([
  { name: 'the same again', user: { ...joe }, isSame: true },
  { name: 'extras in another order', user: { ...joe, extra: { teams: ['y'], scopes: ['x'] } }, isSame: true },
  { name: 'another user', user: { ...joe, username: 'ann' }, isSame: false },
  { name: 'other groups', user: { ...joe, groups: [] }, isSame: false },
  { name: 'another extra', user: { ...joe, extra: { scopes: ['z'], teams: ['y'] } }, isSame: false },
  { name: 'another UID', user: { ...joe, uid: '8' }, isSame: false },
])('$name: same $isSame', ({ user, isSame }) => {
  expect(keyOfUser(user) === keyOfUser(joe)).toBe(isSame)
})
