import type { CaseNode, CasePod, KnownCase } from '../case.ts'
import { noSchedule, requiresNodes, twoNodes, zone } from './parts.ts'

const taints = (args: object = {}) => ({ plugin: 'RemovePodsViolatingNodeTaints', args })
const affinity = (...types: readonly ('required' | 'preferred')[]) => ({
  plugin: 'RemovePodsViolatingNodeAffinity',
  args: { nodeAffinityType: types.map((type) => `${type}DuringSchedulingIgnoredDuringExecution`) },
})
const here = (name: string, parts: Partial<CasePod> = {}): CasePod => ({ name, node: 'n1', ...parts })

const tainted: readonly CaseNode[] = [
  { name: 'n1', taints: [noSchedule('a', 'x'), { key: 'soft', effect: 'PreferNoSchedule' }] },
  { name: 'n2', taints: [{ key: 'hard', effect: 'NoExecute' }] },
  { name: 'n3', taints: [noSchedule('a', 'y'), noSchedule('b')] },
]
const onTainted: readonly CasePod[] = [
  here('plain'),
  here('tolerant', { tolerations: [{ key: 'a', operator: 'Exists' }] }),
  here('all', { tolerations: [{ operator: 'Exists' }] }),
  here('on-hard', { node: 'n2' }),
  here('one-of-two', { node: 'n3', tolerations: [{ key: 'a', operator: 'Exists' }] }),
  here('other-value', {
    node: 'n3',
    tolerations: [
      { key: 'a', value: 'x' },
      { key: 'b', operator: 'Exists' },
    ],
  }),
  here('over', { phase: 'Succeeded' }),
]

export const nodeTaintsCases: readonly KnownCase[] = [
  {
    name: 'NoSchedule alone',
    nodes: tainted,
    pods: onTainted,
    policy: taints(),
    expected: ['one-of-two', 'other-value', 'plain'],
  },
  {
    name: 'PreferNoSchedule too',
    nodes: tainted,
    pods: onTainted,
    policy: taints({ includePreferNoSchedule: true }),
    expected: ['one-of-two', 'other-value', 'plain', 'tolerant'],
  },
  {
    name: 'without a key',
    nodes: tainted,
    pods: onTainted,
    policy: taints({ excludedTaints: ['a'] }),
    expected: ['one-of-two'],
  },
  {
    name: 'without a key and value',
    nodes: tainted,
    pods: onTainted,
    policy: taints({ excludedTaints: ['a=x', 'b'] }),
    expected: ['other-value'],
  },
  {
    name: 'of a key and value alone',
    nodes: tainted,
    pods: onTainted,
    policy: taints({ includedTaints: ['a=x'] }),
    expected: ['plain'],
  },
  {
    name: 'of a key alone',
    nodes: tainted,
    pods: onTainted,
    policy: taints({ includedTaints: ['b'] }),
    expected: ['one-of-two'],
  },
  {
    name: 'with nodeFit, only pods that find another node',
    nodes: [...tainted, { name: 'n4' }],
    pods: [here('free'), here('bound', { spec: { nodeSelector: { [zone]: 'a' } } })],
    policy: { ...taints(), evictor: { nodeFit: true } },
    expected: ['free'],
  },
]

const zones: readonly CaseNode[] = [
  { name: 'n1', labels: { [zone]: 'a' } },
  { name: 'n2', labels: { [zone]: 'b' } },
]

const prefers = (...wanted: readonly (readonly [weight: number, value: string])[]) => ({
  affinity: {
    nodeAffinity: {
      preferredDuringSchedulingIgnoredDuringExecution: wanted.map(([weight, value]) => ({
        weight,
        preference: { matchExpressions: [{ key: zone, operator: 'In', values: [value] }] },
      })),
    },
  },
})

export const nodeAffinityCases: readonly KnownCase[] = [
  {
    name: 'required: on a wrong node, if some node is right',
    nodes: zones,
    pods: [
      here('right', { spec: requiresNodes(zone, 'a') }),
      here('wrong', { spec: requiresNodes(zone, 'b') }),
      here('nowhere', { spec: requiresNodes(zone, 'c') }),
      here('selector-alone', { spec: { nodeSelector: { [zone]: 'b' } } }),
      here('selector-too', { spec: { ...requiresNodes(zone, 'a', 'b'), nodeSelector: { [zone]: 'b' } } }),
    ],
    policy: affinity('required'),
    expected: ['selector-too', 'wrong'],
  },
  {
    name: 'required: the right node must have room',
    nodes: [zones[0] ?? { name: 'n1' }, { name: 'n2', labels: { [zone]: 'b' }, allocatable: { cpu: '100m' } }],
    pods: [
      here('small', { cpu: '100m', spec: requiresNodes(zone, 'b') }),
      here('large', { cpu: '200m', spec: requiresNodes(zone, 'b') }),
    ],
    policy: affinity('required'),
    expected: ['small'],
  },
  {
    name: 'required: the right node must not be cordoned',
    nodes: [...zones.slice(0, 1), { name: 'n2', labels: { [zone]: 'b' }, cordoned: true }],
    pods: [here('a', { spec: requiresNodes(zone, 'b') })],
    policy: affinity('required'),
    expected: [],
  },
  {
    name: 'required: by other operators',
    nodes: zones,
    pods: [
      here('not-in', { spec: byExpression({ key: zone, operator: 'NotIn', values: ['a'] }) }),
      here('missing', { spec: byExpression({ key: 'gone', operator: 'DoesNotExist' }) }),
      here('field', { spec: byField({ key: 'metadata.name', operator: 'In', values: ['NS-n2'] }) }),
      here('no-terms', { spec: byExpression() }),
    ],
    policy: affinity('required'),
    expected: ['field', 'not-in'],
  },
  {
    name: 'preferred: another node is better',
    nodes: zones,
    pods: [
      here('better', { spec: prefers([1, 'b']) }),
      here('best-here', { spec: prefers([1, 'a']) }),
      here('equal', { spec: prefers([3, 'a'], [3, 'b']) }),
      here('sum', { spec: prefers([3, 'a'], [2, 'b'], [2, 'b']) }),
      here('nowhere', { spec: prefers([1, 'c']) }),
    ],
    policy: affinity('preferred'),
    expected: ['better', 'sum'],
  },
  {
    name: 'preferred: the better node need not fit',
    nodes: [...zones.slice(0, 1), { name: 'n2', labels: { [zone]: 'b' }, cordoned: true }],
    pods: [here('a', { spec: prefers([1, 'b']) })],
    policy: affinity('preferred'),
    expected: ['a'],
  },
  {
    name: 'both types',
    nodes: zones,
    pods: [
      here('required', { spec: requiresNodes(zone, 'b') }),
      here('preferred', { spec: prefers([1, 'b']) }),
      here('neither'),
    ],
    policy: affinity('required', 'preferred'),
    expected: ['preferred', 'required'],
  },
  { name: 'no pod without affinity', nodes: twoNodes, pods: [here('a')], policy: affinity('required'), expected: [] },
]

function byExpression(...matchExpressions: readonly object[]) {
  return withTerm(matchExpressions.length === 0 ? {} : { matchExpressions })
}

function byField(field: object) {
  return withTerm({ matchFields: [field] })
}

function withTerm(term: object) {
  return {
    affinity: {
      nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [term] } },
    },
  }
}
