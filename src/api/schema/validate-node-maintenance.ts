import type { FieldProblem } from './field-problem.ts'
import { labelKey } from './schema.ts'
import { nodeMaintenanceSchema, type NodeMaintenance } from '../maintenance/node-maintenance.ts'
import { validateSchema } from './validate-schema.ts'

/** What the API server would refuse, and label keys that could never match. With the object as it was, an update. */
export function validateNodeMaintenance(maintenance: unknown, before?: unknown): FieldProblem[] {
  const problems = validateSchema(nodeMaintenanceSchema, maintenance, before)
  return problems.length > 0 ? problems : labelKeyProblems(maintenance as NodeMaintenance)
}

const labelKeySchema = labelKey('A key.')

/** A structural schema has no word for the keys of a map. */
function labelKeyProblems(maintenance: NodeMaintenance): FieldProblem[] {
  return (maintenance.spec.drainPlan ?? []).flatMap(({ podSelector }, index) =>
    Object.keys(podSelector?.matchLabels ?? {}).flatMap((key) =>
      validateSchema(labelKeySchema, key).map(({ value, allowed }) => ({
        field: `spec.drainPlan[${index}].podSelector.matchLabels`,
        value,
        allowed,
      })),
    ),
  )
}
