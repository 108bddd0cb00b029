import { buildCordonPolicy } from './cordon-policy.ts'
import { buildEvacuatorAnnotationPolicy } from './evacuator-annotation-policy.ts'
import { buildEvictPolicyPolicy } from './evict-policy-policy.ts'
import type { Policy, PolicyBinding } from './policy.ts'

/** The admission policies that Lifeboat installs, each with its binding. */
export interface Policies {
  readonly evacuatorAnnotations: readonly [Policy, PolicyBinding]
  readonly evictPolicy: readonly [Policy, PolicyBinding]
  readonly cordon: readonly [Policy, PolicyBinding]
}

/** The account is Lifeboat's own, as the API server names it: what it does to nodes it need not be told. */
export function buildPolicies(serviceAccountUser: string): Policies {
  return {
    evacuatorAnnotations: buildEvacuatorAnnotationPolicy(),
    evictPolicy: buildEvictPolicyPolicy(),
    cordon: buildCordonPolicy(serviceAccountUser),
  }
}
