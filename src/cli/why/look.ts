import { mailboxNameOf } from '../../api/maintenance/agent-mailbox.ts'
import { evacuationName } from '../../api/evacuation/evacuation-name.ts'
import { evacuations, type Evacuation } from '../../api/evacuation/evacuation.ts'
import { leases, nodes, pods } from '../../api/kubernetes/resources.ts'
import { intendedNodeOf } from '../../api/maintenance/maintenance-hold.ts'
import type { Lease } from '../../api/kubernetes/coordination.ts'
import { labels } from '../../api/names.ts'
import { nodeMaintenances } from '../../api/maintenance/node-maintenance.ts'
import { podRefOf } from '../../api/evacuation/pod-reference.ts'
import { podTypeOf } from '../../api/maintenance/pod-type.ts'
import type { Kube } from '../../kube/client/client.ts'
import { unlessForbidden, unlessNotFound } from '../../kube/client/errors.ts'
import type { WhyView } from './report.ts'

/** Undefined: there is no such node. */
export async function lookAtNode(kube: Kube, name: string, signal?: AbortSignal): Promise<WhyView | undefined> {
  const node = await unlessNotFound(kube.get(nodes, { name }, { signal }))
  if (node === undefined) return undefined
  // As many as there are pods on their way; a request for each pod of the node would be more.
  const [ofNode, underWay, maintenances, mailbox] = await Promise.all([
    kube.list(pods, { fieldSelector: `spec.nodeName=${name}`, signal }),
    kube.list(evacuations, { signal }),
    kube.list(nodeMaintenances, { signal }),
    mailboxOf(kube, name, signal),
  ])
  return {
    about: 'node',
    node,
    pods: ofNode.items,
    evacuations: underWay.items,
    maintenances: maintenances.items,
    mailbox,
  }
}

/** In whichever namespace Lifeboat is. */
async function mailboxOf(kube: Kube, node: string, signal: AbortSignal | undefined): Promise<Lease | undefined> {
  const selection = { labelSelector: labels.nodeAgent, fieldSelector: `metadata.name=${mailboxNameOf(node)}` }
  return (await unlessForbidden(kube.list(leases, { ...selection, signal })))?.items[0]
}

/** Undefined: there is no such pod, and nothing is left of one. The rights of a namespace's owner are enough. */
export async function lookAtPod(
  kube: Kube,
  key: { readonly namespace: string; readonly name: string },
  signal?: AbortSignal,
): Promise<WhyView | undefined> {
  const pod = await unlessNotFound(kube.get(pods, key, { signal }))
  if (pod === undefined) {
    const left = await evacuationsLeftOf(kube, key, signal)
    return left.length === 0
      ? undefined
      : { about: 'pod', node: undefined, pods: [], evacuations: left, maintenances: [] }
  }
  const nodeName = intendedNodeOf(pod)
  const name = evacuationName(podRefOf(pod))
  const [evacuation, node, maintenances, mailbox] = await Promise.all([
    unlessNotFound(kube.get(evacuations, { namespace: key.namespace, name }, { signal })),
    nodeName === undefined
      ? undefined
      : unlessForbidden(unlessNotFound(kube.get(nodes, { name: nodeName }, { signal }))),
    unlessForbidden(kube.list(nodeMaintenances, { signal })),
    nodeName === undefined || podTypeOf(pod) !== 'Static' ? undefined : mailboxOf(kube, nodeName, signal),
  ])
  return {
    about: 'pod',
    // Half of what is known about a node would read as if there were no maintenance.
    node: maintenances === undefined ? undefined : node,
    pods: [pod],
    evacuations: evacuation === undefined ? [] : [evacuation],
    maintenances: maintenances?.items ?? [],
    mailbox,
  }
}

async function evacuationsLeftOf(
  kube: Kube,
  { namespace, name }: { readonly namespace: string; readonly name: string },
  signal: AbortSignal | undefined,
): Promise<Evacuation[]> {
  const { items } = await kube.list(evacuations, { namespace, signal })
  return items.filter(({ spec }) => spec.podRef.name === name)
}
