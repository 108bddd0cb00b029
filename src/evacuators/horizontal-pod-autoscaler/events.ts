import type { HorizontalPodAutoscaler } from '../../api/kubernetes/autoscaling.ts'
import { apiVersionOf, horizontalPodAutoscalers } from '../../api/kubernetes/resources.ts'
import type { ClusterEvent } from '../../kube/events/cluster-event.ts'

export function invalidPriority({ metadata }: HorizontalPodAutoscaler, message: string): ClusterEvent {
  const { name, namespace, uid } = metadata
  const { kind } = horizontalPodAutoscalers
  const about = { apiVersion: apiVersionOf(horizontalPodAutoscalers), kind, metadata: { name, namespace, uid } }
  return {
    about,
    type: 'Warning',
    reason: 'InvalidEvacuationPriority',
    note: `Takes no part in evacuations: ${message}`,
  }
}
