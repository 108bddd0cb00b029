import type { HorizontalPodAutoscaler } from '../objects.ts'

export type ScaleDecision =
  | { readonly kind: 'disabled' }
  | { readonly kind: 'fine' }
  | { readonly kind: 'rescale'; readonly replicas: number; readonly why: string }

/** Without metrics there is nothing to follow but the bounds. A target at 0 counts as turned off. */
export function decideScale({ spec }: HorizontalPodAutoscaler, replicas: number): ScaleDecision {
  const { minReplicas = 1, maxReplicas = minReplicas } = spec ?? {}
  if (replicas === 0 && minReplicas !== 0) return { kind: 'disabled' }
  if (replicas > maxReplicas) {
    return { kind: 'rescale', replicas: maxReplicas, why: 'Current number of replicas above Spec.MaxReplicas' }
  }
  if (replicas < minReplicas) {
    return { kind: 'rescale', replicas: minReplicas, why: 'Current number of replicas below Spec.MinReplicas' }
  }
  return { kind: 'fine' }
}
