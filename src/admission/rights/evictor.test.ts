import { expect, test } from 'vitest'
import type { Kube } from '../../kube/client/client.ts'
import { VirtualClock } from '../../runtime/virtual-clock.ts'
import { evictorLookup } from './evictor.ts'

const { signal } = new AbortController()
const status = 'patch evacuations/status in shop'
const nodes = 'patch nodes/ in '

interface Review {
  readonly spec: { readonly resourceAttributes: Record<string, string | undefined> }
}

function lookup(rights: readonly string[]) {
  const asked: string[] = []
  const ask = async (_resource: unknown, { spec: { resourceAttributes: deed } }: Review) => {
    const right = `${deed['verb']} ${deed['resource']}/${deed['subresource'] ?? ''} in ${deed['namespace'] ?? ''}`
    asked.push(right)
    return { status: { allowed: rights.includes(right) } }
  }
  const kube = { ask } as unknown as Pick<Kube, 'ask'>
  return { asked, evictorOf: evictorLookup({ kube, clock: new VirtualClock() }) }
}

test.each([
  { who: 'an evacuator', account: 'mover', rights: [status], expected: 'evacuator', asked: [status, nodes] },
  { who: 'an autoscaler', account: 'scaler', rights: [nodes], expected: 'other', asked: [status] },
  {
    who: 'an account that may do all',
    account: 'all',
    rights: [status, nodes],
    expected: 'unclear',
    asked: [status, nodes],
  },
  { who: 'a person', account: undefined, rights: [status], expected: 'other', asked: [] },
])('$who is known by its rights: $expected', async ({ account, rights, expected, asked: expectedAsks }) => {
  const { asked, evictorOf } = lookup(rights)
  const username = account === undefined ? 'joe' : `system:serviceaccount:shop:${account}`
  const user = { username, groups: [], extra: {} }
  expect(await evictorOf(user, 'shop', signal)).toBe(expected)
  await evictorOf(user, 'shop', signal)
  expect(asked).toEqual(expectedAsks)
})
