import { matchesLabelSelector } from '../../api/kubernetes/label-selector.ts'
import type { Refusal } from '../plugin.ts'
import { isOwnedBy } from '../cycle/pods-listed.ts'
import type { DefaultEvictorArgs } from '../policy/policy.ts'
import type { ClusterView, PodView } from '../view.ts'
import type { BudgetCoverage } from './budget-coverage.ts'

// Whom DefaultEvictor protects whatever a plugin wants: upstream's `filter`.

/** What a rule looks at beside the pod. */
export interface Surroundings {
  readonly args: DefaultEvictorArgs
  readonly nowMs: number
  readonly priorityThreshold: number | undefined
  readonly budgets: BudgetCoverage
  readonly storageClasses: ClusterView['storageClasses']
  readonly state: { countOfOwner(uid: string): number }
}

export type ProtectionRule = (pod: PodView, surroundings: Surroundings) => Refusal

const preference: ProtectionRule = ({ marks }, { args }) =>
  marks.preferNoEviction && args.noEvictionPolicy === 'Mandatory'
    ? 'it has the annotation descheduler.alpha.kubernetes.io/prefer-no-eviction and noEvictionPolicy is Mandatory'
    : undefined

const mirrorPods: ProtectionRule = ({ marks }) => (marks.mirror ? 'it is the mirror of a static pod' : undefined)

const staticPods: ProtectionRule = ({ marks }) =>
  marks.foreignSource ? 'it is a static pod: it does not come from the API server' : undefined

const terminatingPods: ProtectionRule = ({ isTerminating }) => (isTerminating ? 'it is being deleted' : undefined)

const systemCritical = 2_000_000_000

const criticalPods: ProtectionRule = ({ template: { priority } }, { args, priorityThreshold }) => {
  if (!args.protections.has('SystemCriticalPods') || priority === undefined) return undefined
  if (priority >= systemCritical) return `its priority ${priority} is system-critical (SystemCriticalPods)`
  if (priorityThreshold === undefined || priority < priorityThreshold) return undefined
  return `its priority ${priority} is not below ${priorityThreshold} (priorityThreshold)`
}

const barePods: ProtectionRule = ({ template, phase }, { args }) => {
  if (template.owners.length > 0) return undefined
  if (args.protections.has('FailedBarePods')) return 'it has no owner that would create it again (FailedBarePods)'
  return phase === 'Failed' ? undefined : 'it has no owner that would create it again, and it has not failed'
}

const localStorage: ProtectionRule = ({ template }, { args }) =>
  template.hasLocalStorage && args.protections.has('PodsWithLocalStorage')
    ? 'it has an emptyDir or hostPath volume (PodsWithLocalStorage)'
    : undefined

const daemonSetPods: ProtectionRule = (pod, { args }) =>
  args.protections.has('DaemonSetPods') && isOwnedBy(pod, ['DaemonSet'])
    ? 'it belongs to a DaemonSet (DaemonSetPods)'
    : undefined

const claims: ProtectionRule = (pod, { args, storageClasses }) => {
  const [first] = pod.claims
  if (first === undefined || !args.protections.has('PodsWithPVC')) return undefined
  const protectedClasses = args.protectedStorageClasses ?? []
  if (protectedClasses.length === 0) return `it uses the PersistentVolumeClaim ${first} (PodsWithPVC)`
  for (const claim of pod.claims) {
    const storageClass = storageClasses.get(`${pod.namespace}/${claim}`) ?? ''
    if (storageClass === '')
      return `its PersistentVolumeClaim ${claim} is missing or has no storage class (PodsWithPVC)`
    if (protectedClasses.includes(storageClass)) {
      return `its PersistentVolumeClaim ${claim} is of the protected storage class ${storageClass} (PodsWithPVC)`
    }
  }
  return undefined
}

const podsWithoutBudget: ProtectionRule = (pod, { args, budgets }) =>
  args.protections.has('PodsWithoutPDB') && !budgets.covers(pod)
    ? 'no PodDisruptionBudget selects it (PodsWithoutPDB)'
    : undefined

const resourceClaims: ProtectionRule = ({ template }, { args }) =>
  template.hasResourceClaims && args.protections.has('PodsWithResourceClaims')
    ? 'it uses a ResourceClaim (PodsWithResourceClaims)'
    : undefined

const unselectedPods: ProtectionRule = ({ template }, { args }) =>
  args.labelSelector === undefined || matchesLabelSelector(args.labelSelector, template.labels)
    ? undefined
    : 'its labels do not match the labelSelector of DefaultEvictor'

/** Upstream counts only for pods with exactly one owner. */
const smallOwners: ProtectionRule = ({ template: { owners } }, { args, state }) => {
  const [owner] = owners
  if (args.minReplicas <= 1 || owner === undefined || owners.length > 1) return undefined
  const count = state.countOfOwner(owner.uid)
  if (count >= args.minReplicas) return undefined
  return `its ${owner.kind} ${owner.name} has ${count} of at least ${args.minReplicas} pods (minReplicas)`
}

const youngPods: ProtectionRule = ({ startedMs }, { args: { minPodAgeMs }, nowMs }) => {
  if (minPodAgeMs === undefined) return undefined
  if (startedMs === undefined) return 'it has not started (minPodAge)'
  return nowMs - startedMs < minPodAgeMs ? `it started less than ${minPodAgeMs / 1_000} s ago (minPodAge)` : undefined
}

/** The first that answers is the one that the report names. */
export const protectionRules: readonly ProtectionRule[] = [
  preference,
  mirrorPods,
  staticPods,
  terminatingPods,
  criticalPods,
  barePods,
  localStorage,
  daemonSetPods,
  claims,
  podsWithoutBudget,
  resourceClaims,
  unselectedPods,
  smallOwners,
  youngPods,
]
