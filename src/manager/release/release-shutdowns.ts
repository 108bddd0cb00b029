import { reportOf, shutdownThatMayGo } from '../../api/maintenance/agent-mailbox.ts'
import { leases } from '../../api/kubernetes/resources.ts'
import { labels } from '../../api/names.ts'
import { ShutdownWrites } from '../../maintenance/shutdown/shutdown-writes.ts'
import type { ApplyParts } from '../install/apply.ts'

const never = new AbortController().signal

/** Tells each agent that holds up a shutdown to let it continue: Lifeboat drains no more. How many there were. */
export async function releaseShutdowns({ kube, signal = never }: ApplyParts, namespace: string): Promise<number> {
  const { items } = await kube.list(leases, { namespace, labelSelector: labels.nodeAgent, signal })
  const writes = new ShutdownWrites(kube, signal)
  let released = 0
  for (const mailbox of items) {
    const id = reportOf(mailbox)?.shutdown?.going?.id
    if (id === undefined || id === shutdownThatMayGo(mailbox)) continue
    if (await writes.tellAgent(mailbox, id)) released++
  }
  return released
}
