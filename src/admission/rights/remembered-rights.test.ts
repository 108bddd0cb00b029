import { expect, test } from 'vitest'
import type { Kube } from '../../kube/client/client.ts'
import { VirtualClock } from '../../runtime/virtual-clock.ts'
import type { UserInfo } from '../reviews/admission-request.ts'
import { rememberedRights } from './remembered-rights.ts'

const { signal } = new AbortController()
const joe: UserInfo = { username: 'joe', uid: '7', groups: [], extra: {} }
const deed = { verb: 'delete', resource: 'pods', namespace: 'shop' }

function rights({
  allowed,
  ...more
}: {
  readonly allowed: boolean
  readonly remembersMax?: number
  readonly remembersNo?: true
}) {
  const clock = new VirtualClock()
  const asked: unknown[] = []
  const ask = async (_resource: unknown, review: object) => {
    asked.push(review)
    return { ...review, status: { allowed } }
  }
  const kube = { ask } as unknown as Pick<Kube, 'ask'>
  return { clock, asked, may: rememberedRights({ kube, clock, remembersMax: 10, ...more }) }
}

test('a yes is remembered for ten seconds', async () => {
  const { asked, may, clock } = rights({ allowed: true })
  expect(await may(joe, deed, signal)).toBe(true)
  await clock.advance(9_999)
  expect(await may(joe, deed, signal)).toBe(true)
  expect(asked).toHaveLength(1)
  await clock.advance(1)
  await may(joe, deed, signal)
  expect(asked).toHaveLength(2)
})

test('a no is not', async () => {
  const { asked, may } = rights({ allowed: false })
  expect(await may(joe, deed, signal)).toBe(false)
  expect(await may(joe, deed, signal)).toBe(false)
  expect(asked).toHaveLength(2)
})

test('unless it is asked for', async () => {
  const { asked, may, clock } = rights({ allowed: false, remembersNo: true })
  await may(joe, deed, signal)
  await clock.advance(9_999)
  expect(await may(joe, deed, signal)).toBe(false)
  expect(asked).toHaveLength(1)
})

test.each([
  { name: 'verb', other: { ...deed, verb: 'update' } },
  { name: 'resource', other: { ...deed, resource: 'nodes' } },
  { name: 'group', other: { ...deed, group: 'apps' } },
  { name: 'subresource', other: { ...deed, subresource: 'status' } },
  { name: 'namespace', other: { ...deed, namespace: 'other' } },
  { name: 'name', other: { ...deed, name: 'web' } },
])('another $name is another question', async ({ other }) => {
  const { asked, may } = rights({ allowed: true })
  await may(joe, deed, signal)
  await may(joe, other, signal)
  expect(asked).toHaveLength(2)
})

test('no more is remembered than there is room for', async () => {
  const { asked, may } = rights({ allowed: true, remembersMax: 1 })
  await may(joe, deed, signal)
  await may(joe, { ...deed, name: 'web' }, signal)
  await may(joe, deed, signal)
  expect(asked).toHaveLength(3)
})
