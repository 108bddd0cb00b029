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
        if (mutate !== undefined) object = (await mutate({ ...request, object }, warnings)) ?? object
      }
      return object
    },
    validate: async (request, warnings) => {
      for (const { validate } of plugins) await validate?.(request, warnings)
    },
  }
}
