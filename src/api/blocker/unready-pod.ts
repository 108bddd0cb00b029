import type { Pod } from '../kubernetes/core.ts'
import { isReady } from '../kubernetes/pod-availability.ts'
import type { PodDisruptionBudget } from '../kubernetes/policy.ts'
import { shellCommand } from '../shell-command.ts'

// Pods that run and are not ready, under a budget: https://kep.k8s.io/3017

/** Of a blocker by a budget. */
export interface UnreadyPod {
  /** Only where the pod is not ready: a budget of the other policy, AlwaysAllow, would let it go. */
  readonly unhealthyPodEvictionPolicy?: 'IfHealthyBudget'
}

/** Under IfHealthyBudget, which is also the default, unready pods may go while the ready ones are enough. */
export function letsUnreadyGo({ spec, status }: PodDisruptionBudget): boolean {
  const { currentHealthy = 0, desiredHealthy = 0 } = status ?? {}
  return spec?.unhealthyPodEvictionPolicy === 'AlwaysAllow' || (desiredHealthy > 0 && currentHealthy >= desiredHealthy)
}

/**
 * Adds to a refusal that the pod is not ready. The API server does not say it, but no other policy refuses an unready
 * pod. If the numbers would have let an unready pod go, the server has seen it ready.
 */
export function withReadiness<T extends { readonly kind: string }>(refusal: T, pod: Pod | undefined): T & UnreadyPod {
  if (pod === undefined || isReady(pod) || !isTooFew(refusal)) return refusal
  return { ...refusal, unhealthyPodEvictionPolicy: 'IfHealthyBudget' }
}

function isTooFew(refusal: { readonly kind: string; readonly healthy?: number; readonly needed?: number }): boolean {
  const { kind, healthy = 0, needed = 0 } = refusal
  return kind === 'budget' && (healthy < needed || needed === 0)
}

/** A status is written seldom, and a pod that is ready again waits as any other does. */
export function withoutOldReadiness<T extends UnreadyPod>(blocker: T, pod: Pod): Omit<T, keyof UnreadyPod> {
  const { unhealthyPodEvictionPolicy: _, ...others } = blocker
  return isReady(pod) ? others : blocker
}

/** With a needed number of 0, Kubernetes still waits for one healthy pod. */
export function unreadyRemedy(budget: string, needed: number): string {
  const pods = needed <= 1 ? '1 healthy pod' : `${needed} healthy pods`
  return `${pods} under budget ${budget}: the pod is not ready, and under unhealthyPodEvictionPolicy IfHealthyBudget such a pod may leave only once the budget is healthy (currentHealthy >= desiredHealthy); or the policy AlwaysAllow, which lets pods go that are not ready`
}

export function allowUnreadyCommand(namespace: string, budget: string): string | undefined {
  return shellCommand`kubectl patch pdb ${budget} -n ${namespace} --type=merge -p '{"spec":{"unhealthyPodEvictionPolicy":"AlwaysAllow"}}'`
}
