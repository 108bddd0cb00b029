import { describe, expect, test } from 'vitest'
import type { NodeChoices, PodChoices } from '../../../test/build/descheduler-view.ts'
import { FitGround, podsOf } from '../../../test/build/fit-ground.ts'
import type { TopologySpreadConstraint } from '../../api/kubernetes/scheduling.ts'
import type { PodView } from '../view.ts'
import { Spread } from './spread.ts'

const gpu = { key: 'gpu', effect: 'NoSchedule' }
const node = (name: string, zone: string | undefined, more: Partial<NodeChoices> = {}): NodeChoices => ({
  name,
  labels: { host: name, ...(zone === undefined ? {} : { zone }) },
  ...more,
})
// The pod that asks is on n1.
const nodes = [node('n1', 'a'), node('n2', 'a'), node('n3', 'b'), node('n4', undefined)]
const threeZones = [node('n1', 'a'), node('n2', 'a'), node('n3', 'b'), node('n4', 'c')]

function verdicts(choices: readonly NodeChoices[], pods: readonly PodView[], leaving: readonly PodView[] = []) {
  const [asking] = pods
  if (asking === undefined) throw new Error('a pod')
  const ground = new FitGround(choices, pods)
  const spread = new Spread(ground.topology, ground.cohorts)
  ground.verdictsOn(spread, asking)
  for (const pod of leaving) ground.cohorts.leave(pod)
  return ground
    .verdictsOn(spread, asking)
    .map((verdict) =>
      verdict.startsWith('has too many') ? 'skew' : verdict.startsWith('has no') ? 'no label' : verdict,
    )
    .join(', ')
}

type Pod = Omit<PodChoices, 'name'>
interface Row {
  readonly name: string
  readonly constraint?: Partial<TopologySpreadConstraint>
  readonly more?: readonly Partial<TopologySpreadConstraint>[]
  readonly pod?: Pod
  readonly nodes?: readonly NodeChoices[]
  readonly others?: readonly (Pod | string)[]
  readonly expected: string
}

const rows: readonly Row[] = [
  { name: 'the only pod may go anywhere that has the label', expected: 'fits, fits, fits, no label' },
  { name: 'the emptier zone comes next', others: ['n2'], expected: 'skew, skew, fits, no label' },
  {
    name: 'the pod itself does not count',
    others: ['n3'],
    expected: 'fits, fits, skew, no label',
  },
  { name: 'even zones take it', others: ['n2', 'n3'], expected: 'fits, fits, fits, no label' },
  {
    name: 'a wider skew allows more',
    constraint: { maxSkew: 2 },
    others: ['n2'],
    expected: 'fits, fits, fits, no label',
  },
  {
    name: 'ScheduleAnyway asks for nothing',
    constraint: { whenUnsatisfiable: 'ScheduleAnyway' },
    others: ['n2'],
    expected: 'fits, fits, fits, fits',
  },
  {
    name: 'of hosts with one pod each only an empty one takes it',
    constraint: { topologyKey: 'host' },
    others: ['n2', 'n3'],
    expected: 'skew, skew, skew, fits',
  },
  {
    name: 'pods of other namespaces do not count',
    others: [{ nodeName: 'n3', namespace: 'bank' }, 'n2'],
    expected: 'skew, skew, fits, no label',
  },
  {
    name: 'pods that are being deleted or over do not count',
    others: [{ nodeName: 'n3', isTerminating: true }, { nodeName: 'n3', phase: 'Failed' }, 'n2'],
    expected: 'skew, skew, fits, no label',
  },
  {
    name: 'a pod that is being deleted itself was not counted before',
    pod: { isTerminating: true },
    others: ['n2', 'n3'],
    expected: 'fits, fits, fits, no label',
  },
  {
    name: 'a pod that its own constraint is not about adds nothing',
    pod: { labels: { app: 'db' } },
    others: ['n2'],
    expected: 'fits, fits, fits, no label',
  },
  {
    name: 'without a selector no pod counts',
    pod: { spreadConstraints: [{ maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule' }] },
    others: ['n2', 'n2'],
    expected: 'fits, fits, fits, no label',
  },
  {
    name: 'with matchLabelKeys other versions do not count',
    constraint: { matchLabelKeys: ['version'] },
    pod: { labels: { app: 'web', version: '1' } },
    others: [
      { nodeName: 'n2', labels: { app: 'web', version: '1' } },
      { nodeName: 'n3', labels: { app: 'web', version: '2' } },
    ],
    expected: 'skew, skew, fits, no label',
  },
  {
    name: 'too few domains count as an empty one',
    constraint: { minDomains: 3 },
    others: ['n2', 'n3'],
    expected: 'skew, skew, skew, no label',
  },
  {
    name: 'enough domains count as they are',
    constraint: { minDomains: 2 },
    others: ['n2', 'n3'],
    expected: 'fits, fits, fits, no label',
  },
  {
    name: 'nodes that its selector leaves out are no domains',
    nodes: threeZones,
    pod: {
      requiredNodeAffinity: {
        nodeSelectorTerms: [{ matchExpressions: [{ key: 'zone', operator: 'NotIn', values: ['c'] }] }],
      },
    },
    others: ['n2', 'n3'],
    expected: 'fits, fits, fits, fits',
  },
  {
    name: 'nodes that its selector leaves out are domains if affinity is ignored',
    nodes: threeZones,
    constraint: { nodeAffinityPolicy: 'Ignore' },
    pod: {
      requiredNodeAffinity: {
        nodeSelectorTerms: [{ matchExpressions: [{ key: 'zone', operator: 'NotIn', values: ['c'] }] }],
      },
    },
    others: ['n2', 'n3'],
    expected: 'skew, skew, skew, fits',
  },
  {
    name: 'pods on nodes that its selector leaves out do not count',
    nodes: threeZones,
    pod: { nodeSelector: { host: 'n3' } },
    others: ['n2', 'n2', 'n3'],
    expected: 'fits, fits, fits, fits',
  },
  {
    name: 'tainted nodes are domains',
    nodes: [...threeZones.slice(0, 3), node('n4', 'c', { taints: [gpu] })],
    others: ['n2', 'n3'],
    expected: 'skew, skew, skew, fits',
  },
  {
    name: 'tainted nodes are no domains if taints are honoured',
    nodes: [...threeZones.slice(0, 3), node('n4', 'c', { taints: [gpu] })],
    constraint: { nodeTaintsPolicy: 'Honor' },
    others: ['n2', 'n3'],
    expected: 'fits, fits, fits, fits',
  },
  {
    name: 'tainted nodes are domains if taints are honoured and tolerated',
    nodes: [...threeZones.slice(0, 3), node('n4', 'c', { taints: [gpu] })],
    constraint: { nodeTaintsPolicy: 'Honor' },
    pod: { tolerations: [{ key: 'gpu', operator: 'Exists' }] },
    others: ['n2', 'n3'],
    expected: 'skew, skew, skew, fits',
  },
  {
    name: 'cordoned nodes and nodes that are not Ready are domains',
    nodes: [...threeZones.slice(0, 3), node('n4', 'c', { isCordoned: true, isReady: false })],
    others: ['n2', 'n3'],
    expected: 'skew, skew, skew, fits',
  },
  {
    name: 'two constraints both hold',
    more: [{ topologyKey: 'host', maxSkew: 2 }],
    others: ['n2', 'n2', 'n3', 'n3'],
    expected: 'fits, skew, skew, no label',
  },
  {
    name: 'a node without the label of the other constraint does not count for this one',
    nodes: [...nodes.slice(0, 3), { name: 'n4', labels: { zone: 'c' } }],
    more: [{ topologyKey: 'host', maxSkew: 9 }],
    others: ['n2', 'n3'],
    expected: 'fits, fits, fits, no label',
  },
]

test.each(rows)('$name', ({ constraint, more = [], pod, nodes: choices = nodes, others = [], expected }) => {
  const usual = {
    maxSkew: 1,
    topologyKey: 'zone',
    whenUnsatisfiable: 'DoNotSchedule',
    labelSelector: { matchLabels: { app: 'web' } },
  }
  const spreadConstraints = [{ ...usual, ...constraint }, ...more.map((other) => ({ ...usual, ...other }))]
  const there = others.map((other) => (typeof other === 'string' ? { nodeName: other } : other))
  expect(verdicts(choices, podsOf([{ spreadConstraints, ...pod }, ...there]))).toBe(expected)
})

describe('pods with the same list of constraints have their own', () => {
  const usual = { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule' }
  const spreadConstraints = [
    { ...usual, labelSelector: { matchLabels: { app: 'web' } }, nodeTaintsPolicy: 'Honor', matchLabelKeys: [] },
  ]
  const byVersion = spreadConstraints.map((constraint) =>
    Object.assign({}, constraint, { matchLabelKeys: ['version'] }),
  )
  const versions = (version: string) => ({ app: 'web', version })
  const zones = [...threeZones.slice(0, 3), node('n4', 'c', { taints: [gpu] })]
  const there = [
    { nodeName: 'n3' },
    { nodeName: 'n3', labels: versions('1') },
    { nodeName: 'n2', labels: versions('2') },
  ]
  // Away from the nodes that are asked about.
  const first: Pod = { nodeName: 'n9', labels: versions('1'), spreadConstraints }
  const inB = { nodeSelectorTerms: [{ matchExpressions: [{ key: 'zone', operator: 'In' as const, values: ['b'] }] }] }

  test.each<{ readonly name: string; readonly pod: Pod; readonly first?: Pod }>([
    { name: 'namespace', pod: { ...first, namespace: 'bank' } },
    { name: 'nodeSelector', pod: { ...first, nodeSelector: { zone: 'b' } } },
    { name: 'node affinity', pod: { ...first, requiredNodeAffinity: inB } },
    { name: 'tolerations', pod: { ...first, tolerations: [{ operator: 'Exists' }] } },
    { name: 'part in them', pod: { ...first, labels: { app: 'db' } } },
    {
      name: 'values of matchLabelKeys',
      first: { ...first, spreadConstraints: byVersion },
      pod: { ...first, labels: versions('2'), spreadConstraints: byVersion },
    },
  ])('$name', ({ pod, first: before = first }) => {
    const [one, other, ...others] = podsOf([before, pod, ...there])
    if (one === undefined || other === undefined) throw new Error('two pods')
    const shared = Object.assign({}, one.template, {
      labels: other.template.labels,
      nodeSelector: pod.nodeSelector === undefined ? one.template.nodeSelector : other.template.nodeSelector,
      requiredNodeAffinity: other.template.requiredNodeAffinity,
      tolerations: pod.tolerations === undefined ? one.template.tolerations : other.template.tolerations,
    })
    const second = Object.assign({}, other, { template: shared })
    const ground = new FitGround(zones, [one, second, ...others])
    const alone = ground.verdictsOn(new Spread(ground.topology, ground.cohorts), second)
    const spread = new Spread(ground.topology, ground.cohorts)
    expect(ground.verdictsOn(spread, one)).not.toEqual(alone)
    expect(ground.verdictsOn(spread, second)).toEqual(alone)
  })
})

describe('when pods leave', () => {
  const constraint = {
    maxSkew: 1,
    topologyKey: 'zone',
    whenUnsatisfiable: 'DoNotSchedule',
    labelSelector: { matchLabels: { app: 'web' } },
  }
  const pods = podsOf([{ spreadConstraints: [constraint] }, { nodeName: 'n2' }, { nodeName: 'n3' }, { nodeName: 'n3' }])

  test.each([
    { name: 'a zone that has one pod more takes none', leaving: 0, expected: 'fits, fits, skew, no label' },
    { name: 'a zone that lost one makes the other too full', leaving: 1, expected: 'fits, fits, skew, no label' },
    { name: 'a zone that lost its pods takes some', leaving: 3, expected: 'fits, fits, fits, no label' },
  ])('$name', ({ leaving, expected }) => {
    expect(verdicts(nodes, pods, pods.slice(1, 1 + leaving))).toBe(expected)
  })
})
