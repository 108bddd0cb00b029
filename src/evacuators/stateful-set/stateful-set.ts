import { evacuations } from '../../api/evacuation/evacuation.ts'
import { controllerRole, evacuatorLimits } from '../../api/evacuation/evacuator.ts'
import type { Pod } from '../../api/kubernetes/core.ts'
import type { OwnerReference } from '../../api/kubernetes/meta.ts'
import { podDisruptionBudgets, pods, statefulSets } from '../../api/kubernetes/resources.ts'
import { evacuatorClasses } from '../../api/names.ts'
import { coveringPods } from '../workload/budget-gate.ts'
import { controllerOf } from '../workload/pod-state.ts'
import { turnsAmong } from '../workload/turns-among.ts'
import type { WorkloadEvacuator, WorkloadTurn, WorkloadWorld } from '../workload/workload-evacuator.ts'
import { stepStatefulSet, type StatefulSetView } from './step.ts'
import { whyUnsupported } from './support.ts'

const evacuatorClass = evacuatorClasses.statefulSet
const registration = { evacuatorClass, priority: evacuatorLimits.controllerPriority, role: controllerRole }

/** Takes the pods of a StatefulSet that opted in down one after the other. */
export const statefulSet: WorkloadEvacuator<StatefulSetView> = {
  evacuatorClass,
  claim: async (pod, read) => {
    const owner = ownerOf(pod)
    if (owner === undefined) return undefined
    const set = await read.get(statefulSets, { namespace: pod.metadata.namespace, name: owner.name })
    const isOpted = set !== undefined && set.metadata.uid === owner.uid && whyUnsupported(set) === undefined
    return isOpted ? registration : undefined
  },
  follows: () => [
    { resource: pods },
    { resource: statefulSets },
    { resource: podDisruptionBudgets },
    { resource: evacuations },
  ],
  workloadOf: (pod) => ownerOf(pod)?.uid ?? '',
  gather: async (turn, world) => gather(turn, world),
  step: stepStatefulSet,
}

function gather({ pod, evictionAskedMs }: WorkloadTurn, world: WorkloadWorld): StatefulSetView {
  const owner = ownerOf(pod)
  const named = owner === undefined ? undefined : world.get(statefulSets, owner.name)
  const set = named?.metadata.uid === owner?.uid ? named : undefined
  const all = owner === undefined ? [] : world.ownedBy(pods, owner.uid)
  const others = all.filter((other) => ownerOf(other)?.uid === owner?.uid)
  const turns = turnsAmong(others, evacuatorClass, world)
  return {
    pod,
    set,
    pods: others,
    budgets: world.select(podDisruptionBudgets, coveringPods(pod.metadata.labels), pod.metadata.labels),
    evictionAskedMs,
    evacuating: new Map(turns.map(({ uid, isBlocked }) => [uid, { isBlocked }])),
  }
}

function ownerOf(pod: Pod): OwnerReference | undefined {
  const owner = controllerOf(pod)
  return owner?.kind === 'StatefulSet' && owner.apiVersion.startsWith('apps/') ? owner : undefined
}
