import { conditionIsTrue } from '../../api/schema/condition.ts'
import { evacuationConditions, evacuations, type Evacuation } from '../../api/evacuation/evacuation.ts'
import { evacuationName } from '../../api/evacuation/evacuation-name.ts'
import type { Pod } from '../../api/kubernetes/core.ts'
import { podRefOf } from '../../api/evacuation/pod-reference.ts'
import { isActive } from '../decide-turn.ts'
import type { WorkloadWorld } from './workload-evacuator.ts'

/** A pod that an evacuator is to take away. */
export interface PodTurn {
  readonly uid: string
  /** Of its Evacuation. */
  readonly name: string
  /** Its Evacuation says that something is in the way. */
  readonly isBlocked: boolean
}

/** Those of the pods that have the class as their active evacuator now. Evacuations must be followed. */
export function turnsAmong(pods: readonly Pod[], evacuatorClass: string, world: Pick<WorkloadWorld, 'get'>): PodTurn[] {
  return pods.flatMap((pod) => {
    const ref = podRefOf(pod)
    const name = evacuationName(ref)
    const evacuation = world.get(evacuations, name)
    const isOurs = evacuation !== undefined && !isCancelled(evacuation) && isActive(evacuation, evacuatorClass)
    return isOurs ? [{ uid: ref.uid, name, isBlocked: isBlocked(evacuation) }] : []
  })
}

function isCancelled({ metadata }: Evacuation): boolean {
  return metadata.deletionTimestamp !== undefined
}

function isBlocked({ status }: Evacuation): boolean {
  return conditionIsTrue(status?.conditions, evacuationConditions.blocked)
}
