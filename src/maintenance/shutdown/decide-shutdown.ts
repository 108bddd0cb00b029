import type { AgentReport } from '../../api/maintenance/agent-mailbox.ts'
import type { GoingShutdown } from '../../api/maintenance/agent-shutdown.ts'
import { isCompleted, isDrained, type NodeMaintenance } from '../../api/maintenance/node-maintenance.ts'
import { holdsForCleanUp, shutdownMarkOf, type ShutdownMark } from '../../api/maintenance/shutdown-maintenance.ts'
import { isHeld } from '../plan/active.ts'

export interface ShutdownView {
  readonly node: string
  /** Undefined: there is no mailbox, or no report in it that can be read. */
  readonly report: AgentReport | undefined
  /** The id of the shutdown that the agent was told to let continue. */
  readonly mayGo: string | undefined
  /** The one with the name that a maintenance for a shutdown of this node has, whether or not Lifeboat made it. */
  readonly maintenance: NodeMaintenance | undefined
  /** What the node says of its machine. Undefined: it was not looked up, or there is no such node. */
  readonly machine: Machine | undefined
  readonly completeAfterReboot: boolean
  /** With the gate off Lifeboat does not drain, so nothing is held up. */
  readonly isOn: boolean
}

export interface Machine {
  readonly isReady: boolean
  readonly bootID: string
}

/**
 * draining: the node has pods left. nameTaken: another client made a maintenance of that name. predecessorEnds: that of
 * an earlier shutdown is on its way out. machineReturns: it is completed once the node is Ready after the reboot.
 * admin: after the reboot an admin has to complete it (KEP-4212). unknown: logind cannot be asked, which is no
 * cancellation.
 */
export const shutdownWaits = ['draining', 'nameTaken', 'predecessorEnds', 'machineReturns', 'admin', 'unknown'] as const
export type ShutdownWait = (typeof shutdownWaits)[number]

export type ShutdownStep =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'wait'; readonly reason: ShutdownWait }
  | { readonly kind: 'create' | 'takeOver'; readonly mark: ShutdownMark; readonly going: GoingShutdown }
  /** Of an earlier shutdown, and over: the name is needed. */
  | { readonly kind: 'remove' }
  | { readonly kind: 'letGo'; readonly going: GoingShutdown; readonly why: LetGoWhy }
  | { readonly kind: 'complete'; readonly why: 'cancelled' | 'rebooted' }
  /** Removes what the kubelet left behind, and then the finalizer that waits for it. */
  | { readonly kind: 'clean'; readonly mark: ShutdownMark }
  /** The word that a shutdown may continue is taken back: there is none any more. */
  | { readonly kind: 'withdraw' }

/** ended: an admin completed or deleted the maintenance before it was drained. */
export type LetGoWhy = 'drained' | 'ended' | 'gateOff'

interface Own {
  readonly maintenance: NodeMaintenance
  readonly mark: ShutdownMark
}

const nothing: ShutdownStep = { kind: 'nothing' }
const wait = (reason: ShutdownWait): ShutdownStep => ({ kind: 'wait', reason })

/** What is to be done for the shutdown of a node, one write at a time. */
export function decideShutdown(view: ShutdownView): ShutdownStep {
  const { report, maintenance } = view
  const own = ownOf(view)
  // An agent that does not look after shutdowns says nothing about them, and neither does a mailbox without a report.
  if (report?.shutdown === undefined) return own === undefined ? nothing : cleanUp(own)
  const going = goingOf(view, own)
  if (!view.isOn) return withoutMaintenances(view, going)
  if (going === undefined) return atRest(view, own)
  if (view.mayGo === going.id) return own !== undefined && isDeleted(own.maintenance) ? cleanUp(own) : nothing
  const mark = { node: view.node, id: going.id, bootID: report.bootID }
  if (maintenance === undefined) return { kind: 'create', mark, going }
  if (own === undefined) return wait('nameTaken')
  if (own.mark.id === going.id) return holdOrLetGo(own, going)
  if (isDeleted(maintenance)) return orElse(cleanUp(own), wait('predecessorEnds'))
  if (maintenance.spec.stage === 'Complete') return { kind: 'remove' }
  // The admin has not completed it since the last reboot: the node is still under maintenance for that one.
  return { kind: 'takeOver', mark, going }
}

/** Undefined: there is none, or it is not Lifeboat's own. */
function ownOf({ node, maintenance }: ShutdownView): Own | undefined {
  const mark = maintenance === undefined ? undefined : shutdownMarkOf(maintenance)
  return maintenance === undefined || mark?.node !== node ? undefined : { maintenance, mark }
}

/** An agent that cannot ask logind repeats what it last knew, also after the reboot that ended it. */
function goingOf({ report }: ShutdownView, own: Own | undefined): GoingShutdown | undefined {
  const going = report?.shutdown?.going
  const isOver = own !== undefined && own.mark.id === going?.id && own.mark.bootID !== report?.bootID
  return isOver ? undefined : going
}

function withoutMaintenances({ mayGo }: ShutdownView, going: GoingShutdown | undefined): ShutdownStep {
  if (going === undefined) return mayGo === undefined ? nothing : { kind: 'withdraw' }
  return mayGo === going.id ? nothing : { kind: 'letGo', going, why: 'gateOff' }
}

function holdOrLetGo({ maintenance }: Own, going: GoingShutdown): ShutdownStep {
  // An admin who ends the maintenance decides that nothing is waited for.
  if (isEnded(maintenance)) return { kind: 'letGo', going, why: 'ended' }
  return isDrained(maintenance) ? { kind: 'letGo', going, why: 'drained' } : wait('draining')
}

function atRest(view: ShutdownView, own: Own | undefined): ShutdownStep {
  if (view.mayGo !== undefined) return { kind: 'withdraw' }
  if (own === undefined) return nothing
  if (isEnded(own.maintenance)) return cleanUp(own)
  const { report, machine } = view
  if (own.mark.bootID === report?.bootID) {
    return report.shutdown?.mode === 'Unknown' ? wait('unknown') : { kind: 'complete', why: 'cancelled' }
  }
  if (!view.completeAfterReboot) return wait('admin')
  const isBack = machine?.isReady === true && machine.bootID === report?.bootID
  return isBack ? { kind: 'complete', why: 'rebooted' } : wait('machineReturns')
}

/** Once, and when the node is given back and the maintenance controller writes no finalizers any more. */
function cleanUp({ maintenance, mark }: Own): ShutdownStep {
  const isDone = mark.cleaned === true && !holdsForCleanUp(maintenance)
  const isOver = isCompleted(maintenance) && !isHeld(maintenance.metadata)
  return isDone || !isOver ? nothing : { kind: 'clean', mark: { ...mark, cleaned: true } }
}

function isDeleted({ metadata }: NodeMaintenance): boolean {
  return metadata.deletionTimestamp !== undefined
}

function isEnded(maintenance: NodeMaintenance): boolean {
  return maintenance.spec.stage === 'Complete' || isDeleted(maintenance)
}

function orElse(step: ShutdownStep, other: ShutdownStep): ShutdownStep {
  return step.kind === 'nothing' ? other : step
}

/**
 * Whether the node should say that it goes down. Undefined: whatever it says was not written for a shutdown that is
 * known here. What is written stays known: True is said only when the maintenance is there, or the word to continue.
 */
export function inProgressOf(view: ShutdownView): boolean | undefined {
  const { report, mayGo } = view
  const own = ownOf(view)
  const isKnown = mayGo !== undefined || (own !== undefined && own.mark.cleaned !== true)
  if (report?.shutdown === undefined) return own !== undefined && cleanUp(own).kind === 'clean' ? false : undefined
  if (!isKnown) return undefined
  const going = goingOf(view, own)
  if (going?.phase !== 'Signalled' || !view.isOn) return false
  return going.id === mayGo || going.id === own?.mark.id ? true : undefined
}
