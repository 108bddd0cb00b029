import { podPriorityOf, selectsPod } from '../../api/maintenance/drain-targets.ts'
import { annotations } from '../../api/names.ts'
import type { Pod } from '../../api/kubernetes/core.ts'
import { podTypeOf, type PodType } from '../../api/maintenance/pod-type.ts'
import type { DrainingMaintenance, DrainingNode, NodeTally } from './standing.ts'
import type { Targets } from './targets.ts'

/** What a plan has to know of a pod. */
export interface PlannedPod {
  /** Nothing else of it: in a large drain there are tens of thousands. */
  readonly pod: Pick<Pod, 'metadata'>
  readonly podType: PodType
  readonly podPriority: number
  /** There is an Evacuation of it that the maintenance asked for. */
  readonly isEvacuating: boolean
}

export interface PodsOfNode {
  readonly leaving: readonly PlannedPod[]
  readonly staying: Staying
}

/** Pods that a drain leaves in place: they do not hold it. The agent of a node is needed until the end. */
export type Staying = Readonly<Partial<Record<PodType | 'NodeAgent', number>>>

export interface PodKnowledge {
  readonly isEvacuating: (pod: Pod) => boolean
  /** The gate NodeMaintenanceAwareDaemonSet: without it Lifeboat does not take pods of DaemonSets away. */
  readonly daemonSetsLeave: boolean
  readonly agents: AgentKnowledge
}

/** What is known of the agents on nodes. */
export interface AgentKnowledge {
  /** Whether an agent was set up there that takes them away. */
  staticPodsLeave(node: string): boolean
  isNodeAgent(pod: Pod): boolean
}

/** As where no agent was ever set up. */
export const noAgents: AgentKnowledge = { staticPodsLeave: () => false, isNodeAgent: () => false }

export function sortPods(pods: readonly Pod[], knowledge: PodKnowledge): PodsOfNode {
  const leaving: PlannedPod[] = []
  const staying: Partial<Record<keyof Staying, number>> = {}
  for (const pod of pods) {
    const podType = podTypeOf(pod)
    const stays = staysAs(pod, podType, knowledge)
    if (stays !== undefined) staying[stays] = (staying[stays] ?? 0) + 1
    else {
      const isEvacuating = knowledge.isEvacuating(pod)
      leaving.push({ pod: { metadata: pod.metadata }, podType, podPriority: podPriorityOf(pod), isEvacuating })
    }
  }
  return { leaving, staying }
}

/** The evacuation controller evicts neither static pods nor those of DaemonSets: they go if an evacuator takes them. */
function staysAs(pod: Pod, podType: PodType, { daemonSetsLeave, agents }: PodKnowledge): keyof Staying | undefined {
  if (agents.isNodeAgent(pod)) return 'NodeAgent'
  if (podType === 'Default' || (podType === 'DaemonSet' && daemonSetsLeave)) return undefined
  if (podType === 'Static' && agents.staticPodsLeave(pod.spec?.nodeName ?? '')) return undefined
  const isTaken = Object.keys(pod.metadata.annotations ?? {}).some((key) =>
    key.startsWith(annotations.evacuatorPriorityPrefix),
  )
  return isTaken ? undefined : podType
}

export function isTargeted(pod: PlannedPod, targets: Targets): boolean {
  return targets.some((target) => selectsPod(target, pod))
}

export function tallyNode(node: DrainingNode): NodeTally {
  const { leaving } = node.pods
  const evacuating = leaving.filter(({ isEvacuating }) => isEvacuating).length
  return {
    node,
    lowest: node.maintenances.map(({ plan }) => lowestEntry(plan, leaving)),
    targeted: countTargeted(leaving, node.reached),
    pending: leaving.length - evacuating,
    evacuating,
  }
}

/** The first entry of a plan that selects one of the pods. */
function lowestEntry(plan: DrainingMaintenance['plan'], pods: readonly PlannedPod[]): number {
  let lowest = plan.length
  for (const pod of pods) {
    for (let index = 0; index < lowest; index++) {
      const entry = plan[index]
      if (entry !== undefined && selectsPod(entry, pod)) lowest = index
    }
  }
  return lowest
}

export function countTargeted(pods: readonly PlannedPod[], targets: Targets): number {
  let count = 0
  for (const pod of pods) if (isTargeted(pod, targets)) count++
  return count
}
