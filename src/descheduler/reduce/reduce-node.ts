import { amountsOf } from '../../api/kubernetes/pod-requests.ts'
import type { NodeView } from '../view.ts'
import type { SourceNode } from './objects.ts'

export function reduceNode({ metadata, spec, status }: SourceNode): NodeView {
  const conditions = status?.conditions ?? []
  return {
    name: metadata.name,
    labels: metadata.labels ?? {},
    taints: spec?.taints ?? [],
    isCordoned: spec?.unschedulable === true,
    isReady: conditions.every((condition) => condition.type !== 'Ready' || condition.status === 'True'),
    allocatable: amountsOf(status?.allocatable),
    capacity: amountsOf(status?.capacity),
  }
}
