import { expect, test } from 'vitest'
import { defaultEvictor, limitedBy } from '../../../test/build/descheduler-evictor.ts'
import {
  nodeView,
  podView,
  runPlugin,
  type NodeChoices,
  type PodChoices,
} from '../../../test/build/descheduler-view.ts'
import type { DefaultEvictorArgs, Limits, TooManyRestartsArgs } from '../policy/policy.ts'
import type { ContainerView } from '../view.ts'
import { tooManyRestarts } from './too-many-restarts.ts'

/**
 * Pods p0 to p9 on n1: number i has 20 × i restarts, and 5 × i more of an init container. Number 6 is of a DaemonSet,
 * 7 has local storage and 8 is a mirror: these stay.
 */
function tenPods(
  choices: Partial<PodChoices> & {
    readonly container?: Partial<ContainerView>
    readonly init?: Partial<ContainerView>
  } = {},
) {
  const { container, init, ...rest } = choices
  return Array.from({ length: 10 }, (_, index) =>
    podView({
      name: `p${index}`,
      requests: { cpu: '100m' },
      containers: [{ restartCount: 10 * index, ...container }, { restartCount: 10 * index }],
      initContainers: [{ restartCount: 5 * index, ...init }],
      ...(index === 6 ? { owners: [{ kind: 'DaemonSet', name: 'log', uid: 'log-uid' }] } : {}),
      hasLocalStorage: index === 7,
      marks: { mirror: index === 8 },
      ...rest,
    }),
  )
}

interface Row {
  readonly name: string
  readonly args: TooManyRestartsArgs
  readonly pods?: Parameters<typeof tenPods>[0]
  /** Beside n1. */
  readonly other?: NodeChoices
  readonly evictor?: Partial<DefaultEvictorArgs>
  readonly limits?: Partial<Limits>
  readonly expected: readonly string[]
}

const withInit = (podRestartThreshold: number) => ({ podRestartThreshold, includingInitContainers: true })
const withoutInit = (podRestartThreshold: number) => ({ podRestartThreshold })
const inState = (state: string) => ({ podRestartThreshold: 1, states: [state] })
const looping = { waitingReason: 'CrashLoopBackOff' }
const six = ['p9', 'p5', 'p4', 'p3', 'p2', 'p1']
const three = ['p9', 'p5', 'p4']
const upToThree = { perNode: 3 }
const nodeFit = { nodeFit: true }

const rows: readonly Row[] = [
  { name: 'no pod reaches the threshold', args: withInit(10_000), expected: [] },
  { name: 'those with restarts go, the most restarted first', args: withInit(1), expected: six },
  { name: 'with init containers p1 reaches 25', args: withInit(25), expected: six },
  {
    name: 'without init containers p1 does not reach 25',
    args: withoutInit(25),
    expected: ['p9', 'p5', 'p4', 'p3', 'p2'],
  },
  { name: 'with init containers p1 has more than 20', args: withInit(20), expected: six },
  { name: 'without init containers p1 has exactly 20', args: withoutInit(20), expected: six },
  { name: 'with init containers only p9 has more than 125', args: withInit(126), expected: ['p9'] },
  { name: 'without init containers only p9 has more than 100', args: withoutInit(101), expected: ['p9'] },
  { name: 'the limit of the node leaves the most restarted', args: withInit(1), limits: upToThree, expected: three },
  {
    name: 'the limit of the namespace leaves the most restarted',
    args: withInit(1),
    limits: { perNamespace: 3 },
    expected: three,
  },
  { name: 'the total limit leaves the most restarted', args: withInit(1), limits: { total: 3 }, expected: three },
  {
    name: 'the only other node is tainted',
    args: withInit(1),
    evictor: nodeFit,
    other: { name: 'n2', taints: [{ key: 'hardware', value: 'gpu', effect: 'NoSchedule' }] },
    expected: [],
  },
  {
    name: 'the only other node is cordoned',
    args: withInit(1),
    evictor: nodeFit,
    other: { name: 'n2', isCordoned: true },
    expected: [],
  },
  {
    name: 'the only other node has too little cpu',
    args: withInit(1),
    evictor: nodeFit,
    other: { name: 'n2', allocatable: { cpu: '50m' } },
    expected: [],
  },
  {
    name: 'the other node has enough cpu',
    args: withInit(1),
    evictor: nodeFit,
    limits: upToThree,
    other: { name: 'n2' },
    expected: three,
  },
  {
    name: 'they wait in CrashLoopBackOff, as asked',
    args: inState('CrashLoopBackOff'),
    pods: { container: looping },
    limits: upToThree,
    expected: three,
  },
  { name: 'they do not wait in CrashLoopBackOff', args: inState('CrashLoopBackOff'), expected: [] },
  {
    name: 'they ended in CrashLoopBackOff, which does not count',
    args: inState('CrashLoopBackOff'),
    pods: { container: { terminatedReason: 'CrashLoopBackOff' } },
    expected: [],
  },
  { name: 'they run, as asked', args: inState('Running'), limits: upToThree, expected: three },
  {
    name: 'they are pending, and those that run are asked for',
    args: inState('Running'),
    pods: { phase: 'Pending' },
    expected: [],
  },
  { name: 'their phase is not known', args: inState('Running'), pods: { phase: undefined }, expected: [] },
  {
    name: 'an init container loops, and those count',
    args: { ...inState('CrashLoopBackOff'), includingInitContainers: true },
    pods: { init: looping },
    limits: upToThree,
    expected: three,
  },
  {
    name: 'an init container loops, and those do not count',
    args: inState('CrashLoopBackOff'),
    pods: { init: looping },
    expected: [],
  },
  {
    name: 'pods that have failed are listed as well',
    args: withInit(126),
    pods: { phase: 'Failed' },
    expected: ['p9'],
  },
  {
    name: 'pods of other namespaces are not',
    args: { ...withInit(1), namespaces: { include: ['shop'] } },
    expected: [],
  },
  {
    name: 'pods without the label are not',
    args: { ...withInit(1), labelSelector: { matchLabels: { app: 'web' } } },
    expected: [],
  },
]

test.each(rows)('$name', ({ args, pods, other, evictor, limits = {}, expected }) => {
  const world = {
    nodes: [nodeView({ name: 'n1' }), ...(other === undefined ? [] : [nodeView(other)])],
    pods: tenPods(pods),
    evictor: defaultEvictor(evictor),
    outcomeOf: limitedBy(limits),
  }
  expect(runPlugin(tooManyRestarts, args, world)).toEqual(expected)
})

test('node by node, and among equals by name', () => {
  const pod = (name: string, nodeName: string, restartCount: number) =>
    podView({ name, nodeName, containers: [{ restartCount }] })
  const world = {
    nodes: ['n1', 'n2'].map((name) => nodeView({ name })),
    pods: [pod('a', 'n2', 9), pod('b', 'n1', 5), pod('c', 'n1', 5), pod('d', 'n1', 7)],
  }
  expect(runPlugin(tooManyRestarts, { podRestartThreshold: 5 }, world)).toEqual(['d', 'b', 'c', 'a'])
})
