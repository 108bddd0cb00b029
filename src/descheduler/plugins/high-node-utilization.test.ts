import { describe, expect, test } from 'vitest'
import {
  nodeView,
  podView,
  runPlugin,
  type NodeChoices,
  type PodChoices,
} from '../../../test/build/descheduler-view.ts'
import { simpleEvictor } from '../../../test/build/simple-evictor.ts'
import type { HighNodeUtilizationArgs } from '../policy/policy.ts'
import type { NodeView, PodView } from '../view.ts'
import { highNodeUtilization } from './high-node-utilization.ts'

const defaults: HighNodeUtilizationArgs = { thresholds: { cpu: 30, pods: 30 }, numberOfNodes: 0, evictionModes: [] }

/** 4 cpu, 3000 bytes, 10 pods. */
const node = ({ allocatable, ...choices }: NodeChoices): NodeView =>
  nodeView({ ...choices, allocatable: { cpu: 4, memory: 3_000, pods: 10, ...allocatable } })
const n1 = node({ name: 'n1' })
const n2 = node({ name: 'n2' })
const n3 = node({ name: 'n3' })
const cordoned = node({ name: 'n3', isCordoned: true })

/** With 400m each. */
const on = (nodeName: string, names: string, choices: Partial<PodChoices> = {}) =>
  names.split(' ').map((name) => podView({ name, nodeName, requests: { cpu: '400m' }, ...choices }))
const gpu = 'example.com/gpu'
const withGpu = (name: string) => node({ name, allocatable: { [gpu]: 8 } })

interface Row {
  readonly name: string
  readonly args?: Partial<HighNodeUtilizationArgs>
  readonly nodes?: readonly NodeView[]
  readonly pods: readonly PodView[]
  readonly expected: readonly string[]
}

test.each<Row>([
  {
    name: 'empties no node if none is below the thresholds',
    args: { thresholds: { cpu: 20, pods: 20 } },
    nodes: [n1, n2, n3],
    pods: [...on('n1', 'a b c'), ...on('n2', 'd e f'), ...on('n3', 'g h i')],
    expected: [],
  },
  {
    name: 'spares protected pods',
    args: { thresholds: { cpu: 40, pods: 40 } },
    nodes: [n1, n2, n3],
    pods: [...on('n1', 'kept1 kept2'), ...on('n2', 'kept3 kept4'), ...on('n3', 'a b c d e')],
    expected: [],
  },
  {
    name: 'empties no node if the only fuller one is cordoned',
    args: { thresholds: { cpu: 20, pods: 20 } },
    pods: [...on('n1', 'a'), ...on('n2', 'b'), ...on('n3', 'c d e')],
    expected: [],
  },
  {
    name: 'empties nodes below the thresholds, cordoned ones too, the least used first',
    pods: [...on('n1', 'a kept'), ...on('n2', 'b c d e'), ...on('n3', 'f')],
    expected: ['f', 'a'],
  },
  {
    name: 'stops when the other nodes are full',
    nodes: ['n1', 'n2', 'n3'].map((name) => node({ name, allocatable: { cpu: 2 }, isCordoned: name === 'n3' })),
    pods: [...on('n1', 'a'), ...on('n2', 'b c d e'), ...on('n3', 'f')],
    expected: ['a'],
  },
  {
    name: 'begins with the lowest priority',
    args: { thresholds: { cpu: 30 } },
    nodes: [
      n1,
      node({ name: 'n2', allocatable: { cpu: 2 } }),
      node({ name: 'n3', allocatable: { cpu: 2 }, isCordoned: true }),
    ],
    pods: [
      ...on('n1', 'high', { priority: 10_000 }),
      ...on('n1', 'low', { priority: 0 }),
      ...on('n2', 'b c d e'),
      ...on('n3', 'kept'),
    ],
    expected: ['low'],
  },
  {
    name: 'begins with who requests nothing, at equal priority',
    args: { thresholds: { cpu: 30 } },
    nodes: [
      node({ name: 'n1', allocatable: { cpu: 3 } }),
      node({ name: 'n2', allocatable: { cpu: 3, pods: 5 } }),
      node({ name: 'n3', allocatable: { cpu: 3 }, isCordoned: true }),
    ],
    pods: [...on('n1', 'burstable'), ...on('n1', 'humble', { requests: {} }), ...on('n2', 'b c d e')],
    expected: ['humble'],
  },
  {
    name: 'looks at extended resources',
    args: { thresholds: { cpu: 20, [gpu]: 40 } },
    nodes: [withGpu('n1'), withGpu('n2'), cordoned],
    pods: [
      ...on('n1', 'a b', { requests: { cpu: '100m', [gpu]: 1 } }),
      ...on('n2', 'c d e f', { requests: { cpu: '500m', [gpu]: 1 } }),
    ],
    expected: ['a', 'b'],
  },
  {
    name: 'empties no node if the others lack an extended resource',
    args: { thresholds: { cpu: 40, [gpu]: 40 } },
    nodes: [withGpu('n1'), n2, cordoned],
    pods: [
      ...on('n1', 'a b', { requests: { cpu: '100m', [gpu]: 1 } }),
      ...on('n2', 'c d e f', { requests: { cpu: '500m' } }),
    ],
    expected: [],
  },
  {
    name: 'takes a pod that another node matches by node selector',
    nodes: [node({ name: 'n1', labels: { datacenter: 'west' }, allocatable: { pods: 9 } }), n2],
    pods: [...on('n1', 'a b c kept'), ...on('n2', 'd', { nodeSelector: { datacenter: 'west' } })],
    expected: ['d'],
  },
  {
    name: 'spares a pod that no other node matches by node selector',
    nodes: [node({ name: 'n1', allocatable: { pods: 9 } }), n2],
    pods: [...on('n1', 'a b c kept'), ...on('n2', 'd', { nodeSelector: { datacenter: 'west' } })],
    expected: [],
  },
  {
    name: 'spares a pod for which the other node has too little memory',
    nodes: [node({ name: 'n1', allocatable: { memory: 200, pods: 9 } }), n2],
    pods: [
      ...on('n1', 'a b c kept', { requests: { cpu: '400m', memory: 50 } }),
      ...on('n2', 'd', { requests: { cpu: '400m', memory: 100 } }),
    ],
    expected: [],
  },
  {
    name: 'spares a pod for which the other node has memory by its size but not by its usage',
    nodes: [node({ name: 'n1', allocatable: { memory: 250, pods: 9 } }), n2],
    pods: [
      ...on('n1', 'a b c kept', { requests: { cpu: '400m', memory: 50 } }),
      ...on('n2', 'd', { requests: { cpu: '400m', memory: 51 } }),
    ],
    expected: [],
  },
  {
    name: 'takes only pods that request a threshold resource, if the policy says so',
    args: { thresholds: { cpu: 30, memory: 30 }, evictionModes: ['OnlyThresholdingResources'] },
    nodes: [n1, n2],
    pods: [
      ...on('n1', 'with-cpu', { requestedByContainers: new Set(['cpu']) }),
      ...on('n1', 'with-nothing', { requestedByContainers: new Set() }),
      ...on('n1', 'with-gpu', { requestedByContainers: new Set([gpu]) }),
      ...on('n2', 'b c d e'),
    ],
    expected: ['with-cpu'],
  },
])('HighNodeUtilization $name', ({ args, nodes = [n1, n2, cordoned], pods, expected }) => {
  const evictor = simpleEvictor({ nodes, pods, nodeFit: true })
  expect(runPlugin(highNodeUtilization, { ...defaults, ...args }, { nodes, pods, evictor })).toEqual(expected)
})

describe('HighNodeUtilization', () => {
  const small = (name: string) => node({ name, allocatable: { cpu: 1 } })
  const tainted = { ...small('n3'), taints: [{ key: 'key', value: 'value', effect: 'NoSchedule' }] }
  const tolerant = podView({
    name: 'tolerant',
    requests: { cpu: '200m' },
    tolerations: [{ key: 'key', value: 'value' }],
  })
  const a = on('n1', 'a', { requests: { cpu: '100m' } })

  test.each([
    {
      name: 'moves a pod to nodes without taints',
      nodes: [small('n1'), small('n2'), small('n3')],
      pods: [...on('n1', 'a b c', { requests: { cpu: '200m' } }), ...on('n2', 'd', { requests: { cpu: '200m' } })],
      expected: ['d'],
    },
    {
      name: 'moves no pod to a node whose taint it does not tolerate',
      nodes: [small('n1'), tainted],
      pods: [...a, ...on('n3', 'b', { requests: { cpu: '500m' } })],
      expected: [],
    },
    {
      name: 'moves who tolerates the taint',
      nodes: [small('n1'), tainted],
      pods: [...a, tolerant, ...on('n3', 'b', { requests: { cpu: '500m' } })],
      expected: ['tolerant'],
    },
  ])('$name', ({ nodes, pods, expected }) => {
    expect(runPlugin(highNodeUtilization, { ...defaults, thresholds: { cpu: 40 } }, { nodes, pods })).toEqual(expected)
  })

  test('a threshold resource with a fraction counts as the next whole one', () => {
    const nodes = [n1, node({ name: 'n2', allocatable: { [gpu]: '1500m' } })]
    const pods = [...on('n1', 'a'), ...on('n2', 'b', { requests: { cpu: 2, [gpu]: '1500m' } })]
    const args = { ...defaults, thresholds: { cpu: 30, [gpu]: 30 } }
    expect(runPlugin(highNodeUtilization, args, { nodes, pods })).toEqual(['a'])
  })

  test.each([
    { name: 'all nodes are below the thresholds', pods: [...on('n1', 'a'), ...on('n2', 'b')] },
    {
      name: 'no more nodes than numberOfNodes are',
      pods: [...on('n1', 'a'), ...on('n2', 'b c d e')],
      args: { numberOfNodes: 1 },
    },
    {
      name: 'the pods are of an excluded namespace',
      pods: [...on('n1', 'a', { namespace: 'shop' }), ...on('n2', 'b c d e')],
      args: { evictableNamespaces: { exclude: ['shop'] } },
    },
  ])('does nothing if $name', ({ pods, args }) => {
    expect(runPlugin(highNodeUtilization, { ...defaults, ...args }, { nodes: [n1, n2], pods })).toEqual([])
  })
})
