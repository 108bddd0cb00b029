import type { ShutdownMode } from '../../api/maintenance/agent-shutdown.ts'
import type { BlockedBy } from '../../api/blocker/blocked-by.ts'
import type { Evacuation } from '../../api/evacuation/evacuation.ts'
import type { Lease } from '../../api/kubernetes/coordination.ts'
import type { Node, Pod } from '../../api/kubernetes/core.ts'
import type { NodeSilence } from '../../api/maintenance/node-silence.ts'
import type { NodeMaintenance } from '../../api/maintenance/node-maintenance.ts'
import type { Stage } from '../../api/maintenance/stage.ts'

/** Everything that an explanation looks at. */
export interface WhyView {
  /** Undefined: the pod is on no node, or the user may not read nodes. */
  readonly node: Node | undefined
  /** All of the node, or the one that was asked about. */
  readonly pods: readonly Pod[]
  /** Any; those of other pods are left out, unless the pod that was asked about is gone. */
  readonly evacuations: readonly Evacuation[]
  /** Any; those that select another node are left out. */
  readonly maintenances: readonly NodeMaintenance[]
  /** Of the agent on the node; undefined: there is none, or the user may not read it. */
  readonly mailbox?: Lease | undefined
  readonly about: 'node' | 'pod'
}

/** The nodes of a drain. */
export interface DrainView {
  readonly name: string
  readonly views: readonly WhyView[]
}

/** What `lifeboat why DRAIN -o json` prints. */
export interface DrainWhyReport {
  readonly about: 'drain'
  readonly name: string
  /** Those that its maintenances select and that are not given back. */
  readonly nodes: readonly NodeReport[]
  /** Of all its nodes; `nodeName` says of which. */
  readonly pods: readonly PodReport[]
}

/** What `lifeboat why -o json` prints. Fields are added to it and never change their meaning. */
export interface WhyReport {
  readonly about: 'node' | 'pod'
  /** Left out for a pod whose node has no maintenance, or cannot be read. */
  readonly node?: NodeReport
  readonly pods: readonly PodReport[]
}

export type NodeState =
  /** No maintenance selects it. */
  | 'Untouched'
  /** A maintenance at stage Idle selects it. */
  | 'Announced'
  | 'Cordoned'
  | 'Draining'
  | 'Drained'
  /** Its maintenance is over, and it is being given back. */
  | 'Returning'

/** How far the shutdown of the machine of a node is. */
export type ShutdownState =
  /** Lifeboat has not begun to drain for it. */
  | 'Unseen'
  /** It waits until the node is drained. */
  | 'Draining'
  /** A maintenance that is not Lifeboat's own has the name that the one for the shutdown would have. */
  | 'NameTaken'
  /** Nothing holds it any more. */
  | 'Released'
  /** The machine has been down since; its maintenance is still there. */
  | 'Over'
  /** Logind cannot be asked. */
  | 'Unknown'

export interface ShutdownExplanation {
  readonly state: ShutdownState
  readonly mode: ShutdownMode
  readonly message: string
  /** When the machine goes down at the latest, where that is known. */
  readonly until?: string
  readonly next: string
  readonly commands: readonly string[]
}

export interface NodeReport {
  readonly name: string
  readonly state: NodeState
  readonly message: string
  /** Those that select it and are not over, oldest first. */
  readonly maintenances: readonly { readonly name: string; readonly stage: Stage; readonly reason?: string }[]
  /** What happens next, or what would make it happen. */
  readonly next: string
  readonly commands: readonly string[]
  /** Left out where it reports that it is ready. */
  readonly silence?: Pick<NodeSilence, 'nodeReady' | 'since'>
  /** Left out where its machine does not go down. */
  readonly shutdown?: ShutdownExplanation
}

/** How a pod waits, in the order in which pods are shown. */
export type Phase =
  /** Something keeps it; `reason` is typed. */
  | 'Blocked'
  | 'Terminating'
  /** Its evacuation is under way. */
  | 'Evacuating'
  /** Its turn in the drain plan is still to come. */
  | 'Pending'
  /** A DaemonSet pod that is kept off its node until the maintenance is over. */
  | 'Held'
  /** No evacuator takes it away, and the drain does not wait for it. */
  | 'Staying'
  /** No instigator wants it to leave. */
  | 'Unaffected'
  | 'Gone'

export interface PodReport {
  readonly namespace: string
  readonly name: string
  readonly uid: string
  readonly nodeName?: string
  readonly phase: Phase
  /** One word for programs: of the condition Blocked, the evacuator whose turn it is, or what the phase is due to. */
  readonly reason: string
  /** Continues the sentence after the name of the pod. */
  readonly message: string
  readonly since?: string
  /** Who wants it gone: the instigators of its Evacuation. */
  readonly askedForBy?: readonly string[]
  /** Profile and strategy, `balance/LowNodeUtilization`, where the descheduler is among them. */
  readonly strategy?: string
  readonly expectedFinish?: string
  /** As in the status of an Evacuation, and brought up to date where it counts time. */
  readonly blockedBy?: BlockedBy
  /** What would unblock it, or what happens next. */
  readonly next: string
  readonly commands: readonly string[]
  /** Left out where its evacuation can be cancelled. */
  readonly cancellation?: CancellationReport
}

/** Why an evacuation cannot be cancelled, and what lifts that. */
export interface CancellationReport {
  readonly policy: 'Forbid'
  /** The evacuators that may have set it: the active one, then those before it, the last one first. */
  readonly setBy: readonly string[]
  readonly message: string
  readonly next: string
  readonly commands: readonly string[]
}
