import { expect, test } from 'vitest'
import { podView, type PodChoices } from '../../../test/build/descheduler-view.ts'
import type { PodView } from '../view.ts'
import type { SpreadConstraint } from './constraint.ts'
import { NamespacePods } from './namespace-pods.ts'

const spread = (whenUnsatisfiable: string, app = 'web') => ({
  maxSkew: 1,
  topologyKey: 'zone',
  whenUnsatisfiable,
  labelSelector: { matchLabels: { app } },
})
const hard = { spreadConstraints: [spread('DoNotSchedule')] }
const soft = { spreadConstraints: [spread('ScheduleAnyway', 'soft')] }
const pod = (name: string, choices: Partial<PodChoices> = {}) => podView({ name, labels: { app: 'web' }, ...choices })
const isEvictable = ({ name }: PodView) => !name.startsWith('kept')

function constraintsOf(pods: readonly PodView[], kinds: readonly string[] = ['DoNotSchedule']) {
  const of = new NamespacePods()
  for (const one of pods) of.add(one)
  const steps = of.constraints(kinds, isEvictable)
  let step = steps.next()
  while (step.done !== true) step = steps.next()
  return { of, constraints: step.value }
}

test.each([
  { name: 'one, if all pods have the same', pods: [pod('a', hard), pod('b', hard), pod('c')], expected: 1 },
  { name: 'none of a kind that the policy leaves out', pods: [pod('a', soft)], expected: 0 },
  {
    name: 'those of every kind that the policy names',
    pods: [pod('a', soft), pod('b', hard)],
    kinds: ['DoNotSchedule', 'ScheduleAnyway'],
    expected: 2,
  },
  { name: 'none of protected pods', pods: [pod('kept', hard)], expected: 0 },
  {
    name: 'those of terminating pods that may be evicted',
    pods: [pod('a', { ...hard, isTerminating: true })],
    expected: 1,
  },
  {
    name: 'none without a selector',
    pods: [pod('a', { spreadConstraints: [{ maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule' }] })],
    expected: 0,
  },
])('the constraints of a namespace are $name', ({ pods, kinds, expected }) => {
  expect(constraintsOf(pods, kinds).constraints).toHaveLength(expected)
})

const selecting = (selector: SpreadConstraint['selector']): SpreadConstraint => ({
  maxSkew: 1,
  topologyKey: 'zone',
  selector,
  nodes: { allowedOn: undefined, tolerations: undefined, identity: '' },
  identity: '',
})
const all = [
  pod('a', { labels: { app: 'web', tier: 'front' } }),
  pod('b', { labels: { app: 'web' } }),
  pod('c', { labels: { app: 'db', tier: 'front' } }),
  pod('kept'),
  pod('z', { isTerminating: true }),
]

test.each([
  { name: 'one label', selector: { matchLabels: { app: 'web' } }, expected: ['a', 'b'] },
  { name: 'two labels', selector: { matchLabels: { tier: 'front', app: 'web' } }, expected: ['a'] },
  { name: 'a label that no pod has', selector: { matchLabels: { app: 'other' } }, expected: [] },
  {
    name: 'an expression alone',
    selector: { matchExpressions: [{ key: 'tier', operator: 'Exists' as const }] },
    expected: ['a', 'c'],
  },
  { name: 'nothing in particular', selector: {}, expected: ['a', 'b', 'c'] },
])(
  'a constraint that selects by $name counts pods that may be evicted and are not terminating',
  ({ selector, expected }) => {
    const { of } = constraintsOf(all)
    expect(of.selectedBy(selecting(selector), isEvictable).map(({ name }) => name)).toEqual(expected)
  },
)

test('each pod is asked about once', () => {
  const asked: string[] = []
  const of = new NamespacePods()
  for (const one of all) of.add(one)
  const ask = ({ name }: PodView) => asked.push(name) > 0
  of.selectedBy(selecting({}), ask)
  of.selectedBy(selecting({ matchLabels: { app: 'web' } }), ask)
  expect(asked).toEqual(all.map(({ name }) => name))
})
