import { describe, expect, test } from 'vitest'
import { nodeView, podView, type NodeChoices, type PodChoices } from '../../../test/build/descheduler-view.ts'
import { requestsOf } from '../../api/kubernetes/pod-requests.ts'
import { CycleState } from '../cycle/cycle-state.ts'
import { misfitOf, obstacleOn, repulsionOf } from './node-fit.ts'

const gpuTaint = { key: 'hardware', value: 'gpu', effect: 'NoSchedule' }
const zoned = { labels: { zone: 'a', app: 'web' } }
const awayFromWeb = { topologyKey: 'zone', labelSelector: { matchLabels: { app: 'web' } } }

interface Row {
  readonly name: string
  readonly pod?: Partial<PodChoices>
  readonly node?: Partial<NodeChoices>
  readonly there?: readonly PodChoices[]
  /** Undefined: it fits. */
  readonly misfit?: string
}

const on = (name: string, choices: Omit<PodChoices, 'name'> = {}): PodChoices => ({ name, nodeName: 'n2', ...choices })
const web = on('other', { labels: { app: 'web' } })

const barriers: readonly Row[] = [
  { name: 'an empty node takes it' },
  { name: 'a cordoned node does not', node: { isCordoned: true }, misfit: 'is cordoned' },
  {
    name: 'tolerating the cordon does not help',
    node: { isCordoned: true },
    pod: { tolerations: [{ operator: 'Exists' }] },
    misfit: 'is cordoned',
  },
  { name: 'a label matches its node selector', node: zoned, pod: { nodeSelector: { zone: 'a' } } },
  {
    name: 'a label has another value than its node selector asks for',
    node: zoned,
    pod: { nodeSelector: { zone: 'b' } },
    misfit: 'does not match the node selector or affinity',
  },
  {
    name: 'required affinity matches, the node selector does not',
    node: zoned,
    pod: {
      nodeSelector: { zone: 'b' },
      requiredNodeAffinity: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'zone', operator: 'Exists' }] }] },
    },
    misfit: 'does not match the node selector or affinity',
  },
  {
    name: 'required affinity names the node',
    pod: {
      requiredNodeAffinity: {
        nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n2'] }] }],
      },
    },
  },
  {
    name: 'required affinity without a term allows no node',
    pod: { requiredNodeAffinity: { nodeSelectorTerms: [] } },
    misfit: 'does not match the node selector or affinity',
  },
  { name: 'a taint that it does not tolerate', node: { taints: [gpuTaint] }, misfit: 'has the taint hardware' },
  {
    name: 'a taint that it tolerates',
    node: { taints: [gpuTaint] },
    pod: { tolerations: [{ key: 'hardware', value: 'gpu', effect: 'NoSchedule' }] },
  },
  {
    name: 'NoExecute keeps it away as well',
    node: { taints: [{ key: 'down', effect: 'NoExecute' }] },
    misfit: 'has the taint down',
  },
  { name: 'PreferNoSchedule does not', node: { taints: [{ ...gpuTaint, effect: 'PreferNoSchedule' }] } },
  {
    name: 'a taint whose number is below that of the toleration',
    node: { taints: [{ key: 'load', value: '4', effect: 'NoSchedule' }] },
    pod: { tolerations: [{ key: 'load', operator: 'Lt', value: '5' }] },
  },
  {
    name: 'a taint whose number is not above that of the toleration',
    node: { taints: [{ key: 'load', value: '5', effect: 'NoSchedule' }] },
    pod: { tolerations: [{ key: 'load', operator: 'Gt', value: '5' }] },
    misfit: 'has the taint load',
  },
]

const overheadOf = (cpu: string, overhead: string) =>
  Object.fromEntries(
    [...requestsOf({ spec: { containers: [{ resources: { requests: { cpu } } }], overhead: { cpu: overhead } } })].map(
      ([resource, milli]) => [resource, `${milli}m`],
    ),
  )

const room: readonly Row[] = [
  {
    name: 'requests fit beside those of another pod',
    there: [on('a', { requests: { cpu: 2 } })],
    pod: { requests: { cpu: 2 } },
  },
  {
    name: 'cpu is short by a thousandth',
    there: [on('a', { requests: { cpu: 2 } })],
    pod: { requests: { cpu: '2001m' } },
    misfit: 'has too little cpu left',
  },
  {
    name: 'memory is short',
    there: [on('a', { requests: { memory: '4Gi' } })],
    pod: { requests: { memory: '5Gi' } },
    misfit: 'has too little memory left',
  },
  {
    name: 'ephemeral storage is short',
    node: { allocatable: { 'ephemeral-storage': '20G' } },
    there: [on('a', { requests: { 'ephemeral-storage': '11G' } })],
    pod: { requests: { 'ephemeral-storage': '10G' } },
    misfit: 'has too little ephemeral-storage left',
  },
  {
    name: 'a resource of a vendor is short',
    node: { allocatable: { 'example.com/card': 15 } },
    there: [on('a', { requests: { 'example.com/card': 10 } })],
    pod: { requests: { 'example.com/card': 10 } },
    misfit: 'has too little example.com/card left',
  },
  {
    name: 'the node has no such resource',
    pod: { requests: { 'example.com/card': 1 } },
    misfit: 'has too little example.com/card left',
  },
  { name: 'it requests none of a resource that the node lacks', pod: { requests: { 'example.com/card': 0 } } },
  {
    name: 'a node with too many pods has less than nothing left of what it requests none of',
    there: [on('a', { requests: { cpu: 5 } })],
    pod: { requests: { cpu: 0 } },
    misfit: 'has too little cpu left',
  },
  { name: 'a resource that it does not request may be overcommitted', there: [on('a', { requests: { cpu: 5 } })] },
  {
    name: 'pods that are there count with their overhead, which leaves enough',
    node: { allocatable: { cpu: 5 } },
    there: [on('a', { requests: overheadOf('2', '1') })],
    pod: { requests: { cpu: 1 } },
  },
  {
    name: 'pods that are there count with their overhead, which leaves too little',
    node: { allocatable: { cpu: 5 } },
    there: [on('a', { requests: overheadOf('2', '2') })],
    pod: { requests: { cpu: 2 } },
    misfit: 'has too little cpu left',
  },
  {
    name: 'every place for a pod is taken',
    node: { allocatable: { pods: 2 } },
    there: [on('a'), on('b')],
    misfit: 'has no room for another pod',
  },
  {
    name: 'pods that are over take neither place nor cpu',
    node: { allocatable: { pods: 2 } },
    there: [on('a'), on('b', { phase: 'Succeeded', requests: { cpu: 4 } }), on('c', { phase: 'Failed' })],
    pod: { requests: { cpu: 4 } },
  },
  {
    name: 'memory counts in whole bytes, rounded up',
    node: { allocatable: { memory: '1001m' } },
    there: [on('a', { requests: { memory: '1' } })],
    pod: { requests: { memory: '1' } },
  },
  {
    name: 'its own node has room for it, whatever the others request',
    pod: { nodeName: 'n2', requests: { cpu: 4 } },
    there: [on('a', { requests: { cpu: 4 } })],
  },
  {
    name: 'its own node is cordoned like any other',
    pod: { nodeName: 'n2' },
    node: { isCordoned: true },
    misfit: 'is cordoned',
  },
]

const repelled = 'has a pod that anti-affinity keeps it away from'
const antiAffinity: readonly Row[] = [
  {
    name: 'a term of its own selects a pod there',
    node: zoned,
    there: [web],
    pod: { antiAffinity: [awayFromWeb] },
    misfit: repelled,
  },
  {
    name: 'a term of its own selects no pod there',
    node: zoned,
    there: [on('a')],
    pod: { antiAffinity: [awayFromWeb] },
  },
  { name: 'the node has no label by the topology key', there: [web], pod: { antiAffinity: [awayFromWeb] } },
  {
    name: 'the pod there is in another namespace',
    node: zoned,
    there: [on('a', { labels: { app: 'web' }, namespace: 'shop' })],
    pod: { antiAffinity: [awayFromWeb] },
  },
  {
    name: 'the term names the namespace of the pod there',
    node: zoned,
    there: [on('a', { labels: { app: 'web' }, namespace: 'shop' })],
    pod: { antiAffinity: [{ ...awayFromWeb, namespaces: ['shop'] }] },
    misfit: repelled,
  },
  {
    name: 'namespaceSelector has no effect',
    node: zoned,
    there: [on('a', { labels: { app: 'web' }, namespace: 'shop' })],
    pod: { antiAffinity: [{ ...awayFromWeb, namespaceSelector: {} }] },
  },
  {
    name: 'a pod of the same name does not count, even in another namespace',
    node: zoned,
    there: [on('moved', { labels: { app: 'web' }, namespace: 'shop' })],
    pod: { antiAffinity: [{ ...awayFromWeb, namespaces: ['shop'] }] },
  },
  {
    name: 'a pod that is over does not count',
    node: zoned,
    there: [on('a', { labels: { app: 'web' }, phase: 'Failed' })],
    pod: { antiAffinity: [awayFromWeb] },
  },
  {
    name: 'a term without a selector selects nothing',
    node: zoned,
    there: [web],
    pod: { antiAffinity: [{ topologyKey: 'zone' }] },
  },
  {
    name: 'a term of the pod there does not count',
    node: zoned,
    there: [on('a', { antiAffinity: [awayFromWeb] })],
    pod: { labels: { app: 'web' } },
  },
  {
    name: 'it does not fit its own node beside a pod that its term selects',
    node: zoned,
    there: [web],
    pod: { nodeName: 'n2', antiAffinity: [awayFromWeb] },
    misfit: repelled,
  },
]

describe.each([
  { about: 'cordon, labels and taints', rows: barriers },
  { about: 'room', rows: room },
  { about: 'anti-affinity', rows: antiAffinity },
])('$about', ({ rows }) => {
  test.each(rows)('$name', ({ pod, node, there = [], misfit }) => {
    const state = new CycleState({ pods: there.map(podView) })
    expect(misfitOf(podView({ name: 'moved', ...pod }), nodeView({ name: 'n2', ...node }), state)).toBe(misfit)
  })
})

describe('a pod that is not there yet', () => {
  const node = nodeView({ name: 'n2', ...zoned })
  const there = podView(on('a', { labels: { app: 'web' }, requests: { cpu: 3 } }))
  const state = new CycleState({ pods: [there] })

  test('its requests come on top, whoever is there', () => {
    const { template } = podView(on('b', { antiAffinity: [awayFromWeb], requests: { cpu: 2 } }))
    expect(obstacleOn(node, template, state)).toBe('has too little cpu left')
    const smaller = podView(on('b', { antiAffinity: [awayFromWeb], requests: { cpu: 1 } }))
    expect(obstacleOn(node, smaller.template, state)).toBeUndefined()
  })

  test('without a name every pod that its term selects keeps it away', () => {
    const { namespace, template } = podView(on('a', { antiAffinity: [awayFromWeb] }))
    expect(repulsionOf({ namespace, name: undefined, template }, node, state)).toBe(repelled)
    expect(repulsionOf({ namespace, name: 'a', template }, node, state)).toBeUndefined()
  })
})
