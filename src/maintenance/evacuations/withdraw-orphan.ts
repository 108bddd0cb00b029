import { nodeOfEvacuation } from '../../api/evacuation/evacuated-from.ts'
import type { Evacuation } from '../../api/evacuation/evacuation.ts'
import { podRefOfEvacuation } from '../../api/evacuation/pod-reference.ts'
import { pods } from '../../api/kubernetes/resources.ts'
import type { Instigator } from '../../evacuation-client/instigator.ts'
import type { Kube } from '../../kube/client/client.ts'
import { unlessNotFound } from '../../kube/client/errors.ts'
import type { Log } from '../../runtime/log.ts'
import type { Next } from '../../runtime/work-queue.ts'
import type { DrainState } from '../drain-state.ts'
import { isAskedByMaintenance, isEnding } from './asked-for.ts'

export interface OrphanParts {
  readonly kube: Pick<Kube, 'get'>
  readonly log: Log
  readonly instigator: Pick<Instigator, 'withdraw'>
  readonly state: Pick<DrainState, 'orphan' | 'isDraining' | 'isLeftInPlace'>
}

/**
 * Withdraws from an Evacuation that was deleted by others: the finalizer would keep it, and with it the pod, for good.
 * Withdraws an Evacuation that a maintenance asked for and that no maintenance wants any more: it was on its way when
 * its node was given back, all marks of the maintenance went while Lifeboat was down, or a gate is off by now.
 */
export async function withdrawOrphan(parts: OrphanParts, id: string, signal: AbortSignal): Promise<Next> {
  const { instigator, log, state } = parts
  const evacuation = state.orphan(id)
  if (evacuation !== undefined && (await isDue(parts, evacuation, signal))) {
    await instigator.withdraw(podRefOfEvacuation(evacuation), signal)
    const why = isEnding(evacuation) ? 'that was deleted' : 'that no maintenance asks for any more'
    log.info({ evacuation: id }, `withdrew from an evacuation ${why}`)
  }
  return { kind: 'settled' }
}

async function isDue({ kube, state }: OrphanParts, evacuation: Evacuation, signal: AbortSignal): Promise<boolean> {
  if (!isAskedByMaintenance(evacuation)) return false
  if (isEnding(evacuation)) return true
  // No pod moves to another node, so there is no need to look it up: after a drain that would be a read for every pod.
  const from = nodeOfEvacuation(evacuation)
  const ref = podRefOfEvacuation(evacuation)
  if (from !== undefined && state.isDraining(from)) return state.isLeftInPlace({ ...ref, node: from })
  const pod = await unlessNotFound(kube.get(pods, ref, { signal }))
  // A pod that is gone ends its evacuation anyway; one without a node is on none that is drained.
  if (pod === undefined || pod.metadata.uid !== ref.uid) return false
  const { nodeName } = pod.spec ?? {}
  return nodeName === undefined || !state.isDraining(nodeName)
}
