import { evictTimeoutMsOf, isTakenOver } from '../../api/evacuation/evict-policy.ts'
import { annotations } from '../../api/names.ts'
import { unhealthyTaints } from '../../api/maintenance/unhealthy-node.ts'
import { ownersOf, recordOf, recordsOf, textRecordOf, type AdmissionRequest } from './admission-request.ts'
import { allowed, type Answer, type PatchOperation } from './answer.ts'
import { tolerationSecondsMax, tolerationsMax } from '../policies/evict-time-policy.ts'

/** The creation of a pod, where the API server has no MutatingAdmissionPolicy: does what the policy would do. */
export function makeEvictTime({ object }: AdmissionRequest, defaultTimeoutMs: number): Answer {
  const { metadata, spec } = recordOf(object)
  const { annotations: said, ownerReferences } = recordOf(metadata)
  const pod = { metadata: { annotations: textRecordOf(said), ownerReferences: ownersOf(ownerReferences) } }
  const isExempt = [annotations.addedTolerationSeconds, annotations.mirrorPod].some(
    (key) => key in pod.metadata.annotations,
  )
  if (!isTakenOver(pod) || isExempt) return allowed
  const seconds = Math.ceil((evictTimeoutMsOf(pod) ?? defaultTimeoutMs) / 1_000)
  const longer = longerBy(seconds, recordsOf(recordOf(spec)['tolerations']))
  if (longer.length === 0) return allowed
  const path = `/metadata/annotations/${annotations.addedTolerationSeconds.replace('/', '~1')}`
  return { allowed: true, patch: [...longer, { op: 'add', path, value: String(seconds) }] }
}

function longerBy(seconds: number, tolerations: readonly Readonly<Record<string, unknown>>[]): PatchOperation[] {
  if (tolerations.length > tolerationsMax) return []
  return tolerations.flatMap(({ key, tolerationSeconds: own }, index): PatchOperation[] => {
    const isLimited = typeof own === 'number' && own <= tolerationSecondsMax
    if (!isLimited || !unhealthyTaints.some((taint) => taint === key)) return []
    const path = `/spec/tolerations/${index}/tolerationSeconds`
    return [{ op: 'add', path, value: Math.max(own, 0) + seconds }]
  })
}
