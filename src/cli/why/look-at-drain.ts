import { nodeOfMailbox } from '../../api/maintenance/agent-mailbox.ts'
import { isCompleted } from '../../api/maintenance/node-maintenance.ts'
import { evacuations } from '../../api/evacuation/evacuation.ts'
import type { Node, Pod } from '../../api/kubernetes/core.ts'
import { matchesNodeSelector } from '../../api/kubernetes/node-selector.ts'
import { leases, nodes, pods } from '../../api/kubernetes/resources.ts'
import { labels } from '../../api/names.ts'
import type { Kube } from '../../kube/client/client.ts'
import { unlessForbidden } from '../../kube/client/errors.ts'
import { drainNamed, listMaintenances } from '../maintenance/find-maintenance.ts'
import type { DrainView } from './report.ts'

/** Up to so many nodes, the pods of each are listed by themselves; beyond, one list of all pods costs less. */
const nodesAloneMax = 20

/** A drain, or a maintenance that stands alone. Undefined: none has this name, or the user may not read them. */
export async function lookAtDrain(kube: Kube, name: string, signal: AbortSignal): Promise<DrainView | undefined> {
  const maintenances = await unlessForbidden(listMaintenances(kube, signal))
  const drain = drainNamed(maintenances ?? [], name)
  if (maintenances === undefined || drain === undefined) return undefined
  const open = drain.maintenances.filter((each) => !isCompleted(each))
  const [all, underWay, mailboxes] = await Promise.all([
    kube.list(nodes, { signal }),
    kube.list(evacuations, { signal }),
    unlessForbidden(kube.list(leases, { labelSelector: labels.nodeAgent, signal })),
  ])
  const selected = all.items.filter((node) => open.some(({ spec }) => matchesNodeSelector(spec.nodeSelector, node)))
  const podsByNode = await podsOf(kube, selected, signal)
  const views = selected.map((node) => ({
    about: 'node' as const,
    node,
    pods: podsByNode.get(node.metadata.name) ?? [],
    evacuations: underWay.items,
    maintenances,
    mailbox: mailboxes?.items.find((lease) => nodeOfMailbox(lease) === node.metadata.name),
  }))
  return { name, views }
}

async function podsOf(kube: Kube, selected: readonly Node[], signal: AbortSignal): Promise<Map<string, Pod[]>> {
  const names = selected.map(({ metadata }) => metadata.name)
  const lists =
    names.length > nodesAloneMax
      ? [await kube.list(pods, { signal })]
      : await Promise.all(names.map((name) => kube.list(pods, { fieldSelector: `spec.nodeName=${name}`, signal })))
  return Map.groupBy(
    lists.flatMap(({ items }) => items),
    ({ spec }) => spec?.nodeName ?? '',
  )
}
