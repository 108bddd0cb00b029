import { buildCordonPolicy } from './cordon-policy.ts'
import { buildEvacuationRightsPolicy } from './evacuation-rights-policy.ts'
import { buildEvacuatorAnnotationPolicy } from './evacuator-annotation-policy.ts'
import { buildEvictPolicyPolicy } from './evict-policy-policy.ts'
import { buildOwnAccountPolicy } from './own-account-policy.ts'
import type { Policy, PolicyBinding } from './policy.ts'

/** The admission policies that Lifeboat installs, each with its binding. */
export interface Policies {
  readonly ownAccount: readonly [Policy, PolicyBinding]
  /** In effect whatever the gates say. */
  readonly evacuationRights: readonly [Policy, PolicyBinding]
  readonly evacuatorAnnotations: readonly [Policy, PolicyBinding]
  readonly evictPolicy: readonly [Policy, PolicyBinding]
  readonly cordon: readonly [Policy, PolicyBinding]
}

/** The account is Lifeboat's own, as the API server names it: it needs no warning and no check of its rights. */
export function buildPolicies(serviceAccountUser: string): Policies {
  return {
    ownAccount: buildOwnAccountPolicy(serviceAccountUser),
    evacuationRights: buildEvacuationRightsPolicy(serviceAccountUser),
    evacuatorAnnotations: buildEvacuatorAnnotationPolicy(),
    evictPolicy: buildEvictPolicyPolicy(),
    cordon: buildCordonPolicy(serviceAccountUser),
  }
}
