import { evacuations } from '../../api/evacuation/evacuation.ts'
import { evacuationName } from '../../api/evacuation/evacuation-name.ts'
import type { Evacuator as Registration } from '../../api/evacuation/evacuator.ts'
import type { Pod } from '../../api/kubernetes/core.ts'
import {
  deployments,
  horizontalPodAutoscalers,
  pods,
  replicaSets,
  statefulSets,
} from '../../api/kubernetes/resources.ts'
import { evacuatorClasses } from '../../api/names.ts'
import { podRefOf } from '../../api/evacuation/pod-reference.ts'
import { controllerOf } from '../workload/pod-state.ts'
import { turnsAmong } from '../workload/turns-among.ts'
import type { WorkloadEvacuator, WorkloadReader, WorkloadTurn, WorkloadWorld } from '../workload/workload-evacuator.ts'
import { invalidPriority } from './events.ts'
import { optInOf } from './opt-in.ts'
import { surgeOf } from './surge.ts'
import { stepAutoscaler, type AutoscalerView } from './step.ts'
import { autoscalersOf, podsOf, readTarget, scales, targetIn, targetReferenceIn } from './target.ts'

const evacuatorClass = evacuatorClasses.horizontalPodAutoscaler

/** Lets an autoscaler that opted in start pods before others leave. What it raises is put back by SurgeRestorer. */
export const horizontalPodAutoscaler: WorkloadEvacuator<AutoscalerView> = {
  evacuatorClass,
  claim,
  follows: (pod) => [
    { resource: pods },
    ...(isOfStatefulSet(pod) ? [{ resource: statefulSets }] : [{ resource: replicaSets }, { resource: deployments }]),
    { resource: horizontalPodAutoscalers },
    { resource: evacuations },
  ],
  workloadOf: (pod, world) => targetReferenceIn(world, pod)?.uid ?? '',
  gather: async (turn, world) => gather(turn, world),
  step: stepAutoscaler,
}

async function claim(pod: Pod, read: WorkloadReader): Promise<Registration | undefined> {
  const target = await readTarget(pod, read)
  if (target === undefined) return undefined
  const all = await read.list(horizontalPodAutoscalers, pod.metadata.namespace)
  for (const autoscaler of autoscalersOf(all, target)) {
    const optIn = optInOf(autoscaler)
    if (optIn.kind === 'priority') return { evacuatorClass, priority: optIn.priority }
    if (optIn.kind === 'invalid') read.tell?.(invalidPriority(autoscaler, optIn.message))
  }
  return undefined
}

function gather({ pod }: WorkloadTurn, world: WorkloadWorld): AutoscalerView {
  const reference = targetReferenceIn(world, pod)
  if (reference === undefined) return { pod, target: undefined, autoscaler: undefined, pods: [], turns: new Map() }
  const found = world.select(horizontalPodAutoscalers, (candidate) => scales(candidate, reference))
  const autoscaler = autoscalersOf(found, reference).find((candidate) => optInOf(candidate).kind === 'priority')
  const all = podsOf(world, reference)
  // Of a thousand pods a few are evacuated, and only what is asked for here wakes the evacuator.
  const listed = new Set(autoscaler === undefined ? [] : surgeOf(autoscaler)?.evacuations)
  const raisedFor = all.filter((other) => listed.has(evacuationName(podRefOf(other))))
  const turns = turnsAmong(raisedFor, evacuatorClass, world)
  return {
    pod,
    target: targetIn(world, reference),
    autoscaler,
    pods: all,
    turns: new Map(turns.map(({ name, isBlocked }) => [name, { isBlocked }])),
  }
}

function isOfStatefulSet(pod: Pod): boolean {
  return controllerOf(pod)?.kind === 'StatefulSet'
}
