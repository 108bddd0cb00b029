import {
  nodeOfMailbox,
  reportOf,
  type AgentReport,
  type StaticPodsReport,
} from '../../api/maintenance/agent-mailbox.ts'
import type { ShutdownProblemKind, ShutdownReport } from '../../api/maintenance/agent-shutdown.ts'
import { leases } from '../../api/kubernetes/resources.ts'
import { labels } from '../../api/names.ts'
import { renderAction } from '../../api/maintenance/shutdown-maintenance.ts'
import type { Kube } from '../../kube/client/client.ts'
import { unlessForbidden } from '../../kube/client/errors.ts'
import { renderDuration } from '../output/duration.ts'
import { counting } from '../output/counting.ts'

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
  /** Null: it does not look after shutdowns of its machine. */
  readonly shutdown: {
    /** Who ends the pods: Prefer (Lifeboat), Assist (the kubelet, which does not wait), Unknown. */
    readonly mode: string
    /** How long logind waits at most. */
    readonly budgetSeconds: number
    /** Null: none is on its way. */
    readonly going: { readonly id: string; readonly phase: string; readonly action: string } | null
    readonly problems: readonly { readonly kind: string; readonly message: string }[]
  } | null
}

/** Null: this user may not read it. */
export function nodeAgentReport(agents: NodeAgents | undefined, node: string): NodeAgentReport | null {
  if (agents === undefined) return null
  const { staticPods, shutdown } = agents.get(node) ?? {}
  return {
    installed: agents.has(node),
    staticPods: staticPods === undefined ? null : { parked: staticPods.parked, problems: staticPods.problems },
    shutdown: shutdown === undefined ? null : shutdownOf(shutdown),
  }
}

function shutdownOf({ mode, budgetSeconds, going, problems }: ShutdownReport): NodeAgentReport['shutdown'] {
  const { id = '', phase = '', action = '' } = going ?? {}
  return { mode, budgetSeconds, going: going === undefined ? null : { id, phase, action }, problems }
}

/** `static pods, 2 parked; shutdown: Prefer, 30m`. */
export function renderNodeAgent(agents: NodeAgents, node: string): string {
  const agent = agents.get(node)
  if (agent === undefined) return 'no agent'
  const { staticPods, shutdown } = agent
  const tasks = [
    ...(staticPods === undefined ? [] : [renderStaticPods(staticPods)]),
    ...(shutdown === undefined ? [] : [renderShutdown(shutdown)]),
  ]
  return tasks.length === 0 ? 'idle' : tasks.join('; ')
}

function renderStaticPods({ parked, problems }: StaticPodsReport): string {
  return [
    'static pods',
    ...(parked.length === 0 ? [] : [`${parked.length} parked`]),
    ...(problems.length === 0 ? [] : [counting(problems.length, 'problem')]),
  ].join(', ')
}

const shutdownProblems: Readonly<Record<ShutdownProblemKind, string>> = {
  noLogind: 'logind does not answer',
  noLock: 'no lock is held, so the machine would not wait',
  shortBudget: 'logind waits less than asked for',
}

function renderShutdown({ mode, budgetSeconds, going, problems }: ShutdownReport): string {
  return [
    `shutdown: ${mode}`,
    // Without an answer of logind it is unknown.
    ...(mode === 'Unknown' ? [] : [renderDuration(budgetSeconds * 1_000)]),
    ...(going === undefined ? [] : [`${renderAction(going)} ${going.phase === 'Scheduled' ? 'planned' : 'under way'}`]),
    ...problems.map(({ kind }) => shutdownProblems[kind]),
  ].join(', ')
}
