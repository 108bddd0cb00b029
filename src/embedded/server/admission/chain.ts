import type { Admission, AdmissionRequest } from './admission.ts'
import type { AnyObject } from '../store.ts'

/** One plugin of the chain. It looks only at what concerns it, and throws an ApiFailure to refuse. */
export interface AdmissionPlugin {
  readonly mutate?: (
    request: AdmissionRequest,
    warnings: string[],
  ) => AnyObject | undefined | Promise<AnyObject | undefined>
  readonly validate?: (request: AdmissionRequest, warnings: string[]) => void | Promise<void>
}

/** All that mutate, in order, each on what the one before made of it; then all that validate. */
export function chain(plugins: readonly AdmissionPlugin[]): Admission {
  return {
    mutate: async (request, warnings) => {
      let { object } = request
      for (const { mutate } of plugins) {
        const answer = mutate?.(object === request.object ? request : { ...request, object }, warnings)
        // Most plugins answer at once, and most leave the object as it is; every write passes all of them.
        object = (answer instanceof Promise ? await answer : answer) ?? object
      }
      return object
    },
    validate: async (request, warnings) => {
      for (const { validate } of plugins) {
        const answer = validate?.(request, warnings)
        if (answer !== undefined) await answer
      }
    },
  }
}
