import { nodeOfMailbox, reportOf, type AgentReport } from '../api/agent-mailbox.ts'
import { leases } from '../api/kubernetes/resources.ts'
import { labels } from '../api/names.ts'
import type { Kube } from '../kube/client.ts'
import { unlessForbidden } from '../kube/errors.ts'
import { counting } from './view/render-picture.ts'

/** What the agents of nodes last reported, by node. */
export type NodeAgents = ReadonlyMap<string, AgentReport>

/** One request for all nodes. Undefined: this user may not read mailboxes. */
export async function listNodeAgents(kube: Kube, signal: AbortSignal): Promise<NodeAgents | undefined> {
  const list = await unlessForbidden(kube.list(leases, { labelSelector: labels.nodeAgent, signal }))
  if (list === undefined) return undefined
  return new Map(
    list.items.flatMap((mailbox) => {
      const node = nodeOfMailbox(mailbox)
      const report = reportOf(mailbox)
      return node === undefined || report === undefined ? [] : [[node, report] as const]
    }),
  )
}

/** What `status -o json` prints of the agent of a node. */
export interface NodeAgentReport {
  readonly installed: boolean
  /** Null: it does not take static pods away. */
  readonly staticPods: {
    /** Taken away for now, as NAMESPACE/NAME. */
    readonly parked: readonly string[]
    readonly problems: readonly { readonly pod: string; readonly kind: string; readonly message: string }[]
  } | null
}

/** Null: this user may not read it. */
export function nodeAgentReport(agents: NodeAgents | undefined, node: string): NodeAgentReport | null {
  if (agents === undefined) return null
  const agent = agents.get(node)
  if (agent?.staticPods === undefined) return { installed: agent !== undefined, staticPods: null }
  const { parked, problems } = agent.staticPods
  return { installed: true, staticPods: { parked, problems } }
}

/** `static pods, 2 parked`. */
export function renderNodeAgent(agents: NodeAgents, node: string): string {
  const agent = agents.get(node)
  if (agent === undefined) return 'no agent'
  if (agent.staticPods === undefined) return 'idle'
  const { parked, problems } = agent.staticPods
  return [
    'static pods',
    ...(parked.length === 0 ? [] : [`${parked.length} parked`]),
    ...(problems.length === 0 ? [] : [counting(problems.length, 'problem')]),
  ].join(', ')
}
