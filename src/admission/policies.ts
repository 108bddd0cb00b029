import { buildEvacuatorAnnotationPolicy } from './evacuator-annotation-policy.ts'
import { buildEvictPolicyPolicy } from './evict-policy-policy.ts'
import type { Policy, PolicyBinding } from './policy.ts'

/** The admission policies that Lifeboat installs, each before its binding. */
export function buildPolicies(options: { readonly podEvictPolicy?: boolean } = {}): (Policy | PolicyBinding)[] {
  const { podEvictPolicy = true } = options
  return [...buildEvacuatorAnnotationPolicy(), ...(podEvictPolicy ? buildEvictPolicyPolicy() : [])]
}
