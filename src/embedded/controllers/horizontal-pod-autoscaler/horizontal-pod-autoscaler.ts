import type { Next } from '../../../runtime/work-queue.ts'
import { timestamp } from '../../server/identity.ts'
import type { Stored } from '../../server/store.ts'
import { ownKey, settled, startControlLoop } from '../control-loop.ts'
import type { ControllerParts } from '../controller.ts'
import { recordEvent } from '../event-record.ts'
import type { HorizontalPodAutoscaler, WorkloadCondition } from '../objects.ts'
import { getObject, listObjects } from '../typed-store.ts'
import { ignoring, writeStatus } from '../outcome.ts'
import { withWorkloadCondition } from '../workload-condition.ts'
import { decideScale, type ScaleDecision } from './decide-scale.ts'

const resource = 'horizontalpodautoscalers.autoscaling'
const targetResources: Readonly<Record<string, string>> = {
  Deployment: 'deployments.apps',
  ReplicaSet: 'replicasets.apps',
  StatefulSet: 'statefulsets.apps',
}

export function startHorizontalPodAutoscalerController(parts: ControllerParts): AsyncDisposable {
  const targeting = (kind: string) => (object: Stored) =>
    listObjects(parts.store, resource, object.metadata.namespace)
      .filter(({ spec }) => spec?.scaleTargetRef?.kind === kind && spec.scaleTargetRef.name === object.metadata.name)
      .flatMap((autoscaler) => ownKey(autoscaler))
  const targets = Object.entries(targetResources).map(([kind, target]) => [target, targeting(kind)] as const)
  return startControlLoop({
    name: 'horizontal-pod-autoscaler',
    parts,
    reconcile: async (key) => await reconcileAutoscaler(parts, key),
    wakes: { [resource]: ownKey, ...Object.fromEntries(targets) },
  })
}

async function reconcileAutoscaler(parts: ControllerParts, key: string): Promise<Next> {
  const { store, api } = parts
  const autoscaler = getObject(store, resource, key)
  const reference = autoscaler?.spec?.scaleTargetRef
  const targetResource = targetResources[reference?.kind ?? '']
  if (autoscaler === undefined || reference === undefined || targetResource === undefined) return settled
  const { namespace } = autoscaler.metadata
  const target = store.get(targetResource, `${namespace}/${reference.name}`)
  if (target === undefined) return settled
  const { replicas = 1 } = (target['spec'] ?? {}) as { replicas?: number }
  const decision = decideScale(autoscaler, replicas)
  if (decision.kind === 'rescale') {
    const patch = {
      metadata: { resourceVersion: target.metadata.resourceVersion },
      spec: { replicas: decision.replicas },
    }
    const written = await ignoring(
      ['Conflict', 'NotFound'],
      api.mergePatch(targetResource, { namespace, name: reference.name }, patch),
    )
    if (written === undefined) return settled
    const about = { apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler', metadata: autoscaler.metadata }
    const message = `New size: ${decision.replicas}; reason: ${decision.why}`
    const component = 'horizontal-pod-autoscaler'
    await recordEvent(parts, about, { type: 'Normal', reason: 'SuccessfulRescale', message, component })
  }
  await writeStatus(
    parts,
    resource,
    autoscaler,
    statusFor(autoscaler, target, decision, timestamp(parts.clock.nowMs())),
  )
  return settled
}

function statusFor(autoscaler: HorizontalPodAutoscaler, target: Stored, decision: ScaleDecision, now: string): object {
  const { replicas: currentReplicas = 0 } = (target['status'] ?? {}) as { replicas?: number }
  const { replicas = 1 } = (target['spec'] ?? {}) as { replicas?: number }
  const isRescaled = decision.kind === 'rescale'
  const able = isRescaled
    ? {
        reason: 'SucceededRescale',
        message: `the HPA controller was able to update the target scale to ${decision.replicas}`,
      }
    : { reason: 'SucceededGetScale', message: "the HPA controller was able to get the target's current scale" }
  const active =
    decision.kind === 'disabled'
      ? {
          status: 'False',
          reason: 'ScalingDisabled',
          message: 'scaling is disabled since the replica count of the target is zero',
        }
      : {
          status: 'True',
          reason: 'ValidMetricFound',
          message: 'the HPA was able to successfully calculate a replica count',
        }
  const withAble = withWorkloadCondition(
    autoscaler.status?.conditions ?? [],
    { type: 'AbleToScale', status: 'True', ...able },
    now,
  )
  const conditions = withWorkloadCondition(withAble, { type: 'ScalingActive', ...active }, now)
  return {
    ...autoscaler.status,
    observedGeneration: autoscaler.metadata.generation ?? 0,
    currentReplicas,
    desiredReplicas: isRescaled ? decision.replicas : replicas,
    ...(isRescaled ? { lastScaleTime: now } : {}),
    conditions: conditions.map(withoutUpdateTime),
  }
}

/** An autoscaler's conditions have no such time. */
function withoutUpdateTime(condition: WorkloadCondition): WorkloadCondition {
  const { lastUpdateTime: _, ...rest } = condition
  return rest
}
