import { matchesLabelSelector } from '../../api/kubernetes/label-selector.ts'
import type { Evictor, InBreaths, PluginWorld } from '../plugin.ts'
import type { PodSelection } from '../policy/policy.ts'
import type { PodView } from '../view.ts'

/** Neither Succeeded nor Failed: upstream's "list", as opposed to "list all". */
export const isActive = ({ phase }: PodView): boolean => phase !== 'Succeeded' && phase !== 'Failed'

/** Whether the namespaces and labels of a plugin's args select it. */
export function isSelected(pod: PodView, { namespaces, labelSelector }: PodSelection): boolean {
  const { include = [], exclude = [] } = namespaces ?? {}
  if (include.length > 0 && !include.includes(pod.namespace)) return false
  if (exclude.includes(pod.namespace)) return false
  return labelSelector === undefined || matchesLabelSelector(labelSelector, pod.template.labels)
}

export function isOwnedBy({ template }: PodView, kinds: readonly string[]): boolean {
  return template.owners.some(({ kind }) => kinds.includes(kind))
}

/** The pods of a node that a plugin looks at, in every phase. */
export function selectedOn(
  world: Pick<PluginWorld, 'podsOn'>,
  node: string,
  selection: PodSelection,
): readonly PodView[] {
  return world.podsOn(node).filter((pod) => isSelected(pod, selection))
}

/** Passes both filters of DefaultEvictor. Ask it last: the report says which pods were spared, and why. */
export function* mayLeave(pod: PodView, evictor: Evictor): InBreaths<boolean> {
  return evictor.filter(pod) === undefined && (yield* mayGoElsewhere(pod, evictor))
}

/** Passes the second filter alone. */
export function* mayGoElsewhere(pod: PodView, evictor: Evictor): InBreaths<boolean> {
  const considered = evictor.consider?.(pod)
  if (considered !== undefined) yield* considered
  return evictor.preEvictionFilter(pod) === undefined
}

/** Those that pass both. */
export function* leavableOf(pods: readonly PodView[], evictor: Evictor): InBreaths<PodView[]> {
  const leavable: PodView[] = []
  for (const pod of pods) if (yield* mayLeave(pod, evictor)) leavable.push(pod)
  return leavable
}
