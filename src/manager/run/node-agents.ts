import { isNodeAgent, looksAfterStaticPods, mailboxNameOf, nodeOfMailbox } from '../../api/maintenance/agent-mailbox.ts'
import type { Lease } from '../../api/kubernetes/coordination.ts'
import type { Informer } from '../../kube/watch/informer.ts'
import type { NodeAgents } from '../../maintenance/controller.ts'

/** What maintenances know of node agents, from their mailboxes. */
export function nodeAgents(
  mailboxes: Informer<Lease>,
  { namespace, staticPodsLeave }: { readonly namespace: string; readonly staticPodsLeave: boolean },
): NodeAgents {
  return {
    staticPodsLeave: (node) =>
      staticPodsLeave && looksAfterStaticPods(mailboxes.get({ namespace, name: mailboxNameOf(node) })),
    isNodeAgent: (pod) => isNodeAgent(pod, namespace),
    subscribe: (handler) =>
      mailboxes.subscribe((change) => {
        const isNews =
          change.kind !== 'updated' || looksAfterStaticPods(change.object) !== looksAfterStaticPods(change.previous)
        const node = nodeOfMailbox(change.object)
        if (isNews && node !== undefined) handler(node)
      }),
    synced: () => mailboxes.synced(),
  }
}
