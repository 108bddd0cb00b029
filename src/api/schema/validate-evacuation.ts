import { evacuationSchema } from '../evacuation/evacuation.ts'
import type { FieldProblem } from './field-problem.ts'
import { validateSchema } from './validate-schema.ts'

/**
 * What the API server would refuse, found before asking it. With the object as it was it is an update. Whether the pod
 * exists, or a timestamp lies in the future, takes a look at more than the object: see the admission of Evacuations.
 */
export function validateEvacuation(evacuation: unknown, before?: unknown): FieldProblem[] {
  return validateSchema(evacuationSchema, evacuation, before)
}
