import type { Deployment } from '../../api/kubernetes/apps.ts'
import { annotations } from '../../api/names.ts'
import { resolveNumberOrPercent } from '../../api/kubernetes/number-or-percent.ts'

/** How the pods of a Deployment may be moved. */
export type Strategy =
  /** So many more pods than wanted may be there at once. */
  | { readonly kind: 'surge'; readonly max: number }
  /** So many fewer pods than wanted may be available. */
  | { readonly kind: 'unavailable'; readonly max: number }
  /** Not by this evacuator: its pods are evicted. */
  | { readonly kind: 'none'; readonly why: string }

const rollingUpdateDefault = '25%'

export function strategyOf(deployment: Deployment): Strategy {
  const { type = 'RollingUpdate', rollingUpdate } = deployment.spec?.strategy ?? {}
  if (type !== 'RollingUpdate') return { kind: 'none', why: `its strategy is ${type}` }
  const wanted = wantedOf(deployment)
  const surge = rollingUpdate?.maxSurge ?? rollingUpdateDefault
  const unavailable = rollingUpdate?.maxUnavailable ?? rollingUpdateDefault
  // A percentage of no pods is nothing, but a Deployment that is scaled up again surges as before.
  const surgeMax = resolveNumberOrPercent(surge, Math.max(1, wanted), 'up') ?? 0
  if (surgeMax > 0) return { kind: 'surge', max: surgeMax }
  if (deployment.metadata.annotations?.[annotations.evacuationStrategy] !== 'MaxUnavailable') {
    return {
      kind: 'none',
      why: `it has maxSurge 0 and no annotation ${annotations.evacuationStrategy}: MaxUnavailable`,
    }
  }
  // Without a surge at least one pod may be unavailable, or no rollout would ever get on: Kubernetes counts the same way.
  return { kind: 'unavailable', max: Math.max(1, resolveNumberOrPercent(unavailable, wanted, 'down') ?? 1) }
}

export function wantedOf({ spec }: Deployment): number {
  return spec?.replicas ?? 1
}
