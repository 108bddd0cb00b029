import type { Pod, PodCondition, PodStatus } from '../../api/kubernetes/core.ts'
import { Pool } from '../../runtime/pool.ts'
import { TextPool } from '../../runtime/text-pool.ts'
import type { Packing } from './object-cache.ts'

/** What tells a pod from the others of its workload. The rest, which most of them share, is held once. */
class PackedPod {
  readonly name: string
  readonly uid: string
  readonly resourceVersion: string
  readonly creationTimestamp: string | undefined
  readonly nodeName: string | undefined
  /** Since when it is ready, or is not. */
  readonly readySince: string | undefined
  readonly common: Pod

  constructor(pod: Pod, common: Pod, texts: TextPool) {
    const { name, uid, resourceVersion, creationTimestamp } = pod.metadata
    this.name = name
    this.uid = uid
    this.resourceVersion = resourceVersion
    this.creationTimestamp = texts.share(creationTimestamp)
    this.nodeName = texts.share(pod.spec?.nodeName)
    this.readySince = texts.share(pod.status?.conditions?.find(isReadiness)?.lastTransitionTime)
    this.common = common
  }
}

/** A cluster can have 150,000 pods in a few thousand workloads, and a large drain looks at all of them. */
export class PodPacking implements Packing<Pod> {
  readonly #commons = new Pool<Pod>()
  readonly #texts = new TextPool()

  pack(pod: Pod): object {
    const common = commonOf(pod)
    return new PackedPod(
      pod,
      this.#commons.share(common, () => common),
      this.#texts,
    )
  }

  open(packed: object): Pod {
    const { name, uid, resourceVersion, creationTimestamp, nodeName, readySince, common } = packed as PackedPod
    const { metadata, spec, status } = common
    return {
      ...common,
      metadata: {
        ...metadata,
        name,
        uid,
        resourceVersion,
        ...(creationTimestamp === undefined ? {} : { creationTimestamp }),
      },
      ...(spec === undefined || nodeName === undefined ? {} : { spec: { ...spec, nodeName } }),
      ...(status === undefined || readySince === undefined ? {} : { status: readyIn(status, readySince) }),
    }
  }
}

function commonOf(pod: Pod): Pod {
  const { creationTimestamp: _created, ...metadata } = pod.metadata
  const common = { ...pod, metadata: { ...metadata, name: '', uid: '', resourceVersion: '' } }
  if (pod.spec !== undefined) {
    const { nodeName: _node, ...spec } = pod.spec
    common.spec = spec
  }
  if (pod.status?.conditions !== undefined) {
    common.status = { ...pod.status, conditions: pod.status.conditions.map(withoutTime) }
  }
  return common
}

function withoutTime(condition: PodCondition): PodCondition {
  if (!isReadiness(condition)) return condition
  const { lastTransitionTime: _time, ...rest } = condition
  return rest
}

function readyIn(status: PodStatus, lastTransitionTime: string): PodStatus {
  const conditions = status.conditions?.map((condition) =>
    isReadiness(condition) ? { ...condition, lastTransitionTime } : condition,
  )
  return { ...status, ...(conditions === undefined ? {} : { conditions }) }
}

function isReadiness({ type }: PodCondition): boolean {
  return type === 'Ready'
}
