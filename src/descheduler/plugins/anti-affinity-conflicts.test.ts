import fc from 'fast-check'
import { expect, test } from 'vitest'
import { nodeView, podView, type PodChoices } from '../../../test/build/descheduler-view.ts'
import type { PodView } from '../view.ts'
import { AntiAffinityConflicts } from './anti-affinity-conflicts.ts'

const nodes = [
  nodeView({ name: 'n1', labels: { zone: 'a' } }),
  nodeView({ name: 'n2', labels: { zone: 'a' } }),
  nodeView({ name: 'n3', labels: { zone: 'b' } }),
  nodeView({ name: 'n4', labels: {} }),
]

interface Row {
  readonly name: string
  readonly selector: NonNullable<PodChoices['antiAffinity']>[number]['labelSelector']
  readonly expected: boolean
}

const rows: readonly Row[] = [
  { name: 'a label', selector: { matchLabels: { app: 'web' } }, expected: true },
  { name: 'a label with another value', selector: { matchLabels: { app: 'db' } }, expected: false },
  {
    name: 'two labels, of which one is another',
    selector: { matchLabels: { app: 'web', tier: 'back' } },
    expected: false,
  },
  {
    name: 'a list of values',
    selector: { matchExpressions: [{ key: 'app', operator: 'In', values: ['db', 'web', 'web'] }] },
    expected: true,
  },
  {
    name: 'a list of other values',
    selector: { matchExpressions: [{ key: 'app', operator: 'In', values: ['db'] }] },
    expected: false,
  },
  {
    name: 'a label that must be there',
    selector: { matchExpressions: [{ key: 'tier', operator: 'Exists' }] },
    expected: true,
  },
  {
    name: 'a label that must not be there',
    selector: { matchExpressions: [{ key: 'tier', operator: 'DoesNotExist' }] },
    expected: false,
  },
  {
    name: 'a label, and a value that it must not have',
    selector: {
      matchLabels: { app: 'web' },
      matchExpressions: [{ key: 'tier', operator: 'NotIn', values: ['front'] }],
    },
    expected: false,
  },
  { name: 'everything', selector: {}, expected: true },
]

test.each(rows)('a rule may be about $name', ({ selector, expected }) => {
  const antiAffinity = [{ topologyKey: 'zone', ...(selector === undefined ? {} : { labelSelector: selector }) }]
  const carrier = podView({ name: 'carrier', labels: { app: 'other', tier: 'none' }, antiAffinity })
  const beside = podView({ name: 'beside', labels: { app: 'web', tier: 'front' } })
  expect(new AntiAffinityConflicts(nodes, [carrier, beside]).has(carrier)).toBe(expected)
})

test('a rule without a selector is about nothing', () => {
  const carrier = podView({ name: 'carrier', antiAffinity: [{ topologyKey: 'zone' }] })
  expect(new AntiAffinityConflicts(nodes, [carrier, podView({ name: 'beside' })]).has(carrier)).toBe(false)
})

const apps = ['web', 'db']
const spaces = ['shop', 'bank']
const drawnTerm = fc.record({
  app: fc.constantFrom(...apps),
  topologyKey: fc.constantFrom('zone', 'rack'),
  namespaces: fc.subarray(spaces),
  isList: fc.boolean(),
})
const drawnPods = fc
  .uniqueArray(
    fc.record({
      name: fc.constantFrom('a', 'b', 'c', 'd'),
      namespace: fc.constantFrom(...spaces),
      nodeName: fc.constantFrom('n1', 'n2', 'n3', 'n4'),
      app: fc.constantFrom(...apps),
      terms: fc.array(drawnTerm, { maxLength: 2 }),
    }),
    { selector: ({ namespace, name }) => `${namespace}/${name}` },
  )
  .map((list) =>
    list.map(({ app, terms, ...rest }) =>
      podView({
        ...rest,
        labels: { app },
        antiAffinity: terms.map(({ app: about, isList, ...term }) => ({
          ...term,
          labelSelector: isList
            ? { matchExpressions: [{ key: 'app', operator: 'In' as const, values: [about] }] }
            : { matchLabels: { app: about } },
        })),
      }),
    ),
  )

/** As upstream looks: at every pod, for every term. */
function isInConflict(pod: PodView, others: readonly PodView[]): boolean {
  const labelsOf = ({ nodeName }: PodView) => nodes.find(({ name }) => name === nodeName)?.labels ?? {}
  return pod.template.antiAffinity.some(({ topologyKey, namespaces = [], labelSelector }) => {
    const about = labelSelector?.matchLabels?.['app'] ?? labelSelector?.matchExpressions?.[0]?.values?.[0]
    return others.some(
      (other) =>
        other.name !== pod.name &&
        (namespaces.length === 0 ? [pod.namespace] : namespaces).includes(other.namespace) &&
        other.template.labels['app'] === about &&
        (other.nodeName === pod.nodeName ||
          (labelsOf(pod)[topologyKey] !== undefined && labelsOf(pod)[topologyKey] === labelsOf(other)[topologyKey])),
    )
  })
}

test('answers as a look at every pod does, while pods leave', () => {
  fc.assert(
    fc.property(drawnPods, fc.array(fc.nat(7), { maxLength: 4 }), (pods, leaving) => {
      const conflicts = new AntiAffinityConflicts(nodes, pods)
      let present = pods
      const compare = () =>
        expect(present.map((pod) => conflicts.has(pod))).toEqual(present.map((pod) => isInConflict(pod, present)))
      compare()
      for (const index of leaving) {
        const [left] = present.slice(index, index + 1)
        if (left === undefined) continue
        conflicts.remove(left)
        present = present.filter((pod) => pod !== left)
        compare()
      }
    }),
    { numRuns: 300 },
  )
})
