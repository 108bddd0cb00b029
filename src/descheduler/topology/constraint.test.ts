import { expect, test } from 'vitest'
import { nodeView, podView, type PodChoices } from '../../../test/build/descheduler-view.ts'
import type { TopologySpreadConstraint } from '../../api/kubernetes/scheduling.ts'
import { isCounted, selects, spreadConstraintOf } from './constraint.ts'

const basic: TopologySpreadConstraint = {
  maxSkew: 1,
  topologyKey: 'zone',
  whenUnsatisfiable: 'DoNotSchedule',
  labelSelector: { matchLabels: { app: 'web' } },
}
const parse = (choices: Partial<TopologySpreadConstraint>, carrier: Partial<PodChoices> = {}) =>
  spreadConstraintOf({ ...basic, ...choices }, podView({ name: 'p', ...carrier }).template)
const web = { labels: { app: 'web' } }
const hashed = (hash: string) => ({ labels: { app: 'web', hash } })

test.each([
  { name: 'the same', one: parse({}), other: parse({}), expected: true },
  { name: 'the same, one carried by a pod with other labels', one: parse({}), other: parse({}, web), expected: true },
  {
    name: 'the same but for what happens if it cannot hold',
    one: parse({}),
    other: parse({ whenUnsatisfiable: 'ScheduleAnyway' }),
    expected: true,
  },
  { name: 'the same but for minDomains', one: parse({}), other: parse({ minDomains: 3 }), expected: true },
  {
    name: 'the same with the defaults spelled out',
    one: parse({}),
    other: parse({ nodeAffinityPolicy: 'Honor', nodeTaintsPolicy: 'Ignore' }),
    expected: true,
  },
  { name: 'another skew', one: parse({}), other: parse({ maxSkew: 2 }), expected: false },
  { name: 'another key', one: parse({}), other: parse({ topologyKey: 'host' }), expected: false },
  { name: 'another selector', one: parse({}), other: parse({ labelSelector: {} }), expected: false },
  {
    name: 'pods of another revision',
    one: parse({ matchLabelKeys: ['hash'] }, hashed('a')),
    other: parse({ matchLabelKeys: ['hash'] }, hashed('b')),
    expected: false,
  },
  {
    name: 'the nodes that another pod selects',
    one: parse({}),
    other: parse({}, { nodeSelector: { os: 'linux' } }),
    expected: false,
  },
  {
    name: 'nodes whatever the pods select',
    one: parse({ nodeAffinityPolicy: 'Ignore' }),
    other: parse({ nodeAffinityPolicy: 'Ignore' }, { nodeSelector: { os: 'linux' } }),
    expected: true,
  },
  {
    name: 'nodes whatever the pods tolerate',
    one: parse({}),
    other: parse({}, { tolerations: [{ operator: 'Exists' }] }),
    expected: true,
  },
  {
    name: 'the nodes that another pod tolerates',
    one: parse({ nodeTaintsPolicy: 'Honor' }),
    other: parse({ nodeTaintsPolicy: 'Honor' }, { tolerations: [{ operator: 'Exists' }] }),
    expected: false,
  },
])('a constraint on $name is the same: $expected', ({ one, other, expected }) => {
  expect(one?.identity === other?.identity).toBe(expected)
})

test.each([
  { name: 'a pod with the label', pod: web, expected: true },
  { name: 'a pod without it', pod: {}, expected: false },
  { name: 'a pod of the same revision', choices: { matchLabelKeys: ['hash'] }, pod: hashed('a'), expected: true },
  { name: 'a pod of another revision', choices: { matchLabelKeys: ['hash'] }, pod: hashed('b'), expected: false },
  {
    name: 'any pod, if its own carrier lacks the key',
    choices: { matchLabelKeys: ['lacking'] },
    pod: hashed('b'),
    expected: true,
  },
  { name: 'everything with an empty selector', choices: { labelSelector: {} }, pod: {}, expected: true },
])('a constraint selects $name: $expected', ({ choices = {}, pod, expected }) => {
  const constraint = parse(choices, hashed('a'))
  expect(constraint !== undefined && selects(constraint, podView({ name: 'q', ...pod }).template)).toBe(expected)
})

test('a constraint without selector selects nothing, whatever its keys of labels', () => {
  const { labelSelector: _, ...rest } = basic
  const { template } = podView({ name: 'p', ...hashed('a') })
  expect(spreadConstraintOf(rest, template)).toBeUndefined()
  expect(spreadConstraintOf({ ...rest, matchLabelKeys: ['hash'] }, template)).toBeUndefined()
})

const linux = { nodeSelector: { os: 'linux' } }
const affine = {
  requiredNodeAffinity: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'os', operator: 'Exists' as const }] }] },
}
const tainted = (effect: string) => ({ taints: [{ key: 'gpu', effect }] })

test.each([
  { name: 'a node that the selector matches', carrier: linux, node: { labels: { os: 'linux' } }, expected: true },
  { name: 'a node that the selector does not match', carrier: linux, node: {}, expected: false },
  { name: 'a node that the affinity does not match', carrier: affine, node: {}, expected: false },
  {
    name: 'any node, if affinity is ignored',
    choices: { nodeAffinityPolicy: 'Ignore' },
    carrier: { ...linux, ...affine },
    node: {},
    expected: true,
  },
  { name: 'a tainted node', node: tainted('NoSchedule'), expected: true },
  {
    name: 'a tainted node, if taints are honoured',
    choices: { nodeTaintsPolicy: 'Honor' },
    node: tainted('NoSchedule'),
    expected: false,
  },
  {
    name: 'a node that expels, if taints are honoured',
    choices: { nodeTaintsPolicy: 'Honor' },
    node: tainted('NoExecute'),
    expected: false,
  },
  {
    name: 'a node that is avoided, if taints are honoured',
    choices: { nodeTaintsPolicy: 'Honor' },
    node: tainted('PreferNoSchedule'),
    expected: true,
  },
  {
    name: 'a tainted node that the carrier tolerates, if taints are honoured',
    choices: { nodeTaintsPolicy: 'Honor' },
    carrier: { tolerations: [{ key: 'gpu', operator: 'Exists' }] },
    node: tainted('NoSchedule'),
    expected: true,
  },
])('a constraint counts $name: $expected', ({ choices = {}, carrier = {}, node, expected }) => {
  const constraint = parse(choices, carrier)
  expect(constraint !== undefined && isCounted(nodeView({ name: 'n1', ...node }), constraint.nodes)).toBe(expected)
})
