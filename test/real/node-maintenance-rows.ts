import type { Row, RowObject } from './definition-row.ts'

export const named = (name: string) => ({
  matchFields: [{ key: 'metadata.name', operator: 'In', values: [name] }],
})
const labelled = (key: string, operator: string, values?: unknown) => ({
  matchExpressions: [{ key, operator, ...(values === undefined ? {} : { values }) }],
})

interface Options {
  readonly terms?: unknown
  readonly spec?: object
  readonly status?: object
}

export function maintenance({ terms = [named('one')], spec, status }: Options = {}): RowObject {
  return {
    apiVersion: 'nodemaintenance.k8s.io/v1alpha1',
    kind: 'NodeMaintenance',
    metadata: { name: 'maintenance-a' },
    spec: { nodeSelector: { nodeSelectorTerms: terms }, ...spec },
    ...(status ? { status } : {}),
  }
}

const withTerm = (term: unknown) => maintenance({ terms: [named('two'), term] })
const expressions = 'spec.nodeSelector.nodeSelectorTerms[1].matchExpressions[0]'
const fields = 'spec.nodeSelector.nodeSelectorTerms[1].matchFields[0]'

const good: Row[] = [
  {
    name: 'of a node and nothing else, which gets its defaults',
    create: maintenance(),
    reads: {
      spec: { stage: 'Idle' },
      status: { drainStatus: { nodesTotal: 0, nodesDrained: 0, podsPendingEvacuation: 0, podsEvacuating: 0 } },
    },
  },
  {
    name: 'that drains at once, with a reason',
    create: maintenance({ spec: { stage: 'Drain', reason: 'OS upgrade' } }),
  },
  { name: 'with the longest reason', create: maintenance({ spec: { reason: 'r'.repeat(1_024) } }) },
  {
    name: 'that selects by all operators',
    create: maintenance({
      terms: [
        labelled('pool', 'In', ['blue', 'green']),
        labelled('pool', 'NotIn', ['red']),
        labelled('node-role.kubernetes.io/worker', 'Exists'),
        labelled('node-role.kubernetes.io/control-plane', 'DoesNotExist', []),
        labelled('cores', 'Gt', ['16']),
        labelled('generation', 'Lt', ['-3']),
        { matchFields: [{ key: 'metadata.name', operator: 'NotIn', values: ['one'] }] },
        { ...labelled('pool', 'Exists'), ...named('one') },
      ],
    }),
  },
  { name: 'with an empty term, which selects no node', create: withTerm({}) },
  {
    name: 'of 256 nodes by name',
    create: maintenance({ terms: Array.from({ length: 256 }, (_, index) => named(`n${index}`)) }),
  },
  {
    name: 'with a status, which is dropped on creation',
    create: maintenance({ status: { drainStatus: { nodesTotal: 3 } } }),
    reads: { status: { drainStatus: { nodesTotal: 0 } } },
  },
]

const badSelectors: Row[] = [
  {
    name: 'without a spec',
    create: { ...maintenance(), spec: undefined },
    refused: { field: 'spec', message: 'Required value' },
  },
  {
    name: 'without a node selector',
    create: maintenance({ spec: { nodeSelector: undefined } }),
    refused: { field: 'spec.nodeSelector', message: 'Required value' },
  },
  {
    name: 'with an empty node selector',
    create: maintenance({ spec: { nodeSelector: {} } }),
    refused: { field: 'spec.nodeSelector.nodeSelectorTerms', message: 'Required value' },
  },
  {
    name: 'without a term',
    create: maintenance({ terms: [] }),
    refused: { field: 'spec.nodeSelector.nodeSelectorTerms', message: 'at least 1 items' },
  },
  {
    name: 'with 257 terms',
    create: maintenance({ terms: Array.from({ length: 257 }, () => named('one')) }),
    refused: { field: 'spec.nodeSelector.nodeSelectorTerms', message: 'at most 256 items' },
  },
  {
    name: 'with an unknown operator',
    create: withTerm(labelled('pool', 'Equals', ['blue'])),
    refused: { field: `${expressions}.operator`, message: 'supported values: "In", "NotIn"' },
  },
  {
    name: 'with an operator missing',
    create: withTerm({ matchExpressions: [{ key: 'pool' }] }),
    refused: { field: `${expressions}.operator`, message: 'Required value' },
  },
  {
    name: 'with a key missing',
    create: withTerm({ matchExpressions: [{ operator: 'Exists' }] }),
    refused: { field: `${expressions}.key`, message: 'Required value' },
  },
  {
    name: 'with a key that is no label',
    create: withTerm(labelled('not a label', 'Exists')),
    refused: { field: `${expressions}.key`, message: 'should match' },
  },
  {
    name: 'with In and no values',
    create: withTerm(labelled('pool', 'In')),
    refused: { field: `${expressions}.values`, message: 'operators In and NotIn need at least one value' },
  },
  {
    name: 'with NotIn and an empty list',
    create: withTerm(labelled('pool', 'NotIn', [])),
    refused: { field: `${expressions}.values`, message: 'operators In and NotIn need at least one value' },
  },
  {
    name: 'with Exists and a value',
    create: withTerm(labelled('pool', 'Exists', ['blue'])),
    refused: { field: `${expressions}.values`, message: 'operators Exists and DoesNotExist take no values' },
  },
  {
    name: 'with Gt and a word',
    create: withTerm(labelled('cores', 'Gt', ['many'])),
    refused: { field: `${expressions}.values`, message: 'operators Gt and Lt need exactly one value, an integer' },
  },
  {
    name: 'with Lt and two values',
    create: withTerm(labelled('cores', 'Lt', ['1', '2'])),
    refused: { field: `${expressions}.values`, message: 'operators Gt and Lt need exactly one value, an integer' },
  },
  {
    name: 'with Gt and a number without quotes',
    create: withTerm(labelled('cores', 'Gt', [16])),
    refused: { field: `${expressions}.values[0]`, message: 'must be of type string' },
  },
  {
    name: 'with a field that is not the name',
    create: withTerm({ matchFields: [{ key: 'spec.unschedulable', operator: 'In', values: ['true'] }] }),
    refused: { field: `${fields}.key`, message: 'supported values: "metadata.name"' },
  },
  {
    name: 'with a field that should exist',
    create: withTerm({ matchFields: [{ key: 'metadata.name', operator: 'Exists', values: ['one'] }] }),
    refused: { field: `${fields}.operator`, message: 'supported values: "In", "NotIn"' },
  },
  {
    name: 'with a field of two values',
    create: withTerm({ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['one', 'two'] }] }),
    refused: { field: `${fields}.values`, message: 'at most 1 item' },
  },
]

const badFields: Row[] = [
  {
    name: 'in an unknown stage',
    create: maintenance({ spec: { stage: 'Drained' } }),
    refused: { field: 'spec.stage', message: 'supported values: "Idle", "Cordon", "Drain", "Complete"' },
  },
  {
    name: 'with a reason beyond 1024 characters',
    create: maintenance({ spec: { reason: 'r'.repeat(1_025) } }),
    refused: { field: 'spec.reason', message: 'may not be more than 1024' },
  },
]

const stageMoves: Row[] = [
  ['Idle', 'Cordon'],
  ['Idle', 'Drain'],
  ['Idle', 'Complete'],
  ['Cordon', 'Cordon'],
  ['Cordon', 'Drain'],
  ['Cordon', 'Complete'],
  ['Drain', 'Complete'],
].map(([from, to]) => ({
  name: `that goes from ${from} to ${to}`,
  create: maintenance({ spec: { stage: from } }),
  steps: [{ update: { spec: { stage: to } } }],
  reads: { spec: { stage: to } },
}))

const badStageMoves: Row[] = [
  ['Cordon', 'Idle'],
  ['Drain', 'Idle'],
  ['Drain', 'Cordon'],
  ['Complete', 'Idle'],
  ['Complete', 'Cordon'],
  ['Complete', 'Drain'],
].map(([from, to]) => ({
  name: `that goes from ${from} back to ${to}`,
  create: maintenance({ spec: { stage: from } }),
  steps: [{ update: { spec: { stage: to } } }],
  refused: { field: 'spec.stage', message: `stage cannot go from ${from} to ${to}` },
}))

const updates: Row[] = [
  {
    name: 'whose stage is left out of an update, which would be Idle',
    create: maintenance({ spec: { stage: 'Drain' } }),
    steps: [{ update: { spec: { stage: undefined } } }],
    refused: { field: 'spec.stage', message: 'stage cannot go from Drain to Idle' },
  },
  {
    name: 'that selects other nodes while Idle',
    create: maintenance(),
    steps: [{ update: { spec: { nodeSelector: { nodeSelectorTerms: [named('two')] } } } }],
  },
  {
    name: 'that selects other nodes as it leaves Idle',
    create: maintenance(),
    steps: [{ update: { spec: { stage: 'Drain', nodeSelector: { nodeSelectorTerms: [named('two')] } } } }],
  },
  {
    name: 'that selects other nodes once it drains',
    create: maintenance({ spec: { stage: 'Drain' } }),
    steps: [{ update: { spec: { nodeSelector: { nodeSelectorTerms: [named('two')] } } } }],
    refused: { field: 'spec.nodeSelector', message: 'nodeSelector is immutable once the stage has left Idle' },
  },
  {
    name: 'that selects other nodes as it completes',
    create: maintenance({ spec: { stage: 'Cordon' } }),
    steps: [{ update: { spec: { stage: 'Complete', nodeSelector: { nodeSelectorTerms: [named('two')] } } } }],
    refused: { field: 'spec.nodeSelector', message: 'nodeSelector is immutable once the stage has left Idle' },
  },
  {
    name: 'whose reason changes at any time',
    create: maintenance({ spec: { stage: 'Drain', reason: 'OS upgrade' } }),
    steps: [{ update: { spec: { reason: 'OS upgrade, second try' } } }],
  },
]

export const nodeMaintenanceRows: readonly Row[] = [
  ...good,
  ...badSelectors,
  ...badFields,
  ...stageMoves,
  ...badStageMoves,
  ...updates,
]
