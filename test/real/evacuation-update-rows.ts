import type { Row, Step } from './definition-row.ts'
import { evacuation } from './evacuation-rows.ts'

const operator = { evacuatorClass: 'operator.example.com', priority: 11_000, role: 'knowledgeable' }
const fallback = { evacuatorClass: 'fallback.example.com', priority: 2_000 }
const withOperator = evacuation({ spec: { evacuators: [operator], progressDeadlineSeconds: 3_600 } })

const now = '2026-01-31T12:00:00Z'
const condition = { type: 'Blocked', status: 'True', reason: 'Budget', message: '', lastTransitionTime: now }

const goodUpdates: Row[] = [
  {
    name: 'updated in its labels',
    create: evacuation(),
    steps: [{ update: { metadata: { labels: { app: 'cart' } } } }],
    reads: { metadata: { labels: { app: 'cart' } } },
  },
  {
    name: 'without evacuators, from a client that leaves out empty lists',
    create: evacuation({ spec: { evacuators: [] } }),
    steps: [{ update: { spec: { evacuators: undefined } } }],
  },
  {
    name: 'without evacuators, from a client that sends empty lists',
    create: evacuation(),
    steps: [{ update: { spec: { evacuators: [] } } }],
  },
  {
    name: 'whose evacuators are sent again in another order',
    create: evacuation({ spec: { evacuators: [operator, fallback] } }),
    steps: [{ update: { spec: { evacuators: [fallback, operator] } } }],
  },
]

const badUpdates: Row[] = [
  {
    name: 'turned to another pod',
    create: withOperator,
    steps: [{ update: { spec: { podRef: { name: 'cart-8' } } } }],
    refused: { field: 'spec.podRef', message: 'podRef is immutable' },
  },
  {
    name: 'turned to another UID',
    create: withOperator,
    steps: [{ update: { spec: { podRef: { uid: '0f9e7cb7-8d4c-4f0a-9c1e-2f4d5a6b7c8d' } } } }],
    refused: { field: 'spec.podRef', message: 'podRef is immutable' },
  },
  {
    name: 'given another deadline',
    create: withOperator,
    steps: [{ update: { spec: { progressDeadlineSeconds: 3_601 } } }],
    refused: { field: 'spec.progressDeadlineSeconds', message: 'progressDeadlineSeconds is immutable' },
  },
  {
    name: 'set back to the default deadline by leaving it out',
    create: withOperator,
    steps: [{ update: { spec: { progressDeadlineSeconds: undefined } } }],
    refused: { field: 'spec.progressDeadlineSeconds', message: 'progressDeadlineSeconds is immutable' },
  },
  {
    name: 'given its first evacuator late',
    create: evacuation(),
    steps: [{ update: { spec: { evacuators: [operator] } } }],
    refused: { field: 'spec.evacuators', message: 'evacuators are immutable' },
  },
  {
    name: 'given one more evacuator',
    create: withOperator,
    steps: [{ update: { spec: { evacuators: [operator, fallback] } } }],
    refused: { field: 'spec.evacuators', message: 'evacuators are immutable' },
  },
  {
    name: 'robbed of an evacuator',
    create: evacuation({ spec: { evacuators: [operator, fallback] } }),
    steps: [{ update: { spec: { evacuators: [fallback] } } }],
    refused: { field: 'spec.evacuators', message: 'evacuators are immutable' },
  },
  {
    name: 'robbed of all evacuators',
    create: withOperator,
    steps: [{ update: { spec: { evacuators: undefined } } }],
    refused: { field: 'spec.evacuators', message: 'evacuators are immutable' },
  },
  {
    name: 'whose evacuator gets another priority',
    create: withOperator,
    steps: [{ update: { spec: { evacuators: [{ ...operator, priority: 1 }] } } }],
    refused: { field: 'spec.evacuators', message: 'evacuators are immutable' },
  },
  {
    name: 'whose evacuator loses its role',
    create: withOperator,
    steps: [{ update: { spec: { evacuators: [{ evacuatorClass: 'operator.example.com', priority: 11_000 }] } } }],
    refused: { field: 'spec.evacuators', message: 'evacuators are immutable' },
  },
]

const goodStatuses: Row[] = [
  ['that selects one of its evacuators', [{ activeEvacuatorClass: 'operator.example.com' }]],
  [
    'that reports progress',
    [{ evacuationProgressTimestamp: now, expectedEvacuationFinishTime: now, message: 'Moving' }],
  ],
  ['that takes back its expected finish', [{ expectedEvacuationFinishTime: now }, {}]],
  ['that completes', [{ activeEvacuatorClass: 'operator.example.com', activeEvacuatorCompleted: true }]],
  ['that forbids cancellation and allows it again', [{ evacuationCancellationPolicy: 'Forbid' }, {}]],
  ['that counts failures and stays there', [{ failedEvictionCounter: 2 }, { failedEvictionCounter: 2 }]],
  ['with the longest message', [{ message: 'm'.repeat(32_768) }]],
  ['with two conditions', [{ conditions: [condition, { ...condition, type: 'example.com/Draining' }] }]],
].map(([name, statuses]) => ({
  name: `given a status ${name as string}`,
  create: withOperator,
  steps: (statuses as object[]).map((status): Step => ({ status })),
}))

const badStatus = (name: string, statuses: object[], refused: { field: string; message: string }): Row => ({
  name: `given a status ${name}`,
  create: withOperator,
  steps: statuses.map((status): Step => ({ status })),
  refused,
})

const badStatuses: Row[] = [
  badStatus('that selects a stranger', [{ activeEvacuatorClass: 'stranger.example.com' }], {
    field: 'status.activeEvacuatorClass',
    message: 'activeEvacuatorClass must be one of spec.evacuators',
  }),
  {
    name: 'without evacuators given a status that selects one',
    create: evacuation(),
    steps: [{ status: { activeEvacuatorClass: 'operator.example.com' } }],
    refused: { field: 'status.activeEvacuatorClass', message: 'activeEvacuatorClass must be one of spec.evacuators' },
  },
  badStatus('that selects nobody by an empty name', [{ activeEvacuatorClass: '' }], {
    field: 'status.activeEvacuatorClass',
    message: 'at least 1 chars long',
  }),
  badStatus('that selects by what is no class', [{ activeEvacuatorClass: 'Operator' }], {
    field: 'status.activeEvacuatorClass',
    message: 'should match',
  }),
  badStatus('whose failures become fewer', [{ failedEvictionCounter: 3 }, { failedEvictionCounter: 2 }], {
    field: 'status.failedEvictionCounter',
    message: 'failedEvictionCounter may only grow',
  }),
  badStatus('whose failures are left out', [{ failedEvictionCounter: 3 }, { message: 'Starting over' }], {
    field: 'status.failedEvictionCounter',
    message: 'failedEvictionCounter may only grow',
  }),
  badStatus('with less than no failures', [{ failedEvictionCounter: -1 }], {
    field: 'status.failedEvictionCounter',
    message: 'greater than or equal to 0',
  }),
  badStatus('with more failures than a counter holds', [{ failedEvictionCounter: 2 ** 31 }], {
    field: 'status.failedEvictionCounter',
    message: 'less than or equal to',
  }),
  badStatus('with an unknown cancellation policy', [{ evacuationCancellationPolicy: 'Maybe' }], {
    field: 'status.evacuationCancellationPolicy',
    message: 'supported values: "Allow", "Forbid"',
  }),
  badStatus('with a message beyond 32768 characters', [{ message: 'm'.repeat(32_769) }], {
    field: 'status.message',
    message: 'may not be more than 32768',
  }),
  badStatus('whose progress is no time', [{ evacuationProgressTimestamp: 'soon' }], {
    field: 'status.evacuationProgressTimestamp',
    message: 'date-time',
  }),
  badStatus('whose expected finish is a day', [{ expectedEvacuationFinishTime: '2026-01-31' }], {
    field: 'status.expectedEvacuationFinishTime',
    message: 'date-time',
  }),
  badStatus('that is completed in words', [{ activeEvacuatorCompleted: 'yes' }], {
    field: 'status.activeEvacuatorCompleted',
    message: 'must be of type boolean',
  }),
  badStatus('with a condition that is there twice', [{ conditions: [condition, condition] }], {
    field: 'status.conditions[1]',
    message: 'Duplicate value',
  }),
  badStatus('with a condition without a reason', [{ conditions: [{ ...condition, reason: undefined }] }], {
    field: 'status.conditions[0].reason',
    message: 'Required value',
  }),
  badStatus('with a condition that may be', [{ conditions: [{ ...condition, status: 'Maybe' }] }], {
    field: 'status.conditions[0].status',
    message: 'supported values: "True", "False", "Unknown"',
  }),
]

export const evacuationUpdateRows: readonly Row[] = [...goodUpdates, ...badUpdates, ...goodStatuses, ...badStatuses]
