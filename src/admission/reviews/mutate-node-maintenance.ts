import {
  drainPlanLengthMax,
  drainPlanSchema,
  sameDrainPlan,
  withDefaultDrainPlan,
  type DrainPlanEntry,
} from '../../api/maintenance/drain-plan.ts'
import { finalizers } from '../../api/names.ts'
import { renderFieldProblem } from '../../api/schema/field-problem.ts'
import { validateSchema } from '../../api/schema/validate-schema.ts'
import { recordOf, type AdmissionRequest } from './admission-request.ts'
import { allowed, invalid, type Answer, type PatchOperation } from './answer.ts'

/**
 * The creation or change of a NodeMaintenance: the default entries that its drain plan lacks are put in. On a change
 * too, or a user who sends again what they created would be changing a plan that stays as it is.
 */
export function mutateNodeMaintenance(request: AdmissionRequest): Answer {
  const { object, oldObject } = request
  const plan = planOf(object)
  // The schema has the better words for what it refuses.
  if (plan === undefined) return allowed
  const before = planOf(oldObject) ?? []
  // A plan from before the defaults were put in stays as it is, or nothing else could be changed any more.
  const isAsBefore = before.length > 0 && sameDrainPlan(plan, before)
  const complete = isAsBefore ? plan : withDefaultDrainPlan(plan)
  if (complete.length > drainPlanLengthMax) return invalid(tooLong(plan, complete.length - plan.length))
  const completion =
    complete.length === plan.length ? [] : [{ op: 'add', path: '/spec/drainPlan', value: complete } as const]
  const patch = [...completion, ...hold(request)]
  return patch.length === 0 ? allowed : { allowed: true, patch }
}

/**
 * The finalizer comes with the stage in which nodes are held. One that is completed before the controller has seen it
 * would pass for one that went from Idle to Complete, which undoes cordons of an admin. Later it is not put back here:
 * a user must be able to take it off.
 */
function hold({ object, oldObject }: AdmissionRequest): PatchOperation[] {
  if (!holdsNodes(object) || holdsNodes(oldObject)) return []
  const { metadata } = recordOf(object)
  const { finalizers: found = [], deletionTimestamp } = recordOf(metadata)
  const value = finalizers.maintenanceCompletion
  if (!Array.isArray(found) || found.includes(value) || deletionTimestamp !== undefined) return []
  return [{ op: 'add', path: '/metadata/finalizers', value: [...(found as readonly unknown[]), value] }]
}

function holdsNodes(maintenance: unknown): boolean {
  const { stage } = recordOf(recordOf(maintenance)['spec'])
  return stage === 'Cordon' || stage === 'Drain'
}

/** Undefined: there is none that the schema lets pass, or no place for one. */
function planOf(maintenance: unknown): readonly DrainPlanEntry[] | undefined {
  const { spec } = recordOf(maintenance)
  if (typeof spec !== 'object' || spec === null || Array.isArray(spec)) return undefined
  const { drainPlan = [] } = recordOf(spec)
  return validateSchema(drainPlanSchema, drainPlan).length === 0 ? (drainPlan as readonly DrainPlanEntry[]) : undefined
}

function tooLong(plan: readonly DrainPlanEntry[], added: number): string {
  const rule = `must be a list of at most ${drainPlanLengthMax - added} entries, because ${added} default ones are added to it`
  return renderFieldProblem({ field: 'spec.drainPlan', value: plan, allowed: rule })
}
