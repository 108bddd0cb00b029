import type { Taint } from '../../api/kubernetes/scheduling.ts'
import { tolerates } from '../../api/kubernetes/taints.ts'
import type { NodeView, PodView } from '../view.ts'

/**
 * Whether a pod tolerates all taints of some node, whatever their effect. Upstream also wants at least as many
 * tolerations as taints, even where one toleration covers several.
 */
export function welcomedBy(nodes: readonly NodeView[]): (pod: PodView) => boolean {
  const distinct = new Map(nodes.map(({ taints }) => [JSON.stringify(taints.map(identityOf)), taints]))
  return ({ template: { tolerations } }) => {
    for (const taints of distinct.values()) {
      if (tolerations.length < taints.length) continue
      if (taints.every((taint) => tolerations.some((toleration) => tolerates(toleration, taint)))) return true
    }
    return false
  }
}

const identityOf = ({ key, value = '', effect }: Taint) => [key, value, effect]
