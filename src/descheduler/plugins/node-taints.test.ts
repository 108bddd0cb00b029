import { describe, expect, test } from 'vitest'
import { defaultEvictor, limitedBy } from '../../../test/build/descheduler-evictor.ts'
import {
  nodeView,
  podView,
  runPlugin,
  type NodeChoices,
  type PodChoices,
} from '../../../test/build/descheduler-view.ts'
import { defaultProtections, type DefaultEvictorArgs, type Limits, type NodeTaintsArgs } from '../policy/policy.ts'
import { nodeTaints } from './node-taints.ts'

const taint = (key: string, value: string, effect = 'NoSchedule') => ({ key, value, effect })
const first = taint('first', '1')
const second = taint('second', '2')
const soft = taint('first', '1', 'PreferNoSchedule')

interface Row {
  readonly name: string
  readonly args?: NodeTaintsArgs
  readonly pods: readonly PodChoices[]
  /** n1 with the first taint, if there are none. */
  readonly nodes?: readonly NodeChoices[]
  readonly evictor?: Partial<DefaultEvictorArgs>
  readonly limits?: Partial<Limits>
  readonly expected: readonly string[]
}

const tolerating = (name: string, ...tolerations: PodChoices['tolerations'] & object) => ({ name, tolerations })
const [patient, patient2] = [tolerating('patient', first), tolerating('patient-2', first)]
const [plain, plain2] = [{ name: 'plain' }, { name: 'plain-2' }]
const off = { name: 'off', tolerations: [taint('other', '1')] }
const critical = { name: 'critical', priority: 2_000_000_000 }
const daemon = { name: 'daemon', owners: [{ kind: 'DaemonSet', name: 'log', uid: 'log-uid' }] }
const stored = { name: 'stored', hasLocalStorage: true }
const mirror = { name: 'mirror', marks: { mirror: true } }
const tainted = (name: string, ...taints: NodeChoices['taints'] & object) => ({ name, taints })
const without = (protection: (typeof defaultProtections)[number]) => ({
  protections: new Set(defaultProtections).difference(new Set([protection])),
})

const tolerations: readonly Row[] = [
  { name: 'a pod that does not tolerate the taint goes', pods: [patient, plain, patient2], expected: ['plain'] },
  { name: 'a pod that tolerates another taint goes', pods: [patient, patient2, off], expected: ['off'] },
  { name: 'a node without taints keeps its pods', nodes: [{ name: 'n1' }], pods: [plain], expected: [] },
  {
    name: 'one of two taints is not tolerated',
    nodes: [tainted('n1', first, second)],
    pods: [patient, tolerating('calm', first, second)],
    expected: ['patient'],
  },
  {
    name: 'NoExecute is left to Kubernetes',
    nodes: [tainted('n1', taint('first', '1', 'NoExecute'))],
    pods: [plain],
    expected: [],
  },
  {
    name: 'NoExecute is left to Kubernetes, even if soft taints count',
    args: { includePreferNoSchedule: true },
    nodes: [tainted('n1', taint('first', '1', 'NoExecute'))],
    pods: [plain],
    expected: [],
  },
  { name: 'a soft taint does not count', nodes: [tainted('n1', soft)], pods: [plain], expected: [] },
  {
    name: 'a soft taint counts if asked for',
    args: { includePreferNoSchedule: true },
    nodes: [tainted('n1', soft)],
    pods: [plain],
    expected: ['plain'],
  },
  {
    name: 'a soft taint that is tolerated',
    args: { includePreferNoSchedule: true },
    nodes: [tainted('n1', soft)],
    pods: [tolerating('calm', soft)],
    expected: [],
  },
  {
    name: 'a hard taint counts beside soft ones',
    args: { includePreferNoSchedule: true },
    pods: [plain],
    expected: ['plain'],
  },
  {
    name: 'a number below that of the toleration is tolerated',
    nodes: [tainted('n1', taint('load', '4'))],
    pods: [tolerating('calm', { key: 'load', operator: 'Lt', value: '5' })],
    expected: [],
  },
  {
    name: 'a number that is not below it is not',
    nodes: [tainted('n1', taint('load', '5'))],
    pods: [tolerating('busy', { key: 'load', operator: 'Lt', value: '5' })],
    expected: ['busy'],
  },
  {
    name: 'a number above that of the toleration is tolerated',
    nodes: [tainted('n1', taint('load', '6'))],
    pods: [tolerating('calm', { key: 'load', operator: 'Gt', value: '5' })],
    expected: [],
  },
  {
    name: 'a number that is not above it is not',
    nodes: [tainted('n1', taint('load', '-5'))],
    pods: [tolerating('busy', { key: 'load', operator: 'Gt', value: '5' })],
    expected: ['busy'],
  },
  {
    name: 'a word is neither above nor below',
    nodes: [tainted('n1', taint('load', 'high'))],
    pods: [tolerating('busy', { key: 'load', operator: 'Gt', value: '5' })],
    expected: ['busy'],
  },
  {
    name: 'a number of another key',
    nodes: [tainted('n1', taint('heat', '6'))],
    pods: [tolerating('busy', { key: 'load', operator: 'Gt', value: '5' })],
    expected: ['busy'],
  },
]

const choices: readonly Row[] = [
  {
    name: 'the taint is excluded by its key',
    args: { excludedTaints: ['other', 'first'] },
    pods: [plain],
    expected: [],
  },
  {
    name: 'the taint is excluded by key and value',
    args: { excludedTaints: ['first=1'] },
    pods: [plain],
    expected: [],
  },
  { name: 'another value is excluded', args: { excludedTaints: ['first=2'] }, pods: [plain], expected: ['plain'] },
  {
    name: 'a taint without a value is excluded by its key alone',
    args: { excludedTaints: ['bare='] },
    nodes: [tainted('n1', taint('bare', ''))],
    pods: [plain],
    expected: ['plain'],
  },
  {
    name: 'a pod tolerates the taint that is included, and not the other',
    args: { includedTaints: ['first=1'] },
    nodes: [tainted('n1', first, second)],
    pods: [patient],
    expected: [],
  },
  {
    name: 'the taint is not included',
    args: { includedTaints: ['second=2'] },
    pods: [patient, plain, off],
    expected: [],
  },
  {
    name: 'the taint is included by key and value',
    args: { includedTaints: ['first=1'] },
    pods: [patient, plain, patient2],
    expected: ['plain'],
  },
  { name: 'the taint is included by its key', args: { includedTaints: ['first'] }, pods: [plain], expected: ['plain'] },
  { name: 'an empty list includes none', args: { includedTaints: [] }, pods: [plain], expected: [] },
  { name: 'an empty list excludes none', args: { excludedTaints: [] }, pods: [plain], expected: ['plain'] },
]

const limits: readonly Row[] = [
  { name: 'the total limit', limits: { perNode: 2, total: 1 }, pods: [patient, plain, plain2], expected: ['plain'] },
  {
    name: 'the limit of a node',
    limits: { perNode: 1 },
    nodes: [tainted('n1', first), tainted('n2', first)],
    pods: [plain, plain2, { name: 'there', nodeName: 'n2' }],
    expected: ['plain', 'there'],
  },
  {
    name: 'the limit of a namespace',
    limits: { perNamespace: 1 },
    pods: [plain, plain2, { name: 'sold', namespace: 'shop' }],
    expected: ['plain', 'sold'],
  },
]

const spared: readonly Row[] = [
  { name: 'protected pods stay', pods: [critical, daemon, stored, mirror], expected: [] },
  {
    name: 'pods with local storage go if they are not protected',
    evictor: without('PodsWithLocalStorage'),
    pods: [critical, daemon, stored, mirror],
    expected: ['stored'],
  },
  {
    name: 'critical pods go if they are not protected',
    evictor: without('SystemCriticalPods'),
    pods: [plain, critical, stored, mirror],
    expected: ['critical', 'plain'],
  },
  { name: 'an unprotected pod goes from among them', pods: [critical, daemon, mirror, plain], expected: ['plain'] },
  {
    name: 'the other node has a taint that it does not tolerate either',
    evictor: { nodeFit: true },
    nodes: [tainted('n1', first), tainted('n2', second)],
    pods: [plain],
    expected: [],
  },
  {
    name: 'the other node does not match its node selector',
    evictor: { nodeFit: true },
    nodes: [tainted('n1', first), { name: 'n2', labels: { datacenter: 'east' } }],
    pods: [{ ...plain, nodeSelector: { datacenter: 'west' } }],
    expected: [],
  },
  {
    name: 'the other node is cordoned',
    evictor: { nodeFit: true },
    nodes: [tainted('n1', first), { name: 'n2', isCordoned: true }],
    pods: [plain],
    expected: [],
  },
  {
    name: 'the other node has no room',
    evictor: { nodeFit: true },
    nodes: [tainted('n1', first), { name: 'n2', allocatable: { cpu: '1m' } }],
    pods: [{ ...plain, requests: { cpu: '100m' } }],
    expected: [],
  },
  {
    name: 'the other node has a soft taint and room',
    evictor: { nodeFit: true },
    nodes: [tainted('n1', first), tainted('n2', soft)],
    pods: [plain],
    expected: ['plain'],
  },
  {
    name: 'pods that are over are not listed',
    pods: [
      { ...plain, phase: 'Failed' },
      { ...plain2, phase: 'Succeeded' },
    ],
    expected: [],
  },
  {
    name: 'namespaces and labels select',
    args: { namespaces: { include: ['default'] }, labelSelector: { matchLabels: { app: 'web' } } },
    pods: [plain, { name: 'web', labels: { app: 'web' } }, { name: 'sold', namespace: 'shop', labels: { app: 'web' } }],
    expected: ['web'],
  },
]

describe.each([
  { about: 'tolerations', rows: tolerations },
  { about: 'which taints count', rows: choices },
  { about: 'limits', rows: limits },
  { about: 'who is spared', rows: spared },
])('$about', ({ rows }) => {
  test.each(rows)(
    '$name',
    ({ args = {}, pods, nodes = [tainted('n1', first)], evictor, limits: most = {}, expected }) => {
      const world = {
        nodes: nodes.map(nodeView),
        pods: pods.map(podView),
        evictor: defaultEvictor(evictor),
        outcomeOf: limitedBy(most),
      }
      expect(runPlugin(nodeTaints, args, world)).toEqual(expected)
    },
  )
})

test('who tolerates everything is not shown to the evictor', () => {
  const asked: string[] = []
  const evictor = {
    filter: ({ name }: { name: string }) => {
      asked.push(name)
      return 'no'
    },
    preEvictionFilter: () => undefined,
  }
  const world = { nodes: [nodeView(tainted('n1', first))], pods: [podView(patient), podView(plain)], evictor }
  expect(runPlugin(nodeTaints, {}, world)).toEqual([])
  expect(asked).toEqual(['plain'])
})
