import {
  drainPlanLengthMax,
  drainPlanSchema,
  sameDrainPlan,
  withDefaultDrainPlan,
  type DrainPlanEntry,
} from '../../api/maintenance/drain-plan.ts'
import { renderFieldProblem } from '../../api/schema/field-problem.ts'
import { validateSchema } from '../../api/schema/validate-schema.ts'
import { recordOf, type AdmissionRequest } from './admission-request.ts'
import { allowed, invalid, type Answer } from './answer.ts'

/**
 * The creation or change of a NodeMaintenance: the default entries that its drain plan lacks are put in. On a change
 * too, or a user who sends again what they created would be changing a plan that stays as it is.
 */
export function mutateNodeMaintenance({ object, oldObject }: AdmissionRequest): Answer {
  const plan = planOf(object)
  // The schema has the better words for what it refuses.
  if (plan === undefined) return allowed
  const before = planOf(oldObject) ?? []
  // A plan from before the defaults were put in stays as it is, or nothing else could be changed any more.
  if (before.length > 0 && sameDrainPlan(plan, before)) return allowed
  const complete = withDefaultDrainPlan(plan)
  if (complete.length > drainPlanLengthMax) return invalid(tooLong(plan, complete.length - plan.length))
  if (complete.length === plan.length) return allowed
  return { allowed: true, patch: [{ op: 'add', path: '/spec/drainPlan', value: complete }] }
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
