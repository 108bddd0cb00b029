import { expect, test } from 'vitest'
import { storedMeta } from '../../../../test/build/stored.ts'
import { gracePeriodMs, hasFallenSilent, observeHealth, startupGracePeriodMs } from './node-health.ts'

const created = '2026-01-01T00:00:00Z'
const createdMs = Date.parse(created)
const nowMs = createdMs + 3_600_000
const nodeOf = (lastHeartbeatTime?: string) => ({
  metadata: storedMeta({ name: 'one', creationTimestamp: created }),
  ...(lastHeartbeatTime === undefined
    ? {}
    : { status: { conditions: [{ type: 'Ready', status: 'True', lastHeartbeatTime }] } }),
})
const leaseOf = (renewTime: string) => ({ metadata: storedMeta(), spec: { renewTime } })
const before = { heardAtMs: 7, heartbeat: 'a', renewTime: 'a' }

test.each([
  {
    name: 'one that is seen for the first time',
    before: undefined,
    node: nodeOf('a'),
    lease: leaseOf('a'),
    expected: nowMs,
  },
  { name: 'one that never said anything', before: undefined, node: nodeOf(), lease: undefined, expected: createdMs },
  {
    name: 'one that never said anything but has a lease',
    before: undefined,
    node: nodeOf(),
    lease: leaseOf('a'),
    expected: nowMs,
  },
  { name: 'one that said nothing new', before, node: nodeOf('a'), lease: leaseOf('a'), expected: 7 },
  { name: 'one that reported', before, node: nodeOf('b'), lease: leaseOf('a'), expected: nowMs },
  { name: 'one that renewed its lease', before, node: nodeOf('a'), lease: leaseOf('b'), expected: nowMs },
  { name: 'one whose lease is gone', before, node: nodeOf('a'), lease: undefined, expected: 7 },
])('when it was heard of: $name', ({ before: known, node, lease, expected }) => {
  expect(observeHealth(known, node, { lease, nowMs }).heardAtMs).toBe(expected)
})

test('a node is silent after its grace period, which is longer for one that never reported', () => {
  const health = { heardAtMs: nowMs, heartbeat: undefined, renewTime: undefined }
  expect(hasFallenSilent(health, nodeOf('a'), nowMs + gracePeriodMs)).toBe(false)
  expect(hasFallenSilent(health, nodeOf('a'), nowMs + gracePeriodMs + 1)).toBe(true)
  expect(hasFallenSilent(health, nodeOf(), nowMs + startupGracePeriodMs)).toBe(false)
  expect(hasFallenSilent(health, nodeOf(), nowMs + startupGracePeriodMs + 1)).toBe(true)
})
