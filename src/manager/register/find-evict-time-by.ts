import { evictTimePolicyName } from '../../admission/policies/evict-time-policy.ts'
import type { EvictTimeBy } from './admission-objects.ts'
import { readObject, serves, type ApplyParts } from '../install/apply.ts'
import { mutatingAdmissionPolicies } from '../manifests/resources.ts'
import type { RegistrarRights } from './registration.ts'

/**
 * What makes time for the controllers of pods on dead nodes: the policy where there can be one, as it needs no Lifeboat
 * to be up. Within a cluster it comes with the installation or not at all, whatever the API server has learned since.
 */
export async function findEvictTimeBy(parts: ApplyParts, rights: RegistrarRights): Promise<EvictTimeBy> {
  const hasPolicy =
    rights === 'createAndDelete'
      ? await serves(parts, mutatingAdmissionPolicies)
      : (await readObject(parts, mutatingAdmissionPolicies, { name: evictTimePolicyName })) !== undefined
  return hasPolicy ? 'policy' : 'webhook'
}
