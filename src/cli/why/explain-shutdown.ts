import { mailboxNameOf, reportOf, shutdownThatMayGo } from '../../api/maintenance/agent-mailbox.ts'
import type { ShutdownReport } from '../../api/maintenance/agent-shutdown.ts'
import { timestamp } from '../../api/kubernetes/timestamp.ts'
import { shellCommand } from '../../api/shell-command.ts'
import { renderAction, shutdownMaintenanceName } from '../../api/maintenance/shutdown-maintenance.ts'
import { decideShutdown, type ShutdownStep } from '../../maintenance/shutdown/decide-shutdown.ts'
import { shutdownSince } from '../../maintenance/shutdown/node-condition.ts'
import { renderDuration } from '../output/duration.ts'
import { present } from './explain-node.ts'
import type { ShutdownExplanation, WhyView } from './report.ts'

/** What becomes of the shutdown of the machine; undefined: none is on its way, and none has left anything behind. */
export function explainShutdown(view: WhyView, nowMs: number): ShutdownExplanation | undefined {
  const { node, mailbox } = view
  const name = node?.metadata.name
  const report = mailbox === undefined ? undefined : reportOf(mailbox)
  if (name === undefined || mailbox?.metadata.name !== mailboxNameOf(name) || report?.shutdown === undefined) {
    return undefined
  }
  const maintenance = shutdownMaintenanceName(name)
  const step = decideShutdown({
    node: name,
    report,
    mayGo: shutdownThatMayGo(mailbox),
    maintenance: view.maintenances.find(({ metadata }) => metadata.name === maintenance),
    machine: undefined,
    completeAfterReboot: false,
    isOn: true,
  })
  const words = wordsOf(step, { node: name, maintenance, shutdown: report.shutdown })
  if (words === undefined) return undefined
  const { going, mode } = report.shutdown
  const isHeld = going !== undefined && words.state !== 'Released' && words.state !== 'Over'
  const limit = isHeld ? limitOf(view, report.shutdown, nowMs) : undefined
  return {
    ...words,
    mode,
    ...(limit?.until === undefined ? {} : { until: limit.until }),
    next: limit === undefined ? words.next : `${words.next}; ${limit.text}`,
  }
}

interface About {
  readonly node: string
  readonly maintenance: string
  readonly shutdown: ShutdownReport
}

type Words = Pick<ShutdownExplanation, 'state' | 'message' | 'next' | 'commands'>

function wordsOf(step: ShutdownStep, about: About): Words | undefined {
  const { node, maintenance, shutdown } = about
  const what = `the ${renderAction(shutdown.going ?? { action: '' })} of ${node}`
  if (step.kind === 'wait') return waitingWords(step.reason, what, about)
  if (shutdown.going === undefined) return undefined
  if (step.kind === 'letGo' || step.kind === 'nothing' || step.kind === 'clean') {
    return { state: 'Released', message: `${what} may continue`, next: 'the machine goes down', commands: [] }
  }
  if (step.kind === 'create' || step.kind === 'takeOver' || step.kind === 'remove') return begins(what, maintenance)
  return undefined
}

function begins(what: string, maintenance: string): Words {
  return {
    state: 'Unseen',
    message: `${what} is on its way, and Lifeboat has not begun to drain the node for it`,
    next: `${maintenance} is made within seconds, if Lifeboat is running`,
    commands: ['lifeboat version'],
  }
}

function waitingWords(
  reason: Extract<ShutdownStep, { kind: 'wait' }>['reason'],
  what: string,
  { node, maintenance }: About,
): Words | undefined {
  switch (reason) {
    case 'draining':
      return {
        state: 'Draining',
        message: `${what} waits until ${maintenance} has drained the node`,
        next: 'it continues when the node is drained, or when that maintenance is completed',
        commands: present(shellCommand`lifeboat status ${maintenance}`),
      }
    case 'nameTaken':
      return {
        state: 'NameTaken',
        message: `nothing drains ${node} before it goes down: NodeMaintenance ${maintenance} was not made by Lifeboat`,
        next: 'delete it, and the drain begins',
        commands: present(shellCommand`kubectl get nodemaintenance ${maintenance} -o yaml`),
      }
    case 'predecessorEnds':
      return begins(what, maintenance)
    case 'unknown':
      return {
        state: 'Unknown',
        message: `whether ${node} still goes down is not known: logind does not answer its agent`,
        next: `${maintenance} stays until logind answers, or an admin completes it`,
        commands: present(shellCommand`lifeboat status ${maintenance}`),
      }
    case 'admin':
    case 'machineReturns':
      return {
        state: 'Over',
        message: `the machine of ${node} has been down since ${maintenance} began`,
        next: 'if the node is well, give it back:',
        commands: present(shellCommand`lifeboat complete ${maintenance}`),
      }
    default:
      return reason satisfies never
  }
}

/** How long the machine waits at most, whatever is left on it. */
function limitOf(
  { node }: WhyView,
  { going, budgetSeconds, problems }: ShutdownReport,
  nowMs: number,
): { readonly text: string; readonly until?: string } {
  const budgetMs = budgetSeconds * 1_000
  const budget = renderDuration(budgetMs)
  if (problems.some(({ kind }) => kind === 'noLock')) {
    return { text: 'the agent holds no lock, so the machine does not wait for it' }
  }
  if (going?.phase === 'Scheduled') {
    const atMs = Date.parse(going.at ?? '')
    if (Number.isNaN(atMs)) return { text: `logind waits at most ${budget} from its begin` }
    const untilMs = atMs + budgetMs
    return {
      text: `it begins ${inTime(atMs - nowMs)}, and logind then waits at most ${budget}`,
      until: timestamp(untilMs),
    }
  }
  const sinceMs = Date.parse(node === undefined ? '' : (shutdownSince(node) ?? ''))
  if (Number.isNaN(sinceMs)) return { text: `logind waits at most ${budget} from its signal` }
  const untilMs = sinceMs + budgetMs
  const leftMs = untilMs - nowMs
  const text =
    leftMs > 0 ? `logind waits at most ${renderDuration(leftMs)} longer` : `the ${budget} that logind waits are over`
  return { text, until: timestamp(untilMs) }
}

function inTime(ms: number): string {
  return ms > 0 ? `in ${renderDuration(ms)}` : 'now'
}
