import type { Pod } from '../../api/kubernetes/core.ts'
import { pods } from '../../api/kubernetes/resources.ts'
import { podTypeOf } from '../../api/maintenance/pod-type.ts'
import { controllerOf, isActive } from '../../evacuators/workload/pod-state.ts'
import { unlessForbidden } from '../../kube/client/errors.ts'
import type { World } from '../program.ts'
import type { ReachedCluster } from '../connect/reached-cluster.ts'

/** A request a node: the user would wait too long for more of them. */
const nodesMax = 50
const namesMax = 5

/** kubectl drain stops at these. A drain takes them too, so the user who starts it should know it. */
export async function warnOfLostPods(world: World, cluster: ReachedCluster, nodes: readonly string[]): Promise<void> {
  if (nodes.length > nodesMax) return
  const { kube, signal } = cluster
  const listed = nodes.map((node) => kube.list(pods, { fieldSelector: `spec.nodeName=${node}`, signal }))
  const found = await unlessForbidden(Promise.all(listed))
  const warning = renderLostPods((found ?? []).flatMap(({ items }) => items.filter(isLost)))
  if (warning !== undefined) world.printError(warning)
}

/** It runs, and will not be recreated once it is gone. */
export function isLost(pod: Pod): boolean {
  return isActive(pod) && podTypeOf(pod) !== 'Static' && controllerOf(pod) === undefined
}

/** One line, or none. */
export function renderLostPods(lost: readonly Pod[]): string | undefined {
  if (lost.length === 0) return undefined
  const names = lost.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`).toSorted()
  const more = names.length > namesMax ? ` and ${names.length - namesMax} more` : ''
  const whom = names.length === 1 ? 'a pod has' : `${names.length} pods have`
  return `warning: ${whom} no controller, so ${names.length === 1 ? 'it' : 'they'} will not be recreated: ${names.slice(0, namesMax).join(', ')}${more}`
}
