import { nodeOfMailbox, renderWanted, reportOf, wantedOf } from '../../api/maintenance/agent-mailbox.ts'
import type { Lease } from '../../api/kubernetes/coordination.ts'
import { leases } from '../../api/kubernetes/resources.ts'
import { annotations, labels } from '../../api/names.ts'
import { keyOf } from '../../kube/client/client.ts'
import { isKubeError } from '../../kube/client/errors.ts'
import { lookUntil } from '../../runtime/look-until.ts'
import { removeObject, type ApplyParts } from '../install/apply.ts'

/** An agent needs moments. One that does not answer in this time does not run. */
const limits = { backWithinMs: 30_000, lookEveryMs: 250 }

export interface ReleasedStaticPods {
  readonly released: number
  /** What an admin has to put back by hand, one line a node. */
  readonly left: readonly string[]
}

/** Lets the agents put back every static pod that is parked, and waits until they have. */
export async function releaseStaticPods(parts: ApplyParts, namespace: string): Promise<ReleasedStaticPods> {
  const before = (await listMailboxes(parts, namespace)).filter(isHolding)
  if (before.length === 0) return { released: 0, left: [] }
  for (const mailbox of before) await wantNothing(parts, mailbox)
  const patience = { ...parts, withinMs: limits.backWithinMs, everyMs: limits.lookEveryMs }
  await lookUntil(patience, async () => {
    const now = await listMailboxes(parts, namespace)
    return now.every((mailbox) => parkedIn(mailbox).length === 0) ? true : undefined
  })
  const stuck = (await listMailboxes(parts, namespace)).filter((mailbox) => parkedIn(mailbox).length > 0)
  const count = (all: readonly Lease[]) => all.reduce((sum, mailbox) => sum + parkedIn(mailbox).length, 0)
  return { released: Math.max(0, count(before) - count(stuck)), left: stuck.map(renderStuck) }
}

/** After the agents are gone, or they would make new ones. */
export async function removeMailboxes(parts: ApplyParts, namespace: string): Promise<void> {
  for (const mailbox of await listMailboxes(parts, namespace)) await removeObject(parts, leases, mailbox)
}

async function listMailboxes({ kube, signal }: ApplyParts, namespace: string): Promise<readonly Lease[]> {
  return (await kube.list(leases, { namespace, labelSelector: labels.nodeAgent, signal })).items
}

function isHolding(mailbox: Lease): boolean {
  return parkedIn(mailbox).length > 0 || (wantedOf(mailbox)?.park.length ?? 0) > 0
}

function parkedIn(mailbox: Lease): readonly string[] {
  return reportOf(mailbox)?.staticPods?.parked ?? []
}

async function wantNothing({ kube, signal }: ApplyParts, mailbox: Lease): Promise<void> {
  const { uid } = mailbox.metadata
  const body = { metadata: { uid, annotations: { [annotations.agentWanted]: renderWanted({ park: [] }) } } }
  try {
    await kube.patch(leases, keyOf(mailbox), { type: 'merge', body }, { signal })
  } catch (error) {
    if (!isKubeError(error, 'notFound', 'conflict')) throw error
  }
}

function renderStuck(mailbox: Lease): string {
  const { folder = '' } = reportOf(mailbox)?.staticPods ?? {}
  const parked = parkedIn(mailbox)
  return `on node ${nodeOfMailbox(mailbox)} no agent is running: static ${parked.length === 1 ? 'pod' : 'pods'} ${parked.join(', ')} stay parked; rename .lifeboat-parked.NAME to NAME in ${folder} there`
}
