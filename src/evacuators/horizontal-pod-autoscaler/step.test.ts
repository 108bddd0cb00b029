import { describe, expect, test } from 'vitest'
import type { Pod } from '../../api/kubernetes/core.ts'
import { storedMeta } from '../../../test/build/stored.ts'
import { stepAutoscaler, type AutoscalerView } from './step.ts'
import type { Surge } from './surge.ts'

const nowMs = Date.parse('2026-01-01T01:00:00Z')
const before = (seconds: number) => new Date(nowMs - seconds * 1_000).toISOString()

type State = 'ready' | 'justReady' | 'starting' | 'leaving' | 'crashing'

/** The first is the one that is evacuated; its Evacuation is named `uid-name`, as all of them are. */
function podAt(at: number, state: State): Pod {
  const isReady = state !== 'starting' && state !== 'crashing'
  const crash = { name: 'main', ready: false, restartCount: 1, state: { waiting: { reason: 'CrashLoopBackOff' } } }
  return {
    metadata: {
      name: `web-${at}`,
      namespace: 'shop',
      uid: `${at}`,
      resourceVersion: '1',
      creationTimestamp: before(10),
      ...(state === 'leaving' ? { deletionTimestamp: before(0) } : {}),
    },
    status: {
      conditions: [
        {
          type: 'Ready',
          status: isReady ? 'True' : 'False',
          lastTransitionTime: before(state === 'ready' ? 600 : 4),
        },
      ],
      ...(state === 'crashing' ? { containerStatuses: [crash] } : {}),
    },
  }
}

const evacuationOf = (at: number) => `${at}-web-${at}`

interface Row {
  readonly states: readonly State[]
  readonly replicas?: number
  readonly min?: number
  readonly max?: number
  readonly surge?: Surge
  /** Of whom the evacuator is at work; the one that is looked at is. */
  readonly active?: readonly number[]
  readonly blocked?: readonly number[]
  readonly self?: number
  readonly target?: Partial<NonNullable<AutoscalerView['target']>>
}

function viewOf({ states, surge, active = [], blocked = [], self = 0, ...row }: Row): AutoscalerView {
  const { replicas = 3, min = surge?.set ?? 2, max = 10 } = row
  const key = 'evacuation.coordination.k8s.io/surge'
  const annotations = surge === undefined ? {} : { [key]: JSON.stringify(surge) }
  return {
    pod: podAt(self, states[self] ?? 'ready'),
    target: {
      kind: 'Deployment',
      name: 'web',
      uid: 'web',
      replicas,
      minReadySeconds: 0,
      progressDeadlineSeconds: undefined,
      refusal: undefined,
      ...row.target,
    },
    autoscaler: {
      metadata: storedMeta({ namespace: 'shop', name: 'scaler', annotations }),
      spec: { scaleTargetRef: { kind: 'Deployment', name: 'web' }, minReplicas: min, maxReplicas: max },
    },
    pods: states.map((state, at) => podAt(at, state)),
    turns: new Map([self, ...active].map((at) => [evacuationOf(at), { isBlocked: blocked.includes(at) }])),
  }
}

const three = ['ready', 'ready', 'ready'] as const
const one: Surge = { found: 2, base: 3, set: 4, peak: 4, evacuations: [evacuationOf(0)] }
const two: Surge = { ...one, set: 5, peak: 5, evacuations: [evacuationOf(0), evacuationOf(1)] }

describe('minReplicas is raised', () => {
  test.each<{ name: string; expected: number } & Row>([
    { name: 'by one for the first evacuation', states: three, expected: 4 },
    {
      name: 'by one more for the next',
      states: [...three, 'ready'],
      replicas: 4,
      surge: one,
      self: 1,
      active: [0],
      expected: 5,
    },
    { name: 'above what load asks for', states: [...three, 'ready', 'ready'], replicas: 5, surge: one, expected: 6 },
    {
      name: 'as far as maxReplicas allows',
      states: [...three, 'ready'],
      replicas: 4,
      surge: one,
      self: 1,
      max: 4,
      expected: 4,
    },
  ])('$name', ({ expected, ...row }) => {
    const view = viewOf(row)
    const result = stepAutoscaler(view, nowMs)
    expect(result).toMatchObject({ kind: 'write', write: { kind: 'patch', object: view.autoscaler } })
    expect(result).toMatchObject({ write: { change: { spec: { minReplicas: expected } } } })
  })
})

describe('an evacuation is passed on', () => {
  test.each<{ name: string; message: string } & Row>([
    {
      name: 'when one more pod is available',
      states: [...three, 'ready'],
      replicas: 4,
      surge: one,
      message: 'has 3 available',
    },
    {
      name: 'when two are, for two',
      states: [...three, 'ready', 'ready'],
      replicas: 5,
      surge: two,
      self: 1,
      active: [0],
      message: 'has 3',
    },
    {
      name: 'for the first of two when one is',
      states: [...three, 'ready'],
      replicas: 5,
      surge: two,
      active: [1],
      message: 'has 3',
    },
    {
      name: 'when the pod is not available itself and one more is',
      states: ['crashing', 'ready', 'ready', 'ready'],
      replicas: 4,
      surge: one,
      message: 'has 3',
    },
    {
      name: 'when somebody has taken back what was raised',
      states: three,
      surge: one,
      min: 2,
      message: 'minReplicas of HorizontalPodAutoscaler scaler was set to 2 while it was raised to 4',
    },
    {
      name: 'when somebody has raised it, and enough are available',
      states: [...three, 'ready'],
      replicas: 8,
      surge: one,
      min: 8,
      message: 'has 3',
    },
    { name: 'when the target was turned off', states: three, replicas: 0, message: 'is scaled to 0' },
  ])('$name', ({ message, ...row }) => {
    expect(stepAutoscaler(viewOf(row), nowMs)).toMatchObject({
      kind: 'completed',
      message: expect.stringContaining(message),
    })
  })

  test.each([
    { name: 'by a pod of nobody', change: { target: undefined } },
    { name: 'when no autoscaler takes part any more', change: { autoscaler: undefined } },
  ])('$name', ({ change }) => {
    expect(stepAutoscaler({ ...viewOf({ states: three }), ...change }, nowMs)).toMatchObject({ kind: 'completed' })
  })
})

describe('an evacuation makes progress', () => {
  test.each<{ name: string; againInMs?: number } & Row>([
    { name: 'while a pod starts', states: [...three, 'starting'], replicas: 4, surge: one },
    { name: 'while a pod is yet to be made', states: three, replicas: 4, surge: one },
    {
      name: 'until a pod has been ready for long enough',
      states: [...three, 'justReady'],
      replicas: 4,
      surge: one,
      target: { minReadySeconds: 6 },
      againInMs: 2_000,
    },
    {
      name: 'as the second of two while one pod more is there',
      states: [...three, 'ready', 'starting'],
      replicas: 5,
      surge: two,
      self: 1,
      active: [0],
    },
    {
      name: 'behind one whose leave was granted',
      states: [...three, 'ready', 'starting'],
      replicas: 5,
      surge: { ...two, evacuations: [evacuationOf(0), evacuationOf(1)] },
      active: [],
    },
    {
      name: 'where maxReplicas allows one at a time',
      states: [...three, 'ready'],
      replicas: 4,
      surge: { ...two, set: 4, peak: 4 },
      max: 4,
      self: 1,
      active: [0],
    },
    { name: 'while somebody wants even more pods', states: [...three, 'starting'], replicas: 8, surge: one, min: 8 },
  ])('$name', ({ againInMs = 10_000, ...row }) => {
    expect(stepAutoscaler(viewOf(row), nowMs)).toMatchObject({ kind: 'working', againInMs })
  })
})

describe('an evacuation waits', () => {
  test.each<{ name: string; because: object } & Row>([
    {
      name: 'for the autoscaler to act',
      states: three,
      surge: one,
      because: {
        reason: 'WaitingForAutoscaler',
        message: 'HorizontalPodAutoscaler scaler has not scaled Deployment web from 3 to 4 yet',
      },
    },
    {
      name: 'where maxReplicas leaves no room',
      states: three,
      max: 3,
      because: { reason: 'AutoscalerAtMaximum', message: expect.stringContaining('its maxReplicas is 3') },
    },
    {
      name: 'for a pod that crashes',
      states: [...three, 'crashing'],
      replicas: 4,
      surge: one,
      because: { kind: 'replacementNotReady', replacement: 'web-3' },
    },
    {
      name: 'for a quota',
      states: three,
      replicas: 4,
      surge: one,
      target: { refusal: 'exceeded quota' },
      because: { kind: 'replacementRefused', message: 'exceeded quota' },
    },
    {
      name: 'behind one that is stuck',
      states: [...three, 'ready'],
      replicas: 4,
      surge: { ...two, set: 4, peak: 4 },
      max: 4,
      self: 1,
      active: [0],
      blocked: [0],
      because: { kind: 'turn', limit: 'maxReplicas', allowed: 1 },
    },
  ])('$name', ({ because, ...row }) => {
    expect(stepAutoscaler(viewOf(row), nowMs)).toMatchObject({ kind: 'waiting', because })
  })
})
