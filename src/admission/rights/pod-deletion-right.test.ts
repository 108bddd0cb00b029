import { expect, test } from 'vitest'
import type { Kube } from '../../kube/client/client.ts'
import { VirtualClock } from '../../runtime/virtual-clock.ts'
import type { UserInfo } from '../reviews/admission-request.ts'
import { podDeletionRight } from './pod-deletion-right.ts'

const { signal } = new AbortController()
const joe: UserInfo = { username: 'joe', uid: '7', groups: ['editors'], extra: { scopes: ['x'] } }
const pod = { namespace: 'shop', name: 'web' }

interface Asked {
  readonly spec: { readonly resourceAttributes: { readonly namespace: string; readonly name?: string } }
}

function rightsThat(allows: (attributes: { namespace: string; name?: string }) => boolean) {
  const clock = new VirtualClock()
  const asked: Asked[] = []
  const ask = async (_resource: unknown, review: Asked) => {
    asked.push(review)
    return { ...review, status: { allowed: allows(review.spec.resourceAttributes) } }
  }
  const kube = { ask } as unknown as Pick<Kube, 'ask'>
  return { clock, asked, may: podDeletionRight({ kube, clock }) }
}

test('asks about the user as the API server knows it, for all pods of the namespace first', async () => {
  const { asked, may } = rightsThat(() => true)
  expect(await may(joe, pod, signal)).toBe(true)
  expect(asked).toEqual([
    {
      spec: {
        user: 'joe',
        uid: '7',
        groups: ['editors'],
        extra: { scopes: ['x'] },
        resourceAttributes: { verb: 'delete', resource: 'pods', namespace: 'shop' },
      },
    },
  ])
})

test('asks for the one pod if not all may be deleted', async () => {
  const { asked, may } = rightsThat(({ name }) => name === 'web')
  expect(await may(joe, pod, signal)).toBe(true)
  expect(await may(joe, { ...pod, name: 'other' }, signal)).toBe(false)
  expect(asked.map(({ spec }) => spec.resourceAttributes.name)).toEqual([undefined, 'web', undefined, 'other'])
})

test('remembers a yes for all pods for ten seconds', async () => {
  const { asked, may, clock } = rightsThat(() => true)
  await may(joe, pod, signal)
  await clock.advance(9_999)
  await may(joe, { ...pod, name: 'other' }, signal)
  expect(asked).toHaveLength(1)
  await clock.advance(1)
  await may(joe, pod, signal)
  expect(asked).toHaveLength(2)
})

test.each<{ name: string; user: UserInfo; namespace?: string }>([
  { name: 'another user', user: { ...joe, username: 'ann' } },
  { name: 'other groups', user: { ...joe, groups: [] } },
  { name: 'another extra', user: { ...joe, extra: { scopes: ['y'] } } },
  { name: 'another UID', user: { ...joe, uid: '8' } },
  { name: 'another namespace', user: joe, namespace: 'other' },
])('does not take $name for the same', async ({ user, namespace = 'shop' }) => {
  const { asked, may } = rightsThat(() => true)
  await may(joe, pod, signal)
  await may(user, { ...pod, namespace }, signal)
  expect(asked).toHaveLength(2)
})

test('a right that was granted counts at once', async () => {
  let isGranted = false
  const { may } = rightsThat(() => isGranted)
  expect(await may(joe, pod, signal)).toBe(false)
  isGranted = true
  expect(await may(joe, pod, signal)).toBe(true)
})
