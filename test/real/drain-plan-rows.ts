import type { Row, Step } from './definition-row.ts'
import { maintenance } from './node-maintenance-rows.ts'

const postgres = { matchLabels: { app: 'postgres' } }
const target = (podPriority: number, podType = 'Default', podSelector?: object) => ({
  podPriority,
  podType,
  ...(podSelector ? { podSelector } : {}),
})
const withPlan = (...drainPlan: unknown[]) => maintenance({ spec: { drainPlan } })
const wrongOrder = { field: 'spec.drainPlan', message: 'entries must be in the order Default, DaemonSet, Static' }
const twice = { field: 'spec.drainPlan', message: 'no entry may be there twice' }

/** As large as a plan may be: the rules must stay within what the API server spends on one object. */
const largestPlan = Array.from({ length: 64 }, (_, index) =>
  target(1_000, 'Default', {
    matchLabels: Object.fromEntries(
      Array.from({ length: 8 }, (_unused, label) => [`example.com/label-${label}`, `${'v'.repeat(55)}-${index}`]),
    ),
    matchExpressions: Array.from({ length: 4 }, (_unused, key) => ({
      key: `example.com/key-${key}`,
      operator: 'In',
      values: Array.from({ length: 16 }, (_value, value) => `${'v'.repeat(55)}-${value}`),
    })),
  }),
)

const good: Row[] = [
  {
    name: 'with a drain plan in the order of the types',
    create: withPlan(target(5), target(3, 'DaemonSet'), target(1, 'Static')),
  },
  {
    name: 'with a drain plan in ascending priority',
    create: withPlan(target(-2_147_483_648), target(0), target(2_147_483_647)),
  },
  {
    name: 'with a drain plan with a selector before none',
    create: withPlan(target(1), target(2, 'Default', postgres), target(2)),
  },
  {
    name: 'with a drain plan with two selectors at one priority, in the order of choice',
    create: withPlan(target(2, 'Default', postgres), target(2, 'Default', { matchLabels: { app: 'cart' } })),
  },
  {
    name: 'with a drain plan without a type, which is Default',
    create: withPlan({ podPriority: 5 }),
    reads: { spec: { drainPlan: [target(5)] } },
  },
  {
    name: 'with a drain plan with a selector by expressions',
    create: withPlan(target(5, 'Default', { matchExpressions: [{ key: 'tier', operator: 'NotIn', values: ['web'] }] })),
  },
  { name: 'with a drain plan without entries', create: withPlan() },
  { name: 'with a drain plan as large as can be', create: withPlan(...largestPlan) },
  {
    name: 'with a drain plan set late',
    create: maintenance(),
    steps: [{ update: { spec: { drainPlan: [target(5)] } } }],
  },
  {
    name: 'with a drain plan that was empty at first',
    create: withPlan(),
    steps: [{ update: { spec: { drainPlan: [target(5)] } } }],
  },
  {
    name: 'with a drain plan that is empty, from a client that leaves out empty lists',
    create: withPlan(),
    steps: [{ update: { spec: { drainPlan: undefined } } }],
  },
  {
    name: 'with a drain plan sent again as it is',
    create: withPlan(target(5), target(7)),
    steps: [{ update: { spec: { stage: 'Drain', drainPlan: [target(5), target(7)] } } }],
  },
]

const bad: Row[] = [
  {
    name: 'with a drain plan with DaemonSet after Static',
    create: withPlan(target(1, 'Static'), target(1, 'DaemonSet')),
    refused: wrongOrder,
  },
  {
    name: 'with a drain plan with Default last',
    create: withPlan(target(1, 'DaemonSet'), target(9)),
    refused: wrongOrder,
  },
  {
    name: 'with a drain plan in descending priority',
    create: withPlan(target(1), target(9), target(8)),
    refused: wrongOrder,
  },
  {
    name: 'with a drain plan with no selector before one',
    create: withPlan(target(1), target(1, 'Default', postgres)),
    refused: wrongOrder,
  },
  { name: 'with a drain plan with an entry twice', create: withPlan(target(1), target(1)), refused: twice },
  {
    name: 'with a drain plan with an entry twice, apart',
    create: withPlan(
      target(1, 'Default', postgres),
      target(1, 'Default', { matchLabels: { app: 'cart' } }),
      target(1, 'Default', postgres),
    ),
    refused: twice,
  },
  {
    name: 'with a drain plan with an entry twice, once without its default type',
    create: withPlan(target(1), { podPriority: 1 }),
    refused: twice,
  },
  {
    name: 'with a drain plan with an unknown type',
    create: withPlan(target(1, 'Job')),
    refused: { field: 'spec.drainPlan[0].podType', message: 'supported values: "Default", "DaemonSet", "Static"' },
  },
  {
    name: 'with a drain plan without a priority',
    create: withPlan({ podType: 'Default' }),
    refused: { field: 'spec.drainPlan[0].podPriority', message: 'Required value' },
  },
  {
    name: 'with a drain plan with a priority beyond 32 bits',
    create: withPlan(target(2 ** 31)),
    refused: { field: 'spec.drainPlan[0].podPriority', message: 'less than or equal to' },
  },
  {
    name: 'with a drain plan with a priority class in place of a priority',
    create: withPlan({ podPriority: 'system-node-critical' }),
    refused: { field: 'spec.drainPlan[0].podPriority', message: 'must be of type integer' },
  },
  {
    name: 'with a drain plan with an empty selector',
    create: withPlan(target(1, 'Default', {})),
    refused: { field: 'spec.drainPlan[0].podSelector', message: 'an empty selector is not allowed' },
  },
  {
    name: 'with a drain plan with a selector In no values',
    create: withPlan(target(1, 'Default', { matchExpressions: [{ key: 'app', operator: 'In' }] })),
    refused: { field: 'spec.drainPlan[0].podSelector.matchExpressions[0].values', message: 'need at least one value' },
  },
  {
    name: 'with a drain plan with an operator of node selectors',
    create: withPlan(target(1, 'Default', { matchExpressions: [{ key: 'app', operator: 'Gt', values: ['1'] }] })),
    refused: { field: 'spec.drainPlan[0].podSelector.matchExpressions[0].operator', message: 'supported values: "In"' },
  },
  {
    name: 'with a drain plan with a label value that is none',
    create: withPlan(target(1, 'Default', { matchLabels: { app: 'two words' } })),
    refused: { field: 'spec.drainPlan[0].podSelector.matchLabels.app', message: 'should match' },
  },
  {
    name: 'with a drain plan of 65 entries',
    create: withPlan(...Array.from({ length: 65 }, (_, index) => target(index))),
    refused: { field: 'spec.drainPlan', message: 'at most 64 items' },
  },
  {
    name: 'with a drain plan changed while Idle',
    create: withPlan(target(5)),
    steps: [{ update: { spec: { drainPlan: [target(6)] } } }],
    refused: { field: 'spec.drainPlan', message: 'drainPlan is immutable once set' },
  },
  {
    name: 'with a drain plan that grows',
    create: withPlan(target(5)),
    steps: [{ update: { spec: { drainPlan: [target(5), target(6)] } } }],
    refused: { field: 'spec.drainPlan', message: 'drainPlan is immutable once set' },
  },
  {
    name: 'with a drain plan taken away',
    create: withPlan(target(5)),
    steps: [{ update: { spec: { drainPlan: undefined } } }],
    refused: { field: 'spec.drainPlan', message: 'drainPlan is immutable once set' },
  },
]

const time = '2026-01-31T12:00:00Z'
const nodeStatus = (name: string) => ({ nodeRef: { name }, drainTargets: [target(5)], drainMessage: 'Evacuating' })
const given = (name: string, status: object, refused?: Row['refused']): Row => ({
  name: `given a status ${name}`,
  create: maintenance({ spec: { stage: 'Drain' } }),
  steps: [{ status } satisfies Step],
  ...(refused ? { refused } : {}),
})

export const nodeMaintenanceStatusRows: readonly Row[] = [
  given('in the midst of a drain', {
    stageStatuses: [{ name: 'Drain', startTimestamp: time }],
    drainStatus: {
      reachedDrainTargets: [target(5), target(5, 'Default', postgres)],
      drainMessage: 'Evacuating (limited by maintenance-b)',
      nodesTotal: 2,
      nodesDrained: 1,
      podsPendingEvacuation: 130,
      podsEvacuating: 17,
    },
    nodeStatuses: [nodeStatus('one'), nodeStatus('two')],
    conditions: [{ type: 'Drained', status: 'False', reason: 'PodsLeft', message: '', lastTransitionTime: time }],
  }),
  given('of 100 nodes', { nodeStatuses: Array.from({ length: 100 }, (_, index) => nodeStatus(`n${index}`)) }),
  given(
    'of 101 nodes',
    { nodeStatuses: Array.from({ length: 101 }, (_, index) => nodeStatus(`n${index}`)) },
    { field: 'status.nodeStatuses', message: 'at most 100 items' },
  ),
  given(
    'of a node without a name',
    { nodeStatuses: [{ nodeRef: {}, drainTargets: [] }] },
    { field: 'status.nodeStatuses[0].nodeRef.name', message: 'Required value' },
  ),
  given(
    'of a node without targets',
    { nodeStatuses: [{ nodeRef: { name: 'one' } }] },
    { field: 'status.nodeStatuses[0].drainTargets', message: 'Required value' },
  ),
  given(
    'with a stage twice',
    { stageStatuses: [{ name: 'Drain' }, { name: 'Drain' }] },
    { field: 'status.stageStatuses[1]', message: 'Duplicate value' },
  ),
  given(
    'with an unknown stage',
    { stageStatuses: [{ name: 'Paused' }] },
    { field: 'status.stageStatuses[0].name', message: 'supported values: "Idle"' },
  ),
  given(
    'with less than no pods',
    { drainStatus: { podsEvacuating: -1 } },
    { field: 'status.drainStatus.podsEvacuating', message: 'greater than or equal to 0' },
  ),
  given(
    'with a target of an unknown type',
    { drainStatus: { reachedDrainTargets: [target(5, 'Job')] } },
    { field: 'status.drainStatus.reachedDrainTargets[0].podType', message: 'supported values: "Default"' },
  ),
]

export const drainPlanRows: readonly Row[] = [...good, ...bad]
