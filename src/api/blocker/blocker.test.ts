import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  blockerCommands,
  blockerReason,
  renderBlocker,
  renderBlockers,
  renderRemedy,
  renderWaiting,
  type Blocker,
} from './blocker.ts'

const pod = { namespace: 'shop', name: 'cart-7', uid: 'f5823a89' }
const minuteMs = 60_000

const cases: { blocker: Blocker; expected: string }[] = [
  {
    blocker: { kind: 'budget', pod, budget: 'web', healthy: 3, needed: 3 },
    expected: 'waits for budget web (3 healthy, 3 needed)',
  },
  {
    blocker: { kind: 'budgetUnclear', pod, budget: 'web', message: 'is still being processed by the server.' },
    expected: 'waits for budget web (is still being processed by the server.)',
  },
  {
    blocker: { kind: 'budgetUnclear', pod, budget: undefined, message: 'try later' },
    expected: 'waits for its budget (try later)',
  },
  {
    blocker: {
      kind: 'manyBudgets',
      pod,
      budgets: [
        { name: 'web', healthy: 3, needed: 2 },
        { name: 'all', healthy: 9, needed: 9 },
      ],
    },
    expected: 'is covered by more than one budget (web: 3 healthy, 2 needed; all: 9 healthy, 9 needed)',
  },
  { blocker: { kind: 'manyBudgets', pod }, expected: 'is covered by more than one budget' },
  {
    blocker: { kind: 'admission', pod, message: 'freeze until Monday' },
    expected: 'may not be evicted (freeze until Monday)',
  },
  { blocker: { kind: 'throttled', pod }, expected: 'waits for the API server, which has too much to do' },
  {
    blocker: { kind: 'evictionFailed', pod, message: 'etcdserver: request timed out' },
    expected: 'cannot be evicted, the API server fails (etcdserver: request timed out)',
  },
  {
    blocker: { kind: 'evictionFailed', pod, webhook: 'guard.example.com', message: 'connection refused' },
    expected: 'cannot be evicted while admission webhook guard.example.com does not answer (connection refused)',
  },
  {
    blocker: { kind: 'evictionForbidden', pod, message: 'User "x" cannot' },
    expected: 'cannot be evicted, a right is missing (User "x" cannot)',
  },
  {
    blocker: {
      kind: 'replacementUnschedulable',
      pod,
      replacement: 'cart-8',
      message: '0/3 nodes are available:\n 3 cpu',
    },
    expected: 'waits for its replacement cart-8, which does not fit (0/3 nodes are available: 3 cpu)',
  },
  {
    blocker: { kind: 'replacementNotReady', pod, replacement: 'cart-8', message: 'ImagePullBackOff' },
    expected: 'waits for its replacement cart-8, which is not ready (ImagePullBackOff)',
  },
  {
    blocker: { kind: 'replacementRefused', pod, owner: 'ReplicaSet cart', message: 'exceeded quota: pods' },
    expected: 'waits for ReplicaSet cart, which cannot create a replacement (exceeded quota: pods)',
  },
  {
    blocker: { kind: 'turn', pod, owner: 'Deployment cart', limit: 'maxSurge', allowed: 1 },
    expected: 'waits for its turn (Deployment cart allows 1 at once, maxSurge)',
  },
  {
    blocker: { kind: 'controllerTakeover', pod, waitedMs: 40_000, timeoutMs: 60_000 },
    expected: 'waits for its controller to take it away, 40 of 60 s',
  },
  {
    blocker: {
      kind: 'silentEvacuator',
      pod,
      evacuatorClass: 'a.io',
      silentMs: 12.9 * minuteMs,
      deadlineMs: 30 * minuteMs,
    },
    expected: 'waits for evacuator a.io, silent for 12 of 30 min',
  },
  {
    blocker: { kind: 'finalizers', pod, finalizers: ['b.io/two', 'a.io/one'] },
    expected: 'is deleted and held by a.io/one, b.io/two',
  },
  {
    blocker: { kind: 'terminating', pod, elapsedMs: 40_000, graceMs: 30_000 },
    expected: 'has been terminating for 40 of 30 s grace',
  },
  {
    blocker: { kind: 'notUnderMaintenance', pod, node: 'six' },
    expected: 'is a DaemonSet pod, and its node six is not under maintenance',
  },
  {
    blocker: { kind: 'beyondDrainTargets', pod, node: 'six', podPriority: 6_000 },
    expected: 'is a DaemonSet pod of priority 6000, beyond what is drained from six at the moment',
  },
  {
    blocker: { kind: 'holdNotCalled', pod, node: 'six', owner: 'DaemonSet logs' },
    expected: 'would be back on six at once: a new pod of DaemonSet logs is not held off it',
  },
  {
    blocker: { kind: 'cameBackUnheld', pod, node: 'six', owner: 'DaemonSet logs' },
    expected:
      'came back to six although new pods of DaemonSet logs are to be held off it; it is deleted again after some minutes',
  },
  {
    blocker: { kind: 'silentNode', pod, node: 'six', nodeReady: 'Unknown', since: '2026-01-01T00:00:00Z' },
    expected: 'waits for its node six, which has been silent since 2026-01-01T00:00:00Z',
  },
  {
    blocker: { kind: 'silentNode', pod, node: 'six', nodeReady: 'False', since: '2026-01-01T00:00:00Z' },
    expected: 'waits for its node six, which has reported since 2026-01-01T00:00:00Z that it is not ready',
  },
  { blocker: { kind: 'notEvictable', pod, podType: 'Static' }, expected: 'is a Static pod, which cannot be evicted' },
]

describe('renderBlocker', () => {
  test.each(cases)('$blocker.kind: $expected', ({ blocker, expected }) => {
    expect(renderBlocker(blocker)).toBe(`shop/cart-7 ${expected}`)
    expect(renderWaiting(blocker)).toBe(expected)
  })

  test('cuts what others wrote at length', () => {
    expect(renderBlocker({ kind: 'admission', pod, message: 'no '.repeat(1_000) }).length).toBeLessThan(260)
  })
})

test.each(cases)('$blocker.kind has a reason in CamelCase and something to do about it', ({ blocker }) => {
  expect(blockerReason(blocker)).toMatch(/^([A-Z][a-z]+)+$/)
  expect(renderRemedy(blocker)).toMatch(/^[a-z]/)
})

test.each(cases)('$blocker.kind offers only commands that name what they look at, and where', ({ blocker }) => {
  for (const command of blockerCommands(blocker)) {
    expect(command).toMatch(/^(kubectl( -n shop)? (get|describe|logs) |lifeboat (drain|status) six$)/)
  }
})

test.each<{ name: string; blocker: Blocker; expected: string[] }>([
  {
    name: 'a budget is described by its name',
    blocker: { kind: 'budget', pod, budget: 'web', healthy: 3, needed: 3 },
    expected: ['kubectl -n shop describe poddisruptionbudget web'],
  },
  {
    name: 'budgets without names are listed',
    blocker: { kind: 'budgetUnclear', pod, budget: undefined, message: '' },
    expected: ['kubectl -n shop get poddisruptionbudgets'],
  },
  {
    name: 'what a stranger wrote is quoted',
    blocker: { kind: 'replacementUnschedulable', pod, replacement: 'a; id', message: '' },
    expected: ["kubectl -n shop describe pod 'a; id'", 'kubectl get nodes'],
  },
  {
    name: 'what a stranger wrote is no option',
    blocker: { kind: 'notUnderMaintenance', pod, node: '--all' },
    expected: [],
  },
  {
    name: 'an Evacuation is described by the one name that it can have',
    blocker: { kind: 'silentEvacuator', pod, evacuatorClass: 'a.io', silentMs: 1, deadlineMs: 2 },
    expected: ['kubectl -n shop describe evacuation f5823a89-cart-7'],
  },
  {
    name: 'a pod within its grace period needs none',
    blocker: { kind: 'terminating', pod, elapsedMs: 20_000, graceMs: 30_000 },
    expected: [],
  },
])('commands: $name', ({ blocker, expected }) => {
  expect(blockerCommands(blocker)).toEqual(expected)
})

test('a pod past its grace period points at its node, one within it does not', () => {
  expect(renderRemedy({ kind: 'terminating', pod, elapsedMs: 40_000, graceMs: 30_000 })).toContain('kubelet')
  expect(renderRemedy({ kind: 'terminating', pod, elapsedMs: 20_000, graceMs: 30_000 })).toContain('nothing')
})

describe('renderBlockers', () => {
  const blockers: Blocker[] = ['e', 'd', 'c', 'b', 'a'].map((name) => ({ kind: 'throttled', pod: { ...pod, name } }))

  test('shows the first few and counts the others', () => {
    const [first, second] = blockers.toReversed().map(renderBlocker)
    expect(renderBlockers(blockers, { podsMax: 2 })).toBe(`${first}, ${second}, 3 more`)
    expect(renderBlockers(blockers.slice(3), { podsMax: 3 })).toBe(`${first}, ${second}`)
    expect(renderBlockers([], { podsMax: 3 })).toBe('')
  })

  test('reads the same in whatever order the blockers were found', () => {
    const found = fc.shuffledSubarray(cases.map(({ blocker }) => blocker))
    fc.assert(
      fc.property(found, fc.nat(5), (list, podsMax) => {
        const unique = list.filter((one, index) => list.findIndex(({ kind }) => kind === one.kind) === index)
        expect(renderBlockers(unique, { podsMax })).toBe(renderBlockers(unique.toReversed(), { podsMax }))
      }),
    )
  })
})
