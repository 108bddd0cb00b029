import { podPriorityOf, selectsPod } from '../api/drain-targets.ts'
import { annotations } from '../api/names.ts'
import type { Pod } from '../api/kubernetes/core.ts'
import type { DeepReadonly } from '../api/kubernetes/meta.ts'
import { podTypeOf, type PodType } from '../api/pod-type.ts'
import type { Targets } from './targets.ts'

/** What a plan has to know of a pod. */
export interface PlannedPod {
  readonly pod: DeepReadonly<Pod>
  readonly podType: PodType
  readonly podPriority: number
  /** There is an Evacuation of it that the maintenance asked for. */
  readonly isEvacuating: boolean
}

export interface PodsOfNode {
  readonly leaving: readonly PlannedPod[]
  /** Pods that nobody takes away, by type: they do not hold a drain. */
  readonly staying: Readonly<Partial<Record<PodType, number>>>
}

export interface PodKnowledge {
  readonly isEvacuating: (pod: DeepReadonly<Pod>) => boolean
  /** The gate NodeMaintenanceAwareDaemonSet: without it nobody takes pods of DaemonSets away. */
  readonly daemonSetsLeave: boolean
}

export function sortPods(pods: readonly DeepReadonly<Pod>[], knowledge: PodKnowledge): PodsOfNode {
  const leaving: PlannedPod[] = []
  const staying: Partial<Record<PodType, number>> = {}
  for (const pod of pods) {
    const podType = podTypeOf(pod)
    if (staysBehind(pod, podType, knowledge)) staying[podType] = (staying[podType] ?? 0) + 1
    else leaving.push({ pod, podType, podPriority: podPriorityOf(pod), isEvacuating: knowledge.isEvacuating(pod) })
  }
  return { leaving, staying }
}

/** The evacuation controller evicts neither static pods nor those of DaemonSets: they go if an evacuator takes them. */
function staysBehind(pod: DeepReadonly<Pod>, podType: PodType, { daemonSetsLeave }: PodKnowledge): boolean {
  if (podType === 'Default' || (podType === 'DaemonSet' && daemonSetsLeave)) return false
  return !Object.keys(pod.metadata.annotations ?? {}).some((key) => key.startsWith(annotations.evacuatorPriorityPrefix))
}

export function isTargeted(pod: PlannedPod, targets: Targets): boolean {
  return targets.some((target) => selectsPod(target, pod))
}
