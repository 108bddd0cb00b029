import Type from 'typebox'
import { blockerKinds, type Blocker } from './blocker.ts'
import type { KubernetesObject } from '../kubernetes/meta.ts'
import { int32, integer, oneOf, text, timestamp, type Described } from '../schema/schema.ts'
import { validateSchema } from '../schema/validate-schema.ts'

// A Blocker as the status of an Evacuation has it, so that a client that shows it reads no sentence. Its pod is that
// of the Evacuation; durations are in seconds, as everywhere in the API.

const limits = { messageLengthMax: 1_024, nameLengthMax: 320, itemsMax: 32 } as const

const name = (description: string) => Type.Optional(text({ description, maxLength: limits.nameLengthMax }))
const number = (description: string) =>
  Type.Optional(integer({ description, minimum: int32.minimum, maximum: int32.maximum }))
const seconds = (description: string) =>
  Type.Optional(Type.Integer({ description, format: 'int64', minimum: 0, maximum: Number.MAX_SAFE_INTEGER }))

const budgetSchema = Type.Object(
  {
    name: text({ description: 'Name of the budget.', maxLength: limits.nameLengthMax }),
    healthy: integer({ description: 'Healthy pods under it.', minimum: int32.minimum, maximum: int32.maximum }),
    needed: integer({ description: 'Healthy pods that it asks for.', minimum: int32.minimum, maximum: int32.maximum }),
  },
  { description: 'One of several budgets that cover the pod.' },
)

const blockedBySchema = Type.Object(
  {
    kind: oneOf(blockerKinds, { description: 'What it is; says which of the other fields are there.' }),
    budget: name('The PodDisruptionBudget that refuses the eviction.'),
    healthy: number('Healthy pods under the budget.'),
    needed: number('Healthy pods that the budget asks for.'),
    unhealthyPodEvictionPolicy: Type.Optional(
      oneOf(['IfHealthyBudget'], {
        description: 'The policy by which the budget keeps the pod although it is not ready; left out for a ready pod.',
      }),
    ),
    budgets: Type.Optional(
      Type.Array(budgetSchema, {
        description: 'The budgets that cover the pod, where there is more than one.',
        maxItems: limits.itemsMax,
        'x-kubernetes-list-type': 'atomic',
      }),
    ),
    message: Type.Optional(
      text({ description: 'In the words of who refuses or fails.', maxLength: limits.messageLengthMax }),
    ),
    webhook: name('The admission webhook that does not answer.'),
    replacement: name('The pod that is to take the place of this one.'),
    owner: name('The workload that the pod belongs to.'),
    limit: name('What of the workload limits how many of its pods move at once.'),
    allowed: number('How many may move at once.'),
    evacuatorClass: name('The evacuator whose turn it is.'),
    finalizers: Type.Optional(
      Type.Array(text({ description: 'A finalizer.', maxLength: limits.nameLengthMax }), {
        description: 'What holds the pod although it is deleted.',
        maxItems: limits.itemsMax,
        'x-kubernetes-list-type': 'atomic',
      }),
    ),
    node: name('The node of the pod.'),
    nodeReady: Type.Optional(
      oneOf(['False', 'Unknown'], {
        description: 'The condition Ready of the node: Unknown where it does not report.',
      }),
    ),
    since: Type.Optional(timestamp('Since when the node has not been ready.')),
    folder: name('Where the agent of the node looks for manifests.'),
    component: name('The part of the control plane that the pod is.'),
    podPriority: number('Priority of the pod.'),
    podType: Type.Optional(oneOf(['DaemonSet', 'Static'], { description: 'The type of the pod, where it matters.' })),
    waitedSeconds: seconds('For how long its controller has been asked to take the pod away.'),
    timeoutSeconds: seconds('For how long its controller may take.'),
    silentSeconds: seconds('For how long the evacuator has reported no progress.'),
    deadlineSeconds: seconds('For how long it may.'),
    elapsedSeconds: seconds('For how long the pod has been terminating.'),
    graceSeconds: seconds('Its grace period.'),
  },
  { description: 'Something that keeps the pod where it is, for programs.' },
)

export type BlockedBy = Described<typeof blockedBySchema>

export const blockedByList = Type.Array(blockedBySchema, {
  description: 'What keeps the pod where it is while the condition Blocked is True, for programs; as it was then.',
  maxItems: limits.itemsMax,
  'x-kubernetes-list-type': 'atomic',
})

/** What each kind cannot do without. The compiler sees to it that no kind is left out, and no field. */
const fields: { readonly [Kind in Blocker['kind']]: readonly RequiredField<Extract<Blocker, { kind: Kind }>>[] } = {
  budget: ['budget', 'healthy', 'needed'],
  budgetUnclear: ['message'],
  manyBudgets: [],
  admission: ['message'],
  throttled: [],
  evictionFailed: ['message'],
  evictionForbidden: ['message'],
  replacementUnschedulable: ['replacement', 'message'],
  replacementNotReady: ['replacement', 'message'],
  replacementRefused: ['owner', 'message'],
  turn: ['owner', 'limit', 'allowed'],
  controllerTakeover: ['waitedMs', 'timeoutMs'],
  silentEvacuator: ['evacuatorClass', 'silentMs', 'deadlineMs'],
  finalizers: ['finalizers'],
  terminating: ['elapsedMs', 'graceMs'],
  silentNode: ['node', 'nodeReady', 'since'],
  notUnderMaintenance: ['node'],
  beyondDrainTargets: ['node', 'podPriority'],
  holdNotCalled: ['node', 'owner'],
  cameBackUnheld: ['node', 'owner'],
  noAgent: ['node'],
  staticPodFromUrl: ['node'],
  manifestNotFound: ['node', 'folder'],
  manifestPathIsFile: ['node', 'folder'],
  agentFailed: ['node', 'message'],
  lastControlPlane: ['node', 'component', 'healthy', 'needed'],
  notEvictable: ['podType'],
}

type RequiredField<T> = Exclude<keyof T, 'pod' | 'kind' | 'budgets' | 'unhealthyPodEvictionPolicy'>

export function blockedBy({ pod: _, ...blocker }: Blocker): BlockedBy {
  const entries = Object.entries(blocker).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries.map(([key, value]) => written(key, value))) as BlockedBy
}

/** What blocks an Evacuation, typed; undefined if nothing does, or if the evacuator says it in words only. */
export function blockerOf(evacuation: BlockedObject): Blocker | undefined {
  const [first] = evacuation.status?.blockedBy ?? []
  if (first === undefined || validateSchema(blockedBySchema, first).length > 0) return undefined
  const { namespace } = evacuation.metadata
  const pod = { namespace, ...evacuation.spec.podRef }
  const entries = Object.entries(first).map(([key, value]) => read(key, value))
  const blocker = { pod, ...Object.fromEntries(entries) } as Blocker
  return fields[blocker.kind].every((field) => Object.hasOwn(blocker, field)) ? blocker : undefined
}

interface BlockedObject extends KubernetesObject {
  readonly spec: { readonly podRef: { readonly name: string; readonly uid: string } }
  readonly status?: { readonly blockedBy?: readonly object[] }
}

function written(key: string, value: unknown): [string, unknown] {
  if (key.endsWith('Ms') && typeof value === 'number') {
    return [`${key.slice(0, -'Ms'.length)}Seconds`, Math.max(0, Math.floor(value / 1_000))]
  }
  if (Array.isArray(value)) return [key, value.slice(0, limits.itemsMax)]
  const lengthMax = key === 'message' ? limits.messageLengthMax : limits.nameLengthMax
  return [key, typeof value === 'string' ? value.slice(0, lengthMax).toWellFormed() : value]
}

function read(key: string, value: unknown): [string, unknown] {
  if (!key.endsWith('Seconds') || typeof value !== 'number') return [key, value]
  return [`${key.slice(0, -'Seconds'.length)}Ms`, value * 1_000]
}
