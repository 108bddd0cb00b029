import { expect, test } from 'vitest'
import { buildReviewRequest } from '../../../test/build/review-request.ts'
import { defaultDrainPlan, withDefaultDrainPlan, type DrainPlanEntry } from '../../api/maintenance/drain-plan.ts'
import { mutateNodeMaintenance } from './mutate-node-maintenance.ts'

const nodeSelector = { nodeSelectorTerms: [{ matchExpressions: [{ key: 'pool', operator: 'Exists' }] }] }
const withPlan = (drainPlan?: unknown) => ({
  metadata: { name: 'upgrade' },
  spec: { nodeSelector, stage: 'Idle', ...(drainPlan === undefined ? {} : { drainPlan }) },
})
const creating = (object: unknown) => mutateNodeMaintenance(buildReviewRequest({ object }))
const changing = (oldObject: unknown, object: unknown) =>
  mutateNodeMaintenance(buildReviewRequest({ operation: 'UPDATE', oldObject, object }))
const puttingIn = (value: unknown) => ({
  allowed: true,
  patch: [{ op: 'add', path: '/spec/drainPlan', value }],
})

const entry = (podPriority: number, extra: object = {}) => ({ podPriority, podType: 'Default' as const, ...extra })
const own: readonly DrainPlanEntry[] = [
  entry(1_000),
  entry(2_000, { podSelector: { matchLabels: { app: 'postgres' } } }),
  { podPriority: 5, podType: 'DaemonSet' },
]
const whole = withDefaultDrainPlan(own)

test.each([
  { name: 'no plan', plan: undefined, expected: defaultDrainPlan },
  { name: 'an empty plan', plan: [], expected: defaultDrainPlan },
  { name: 'entries of its own', plan: own, expected: whole },
  { name: 'some of the default ones', plan: defaultDrainPlan.slice(3, 7), expected: defaultDrainPlan },
])('a new one with $name gets the default entries that it lacks', ({ plan, expected }) => {
  expect(creating(withPlan(plan))).toEqual(puttingIn(expected))
})

test('each default entry goes to its place', () => {
  expect(whole).toEqual([...own.slice(0, 2), ...defaultDrainPlan.slice(0, 4), own[2], ...defaultDrainPlan.slice(4)])
})

test('a new one that lacks none is left as it is', () => {
  expect(creating(withPlan(defaultDrainPlan))).toEqual({ allowed: true })
})

test.each([
  { name: 'the plan that was created', before: whole, plan: own, expected: puttingIn(whole) },
  { name: 'the plan that is stored', before: whole, plan: whole, expected: { allowed: true } },
  {
    name: 'no plan, of the default one',
    before: defaultDrainPlan,
    plan: undefined,
    expected: puttingIn(defaultDrainPlan),
  },
  {
    name: 'another plan, for the schema to refuse',
    before: whole,
    plan: [entry(7)],
    expected: puttingIn(withDefaultDrainPlan([entry(7)])),
  },
  { name: 'a first plan', before: undefined, plan: own, expected: puttingIn(whole) },
  { name: 'a stored plan to which nobody added anything', before: own, plan: own, expected: { allowed: true } },
])('a change that sends $name', ({ before, plan, expected }) => {
  expect(changing(withPlan(before), withPlan(plan))).toEqual(expected)
})

test.each([
  { name: 'nothing', object: undefined },
  { name: 'a text', object: 'NodeMaintenance' },
  { name: 'no spec', object: { metadata: {} } },
  { name: 'a spec that is a list', object: { spec: [] } },
  { name: 'a plan that is none', object: withPlan('all') },
  { name: 'null for a plan', object: withPlan(null) },
  { name: 'entries that are none', object: withPlan([7]) },
  { name: 'an unknown pod type', object: withPlan([{ podPriority: 1, podType: 'Virtual' }]) },
  { name: 'a priority beyond 32 bits', object: withPlan([entry(2 ** 31)]) },
  { name: 'a plan out of order', object: withPlan([entry(2), entry(1)]) },
  { name: 'an entry twice', object: withPlan([entry(1), entry(1)]) },
])('$name is left to the schema', ({ object }) => {
  expect(creating(object)).toEqual({ allowed: true })
})

const entries = (count: number) => Array.from({ length: count }, (_, index) => entry(index))

test('52 entries of its own have room for the default ones', () => {
  expect(creating(withPlan(entries(52)))).toMatchObject({ allowed: true })
})

test('for one more there is none, and it says why', () => {
  expect(creating(withPlan(entries(53)))).toMatchObject({
    allowed: false,
    code: 422,
    message: expect.stringMatching(
      /^spec\.drainPlan is \[.*…: must be a list of at most 52 entries, because 12 default ones are added to it$/,
    ) as string,
  })
})

const finalizer = 'nodemaintenance.k8s.io/maintenance-completion'
const inStage = (stage: string, metadata: object = {}) => ({
  metadata: { name: 'upgrade', ...metadata },
  spec: { nodeSelector, stage, drainPlan: defaultDrainPlan },
})
const withFinalizers = (value: readonly string[]) => ({
  allowed: true,
  patch: [{ op: 'add', path: '/metadata/finalizers', value }],
})

test.each([
  { name: 'is created to cordon', before: undefined, after: inStage('Cordon') },
  { name: 'is created to drain', before: undefined, after: inStage('Drain') },
  { name: 'goes from Idle to Drain', before: inStage('Idle'), after: inStage('Drain') },
])('one that $name gets its finalizer', ({ before, after }) => {
  expect(before === undefined ? creating(after) : changing(before, after)).toEqual(withFinalizers([finalizer]))
})

test('its finalizer comes behind those of others', () => {
  const finalizers = ['example.com/audit']
  expect(creating(inStage('Drain', { finalizers }))).toEqual(withFinalizers(['example.com/audit', finalizer]))
})

test.each([
  { name: 'is planned', before: undefined, after: inStage('Idle') },
  { name: 'is created at Complete', before: undefined, after: inStage('Complete') },
  { name: 'goes from Idle to Complete', before: inStage('Idle'), after: inStage('Complete') },
  { name: 'has it', before: undefined, after: inStage('Drain', { finalizers: [finalizer] }) },
  { name: 'had it taken off', before: inStage('Drain', { finalizers: [finalizer] }), after: inStage('Drain') },
  { name: 'goes on from Cordon to Drain', before: inStage('Cordon'), after: inStage('Drain') },
  {
    name: 'is being deleted',
    before: inStage('Idle'),
    after: inStage('Drain', { deletionTimestamp: '2026-01-01T00:00:00Z' }),
  },
  { name: 'has something else for finalizers', before: undefined, after: inStage('Drain', { finalizers: 'none' }) },
])('one that $name gets none', ({ before, after }) => {
  expect(before === undefined ? creating(after) : changing(before, after)).toEqual({ allowed: true })
})
