import { describe, expect, test } from 'vitest'
import type { StatefulSet } from '../../api/kubernetes/apps.ts'
import type { PodDisruptionBudget } from '../../api/kubernetes/policy.ts'
import type { Pod } from '../../api/kubernetes/core.ts'
import { stored } from '../../../test/build/stored.ts'
import { stepStatefulSet, type StatefulSetView } from './step.ts'

const now = '2026-01-01T01:00:00Z'
const nowMs = Date.parse(now)
const before = (seconds: number) => new Date(nowMs - seconds * 1_000).toISOString()

type State = 'ready' | 'starting' | 'leaving' | 'lost' | 'unschedulable' | 'crashing' | 'justReady'

function podAt(ordinal: number, state: Exclude<State, 'lost'>, generation = 'old'): Pod {
  const ready = state === 'ready' || state === 'justReady' || state === 'leaving'
  const readySince = before(state === 'justReady' ? 10 : 600)
  return {
    metadata: {
      name: `db-${ordinal}`,
      namespace: 'shop',
      uid: `${generation}-${ordinal}`,
      resourceVersion: '1',
      creationTimestamp: before(ready ? 3_600 : 5),
      ...(state === 'leaving' ? { deletionTimestamp: now } : {}),
    },
    status: {
      conditions: [
        { type: 'Ready', status: ready ? 'True' : 'False', lastTransitionTime: ready ? readySince : before(5) },
        ...(state === 'unschedulable'
          ? [{ type: 'PodScheduled', status: 'False', message: '0/3 nodes are available' } as const]
          : []),
      ],
      ...(state === 'crashing'
        ? {
            containerStatuses: [
              { name: 'main', ready: false, restartCount: 3, state: { waiting: { reason: 'CrashLoopBackOff' } } },
            ],
          }
        : {}),
    },
  }
}

interface Row {
  readonly self: number
  /** Of the pods from 0 on: the first 5, or as many as are listed. */
  readonly states?: readonly State[]
  readonly evacuating?: readonly number[]
  readonly blocked?: readonly number[]
  readonly spec?: NonNullable<StatefulSet['spec']>
  readonly budget?: NonNullable<PodDisruptionBudget['status']>
}

function viewOf({
  self,
  states = [],
  evacuating = [4, 3, 2, 1, 0],
  blocked = [],
  spec = {},
  budget,
}: Row): StatefulSetView {
  const all: State[] = Array.from({ length: Math.max(5, states.length) }, (_, at) => states[at] ?? 'ready')
  const pods = all
    .map((state, at) => (state === 'lost' ? undefined : podAt(at, state)))
    .filter((pod) => pod !== undefined)
  const annotations = { 'evacuation.coordination.k8s.io/strategy': 'MaxUnavailable' }
  return {
    pod: pods.find(({ metadata }) => metadata.name === `db-${self}`) ?? podAt(self, 'ready'),
    set: stored({
      metadata: { name: 'db', namespace: 'shop', uid: 'set', annotations },
      spec: { replicas: 5, ...spec },
    }),
    pods,
    budgets: budget === undefined ? [] : [stored({ metadata: { namespace: 'shop', name: 'db' }, status: budget })],
    evictionAskedMs: undefined,
    evacuating: new Map(evacuating.map((at) => [`old-${at}`, { isBlocked: blocked.includes(at) }])),
  }
}

const maxUnavailable = (value: number | string) => ({ updateStrategy: { rollingUpdate: { maxUnavailable: value } } })

describe('a pod may go', () => {
  test.each<{ name: string } & Row>([
    { name: 'with the highest ordinal', self: 4 },
    { name: 'when those above it are not evacuated', self: 1, evacuating: [1, 0] },
    { name: 'when the last is back', self: 3, evacuating: [3, 2, 1, 0] },
    { name: 'as the second of two that may be down', self: 3, spec: maxUnavailable(2) },
    {
      name: 'as the second while the first is down',
      self: 3,
      states: ['ready', 'ready', 'ready', 'ready', 'leaving'],
      spec: maxUnavailable(2),
    },
    { name: 'by a percentage', self: 3, spec: maxUnavailable('40%') },
    {
      name: 'that cannot start, whoever else is down',
      self: 2,
      states: ['lost', 'ready', 'crashing', 'ready', 'leaving'],
    },
    { name: 'beyond those that are wanted', self: 4, spec: { replicas: 3 } },
    {
      name: 'when only it is wanted',
      self: 0,
      evacuating: [0],
      states: ['ready', 'lost', 'lost', 'lost', 'lost'],
      spec: { replicas: 1 },
    },
    {
      name: 'by ordinals that begin elsewhere',
      self: 4,
      states: ['lost', 'lost', 'ready', 'ready', 'ready'],
      spec: { replicas: 3, ordinals: { start: 2 } },
    },
  ])('$name', (row) => {
    expect(stepStatefulSet(viewOf(row), nowMs)).toEqual({ kind: 'evict' })
  })
})

describe('a pod that may go', () => {
  const full = { disruptionsAllowed: 0, currentHealthy: 5, desiredHealthy: 5 }
  const others: readonly State[] = ['justReady', 'ready', 'ready', 'ready', 'ready']

  test('waits for its budget', () => {
    const result = stepStatefulSet(viewOf({ self: 4, states: others, budget: full }), nowMs)
    const because = { kind: 'budget', budget: 'db', healthy: 5, needed: 5 }
    expect(result).toMatchObject({ kind: 'waiting', because, againInMs: 20_000 })
  })

  test('gives its budget time to count', () => {
    const spec = { minReadySeconds: 8 }
    const result = stepStatefulSet(viewOf({ self: 4, states: others, budget: full, spec }), nowMs)
    expect(result).toMatchObject({ kind: 'working', againInMs: 3_000 })
  })

  test('tries though its budget is full, once in a while', () => {
    expect(stepStatefulSet(viewOf({ self: 4, budget: full }), nowMs)).toEqual({ kind: 'evict' })
  })

  test('goes if its budget has room, or it is not ready', () => {
    const open = { ...full, disruptionsAllowed: 1 }
    expect(stepStatefulSet(viewOf({ self: 4, states: others, budget: open }), nowMs)).toEqual({ kind: 'evict' })
    const states: readonly State[] = ['justReady', 'ready', 'ready', 'ready', 'starting']
    expect(stepStatefulSet(viewOf({ self: 4, states, budget: full }), nowMs)).toEqual({ kind: 'evict' })
  })
})

describe('a pod waits while others move', () => {
  test.each<{ name: string; againInMs?: number } & Row>([
    { name: 'behind the highest ordinal', self: 3 },
    { name: 'while the last is on its way out', self: 3, states: ['ready', 'ready', 'ready', 'ready', 'leaving'] },
    { name: 'while the last is not there again', self: 3, states: ['ready', 'ready', 'ready', 'ready', 'lost'] },
    { name: 'while the last starts', self: 3, states: ['ready', 'ready', 'ready', 'ready', 'starting'] },
    {
      name: 'until the last has been ready for long enough',
      self: 3,
      evacuating: [3],
      states: ['ready', 'ready', 'ready', 'ready', 'justReady'],
      spec: { minReadySeconds: 15 },
      againInMs: 5_000,
    },
    { name: 'while one is down for another reason', self: 4, states: ['starting'] },
    { name: 'as the third of two', self: 2, spec: maxUnavailable(2) },
    {
      name: 'while one beyond the wanted is on its way out',
      self: 2,
      evacuating: [2],
      states: ['ready', 'ready', 'ready', 'ready', 'leaving'],
      spec: { replicas: 3 },
    },
    {
      name: 'behind one that is stuck and one that is not',
      self: 2,
      blocked: [4],
      states: ['ready', 'ready', 'ready', 'starting', 'ready'],
      spec: maxUnavailable(2),
    },
  ])('$name', ({ againInMs = 10_000, ...row }) => {
    const result = stepStatefulSet(viewOf(row), nowMs)
    expect(result).toMatchObject({ kind: 'working', againInMs })
    expect(result).toMatchObject({
      message: expect.stringMatching(/^shop\/db-\d waits for its turn \(StatefulSet db allows/),
    })
  })
})

test('a pod that is not ready for a moment is no reason to have more of them down for longer', () => {
  const states: readonly State[] = ['ready', 'ready', 'starting', 'ready', 'leaving']
  expect(stepStatefulSet(viewOf({ self: 2, states }), nowMs)).toMatchObject({ kind: 'working' })
})

describe('a pod waits for somebody to mend', () => {
  test.each<{ name: string; kind: string } & Row>([
    {
      name: 'the last one, which does not fit',
      self: 3,
      states: ['ready', 'ready', 'ready', 'ready', 'unschedulable'],
      kind: 'replacementUnschedulable',
    },
    {
      name: 'the last one, which crashes',
      self: 3,
      states: ['ready', 'ready', 'ready', 'ready', 'crashing'],
      kind: 'replacementNotReady',
    },
    { name: 'what keeps the one before it', self: 3, blocked: [4], kind: 'turn' },
  ])('$name', ({ kind, ...row }) => {
    expect(stepStatefulSet(viewOf(row), nowMs)).toMatchObject({ kind: 'waiting', because: { kind } })
  })
})

describe('a pod is left to eviction', () => {
  const view = viewOf({ self: 4 })
  test.each([
    { name: 'when its set is gone', view: { ...view, set: undefined }, message: 'no StatefulSet' },
    {
      name: 'when its set does not want this any more',
      view: { ...view, set: stored<StatefulSet>({ metadata: { namespace: 'shop', name: 'db' } }) },
      message: 'has no annotation',
    },
    {
      name: 'under a name that is none of the set',
      view: { ...view, pod: stored<Pod>({ metadata: { name: 'other', namespace: 'shop' } }) },
      message: 'none of StatefulSet db',
    },
  ])('$name', ({ view: other, message }) => {
    const expected = { kind: 'completed', message: expect.stringContaining(message), nothingToPutBack: true }
    expect(stepStatefulSet(other, nowMs)).toEqual(expected)
  })
})

describe('when its turn should come', () => {
  /** All pods that are ready took 30 s. */
  const quick = (view: StatefulSetView): StatefulSetView => ({
    ...view,
    pods: view.pods.map((pod) => {
      const isReady = pod.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True')
      return isReady === true ? { ...pod, metadata: { ...pod.metadata, creationTimestamp: before(630) } } : pod
    }),
  })
  const expectedIn = (view: StatefulSetView) => {
    const { expectedFinishMs } = stepStatefulSet(view, nowMs) as { readonly expectedFinishMs?: number }
    return expectedFinishMs === undefined ? undefined : (expectedFinishMs - nowMs) / 1_000
  }

  test.each<Row & { name: string; expected: number | undefined }>([
    { name: 'it is the next', self: 3, states: ['ready', 'ready', 'ready', 'ready', 'starting'], expected: 25 },
    { name: 'two go before it', self: 1, states: ['ready', 'ready', 'ready', 'ready', 'starting'], expected: 85 },
    {
      name: 'the last one terminates still',
      self: 3,
      states: ['ready', 'ready', 'ready', 'ready', 'leaving'],
      expected: undefined,
    },
    {
      name: 'the last one is not there yet',
      self: 3,
      states: ['ready', 'ready', 'ready', 'ready', 'lost'],
      expected: undefined,
    },
  ])('$name', ({ expected, ...row }) => {
    expect(expectedIn(quick(viewOf(row)))).toBe(expected)
  })

  test('nothing shows how long a start takes', () => {
    expect(expectedIn(viewOf({ self: 3, states: ['ready', 'ready', 'ready', 'ready', 'starting'] }))).toBeUndefined()
  })
})
