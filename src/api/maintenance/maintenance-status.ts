import Type from 'typebox'
import Value from 'typebox/value'
import { drainPlanEntrySchema } from './drain-plan.ts'
import { renderFieldProblem } from '../schema/field-problem.ts'
import type { KubernetesObject } from '../kubernetes/meta.ts'
import { annotations } from '../names.ts'
import { withoutRules } from '../schema/rule.ts'
import { count, text, type Described } from '../schema/schema.ts'
import { validateSchema } from '../schema/validate-schema.ts'

export const drainMessageLengthMax = 4_096

/** Of what a maintenance says for people. */
export const reasonLengthMax = 1_024

/** More than a plan has entries: where maintenances share a node, its targets combine their selectors. */
export const drainTargetsMax = 256

export function drainTargetList(description: string) {
  return Type.Array(withoutRules(drainPlanEntrySchema), {
    description,
    maxItems: drainTargetsMax,
    'x-kubernetes-list-type': 'atomic',
  })
}

export const maintenanceStatusProperties = {
  drainTargets: drainTargetList(
    'Which pods of the node are to leave at the moment. They never go back, and grow until all pods are among them. Where maintenances share the node, the least powerful of their targets hold.',
  ),
  drainMessage: text({
    description: 'How the drain of the node is going, and which maintenances hold it up.',
    maxLength: drainMessageLengthMax,
    default: '',
  }),
  podsPendingEvacuation: count('Pods of the node whose evacuation has not started.'),
  podsEvacuating: count('Pods of the node that have an Evacuation.'),
}

/** What the annotation of a node under maintenance says; in the KEP it is a field of the status of the node. */
const maintenanceStatusSchema = Type.Object(
  {
    ...maintenanceStatusProperties,
    reason: Type.Optional(
      text({ description: 'Why the node is under maintenance, for people.', maxLength: reasonLengthMax }),
    ),
  },
  { description: 'The state of the maintenance of a node.' },
)

export type MaintenanceStatus = Described<typeof maintenanceStatusSchema>

export type ParsedMaintenanceStatus =
  | { readonly kind: 'absent' }
  | { readonly kind: 'parsed'; readonly status: MaintenanceStatus }
  | { readonly kind: 'malformed'; readonly problem: string }

/** Always the same text for the same status, so that a write that would change nothing can be left out. */
export function renderMaintenanceStatus(status: MaintenanceStatus): string {
  return JSON.stringify({
    drainTargets: status.drainTargets.map(({ podPriority, podType, podSelector }) => ({
      podPriority,
      podType,
      ...(podSelector === undefined ? {} : { podSelector }),
    })),
    drainMessage: status.drainMessage,
    podsPendingEvacuation: status.podsPendingEvacuation,
    podsEvacuating: status.podsEvacuating,
    ...(status.reason === undefined ? {} : { reason: status.reason }),
  })
}

export function maintenanceStatusOf({ metadata }: KubernetesObject): ParsedMaintenanceStatus {
  const annotation = metadata.annotations?.[annotations.maintenanceStatus]
  if (annotation === undefined) return { kind: 'absent' }
  const known = statuses.get(metadata)
  if (known?.annotation === annotation) return known.parsed
  const parsed = parseMaintenanceStatus(annotation)
  statuses.set(metadata, { annotation, parsed })
  return parsed
}

/** A node is looked at with every change of its pods, and seldom changes itself. */
const statuses = new WeakMap<object, { readonly annotation: string; readonly parsed: ParsedMaintenanceStatus }>()

export function parseMaintenanceStatus(annotation: string): ParsedMaintenanceStatus {
  let value: unknown
  try {
    value = JSON.parse(annotation)
  } catch {
    return { kind: 'malformed', problem: 'is not JSON' }
  }
  const [problem] = validateSchema(maintenanceStatusSchema, value)
  if (problem !== undefined) return { kind: 'malformed', problem: renderFieldProblem(problem) }
  return {
    kind: 'parsed',
    status: Value.Clean(maintenanceStatusSchema, Value.Default(maintenanceStatusSchema, value)) as MaintenanceStatus,
  }
}
