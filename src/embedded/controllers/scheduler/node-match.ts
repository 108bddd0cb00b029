import { matchesNodeSelector } from '../../../api/kubernetes/node-selector.ts'
import type { Node, Pod } from '../objects.ts'

/** Whether node selector and required node affinity let the pod onto the node. */
export function matchesNode({ spec }: Pick<Pod, 'spec'>, node: Node): boolean {
  const labels = node.metadata.labels ?? {}
  const isSelected = Object.entries(spec?.nodeSelector ?? {}).every(([key, value]) => labels[key] === value)
  const required = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution
  return isSelected && (required === undefined || matchesNodeSelector(required, node))
}

/** The only nodes that the affinity names, as that of a DaemonSet's pod does; undefined if it names none. */
export function namedNodes({ spec }: Pod): ReadonlySet<string> | undefined {
  const terms = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms
  if (terms === undefined || terms.length === 0) return undefined
  const names = new Set<string>()
  for (const { matchFields = [] } of terms) {
    const named = matchFields.find(({ key, operator }) => key === 'metadata.name' && operator === 'In')
    if (named === undefined) return undefined
    for (const name of named.values) names.add(name)
  }
  return names
}
