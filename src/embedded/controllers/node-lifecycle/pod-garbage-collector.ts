import type { Next } from '../../../runtime/work-queue.ts'
import { type Stored, readAs } from '../../server/store.ts'
import { againAt, ownKey, settled, startControlLoop } from '../control-loop.ts'
import type { ControllerParts } from '../controller.ts'
import type { Node, Pod } from '../objects.ts'
import { isTerminating } from '../pod-status.ts'
import { getObject, listObjects } from '../typed-store.ts'
import { readyOf } from './decide-node.ts'
import { forceDeletePod, podsByNode } from './pod-removal.ts'

const collectKey = 'collect'
const collectIntervalMs = 20_000
/** Pods of a node that is gone are left alone for a while: it may come back under the same name. */
const missingNodeGraceMs = 40_000
const outOfService = 'node.kubernetes.io/out-of-service'

/**
 * Takes away pods that no kubelet will end: their node is gone, or a person says that it is off.
 * As upstream: https://github.com/kubernetes/kubernetes/blob/v1.37.1/pkg/controller/podgc/gc_controller.go
 */
export function startPodGarbageCollector(parts: ControllerParts): AsyncDisposable {
  const pods = podsByNode(parts)
  /** Since when a node that pods are bound to is not there. */
  const missingSince = new Map<string, number>()

  const collectFromDeadNodes = async (): Promise<Next> => {
    for (const node of listObjects(parts.store, 'nodes').filter(isOutOfService)) {
      for (const pod of pods.in(node.metadata.name).filter(isTerminating)) await forceDeletePod(parts, pod)
    }
    return againAt(parts.clock.nowMs() + collectIntervalMs)
  }

  const collectOrphan = async (key: string): Promise<Next> => {
    const pod = getObject(parts.store, 'pods', key)
    const nodeName = pod?.spec?.nodeName
    if (pod === undefined || nodeName === undefined) return settled
    if (getObject(parts.store, 'nodes', nodeName) !== undefined) {
      missingSince.delete(nodeName)
      return settled
    }
    const nowMs = parts.clock.nowMs()
    const sinceMs = missingSince.get(nodeName) ?? nowMs
    missingSince.set(nodeName, sinceMs)
    if (nowMs < sinceMs + missingNodeGraceMs) return againAt(sinceMs + missingNodeGraceMs)
    await forceDeletePod(parts, pod, { reason: 'DeletionByPodGC', message: 'PodGC: node no longer exists' })
    return settled
  }

  const loop = startControlLoop({
    name: 'pod-garbage-collector',
    parts,
    reconcile: async (key) => (key === collectKey ? await collectFromDeadNodes() : await collectOrphan(key)),
    wakes: {
      nodes: ({ metadata }, _previous, type) =>
        type === 'MODIFIED' ? [] : pods.in(metadata.name).flatMap((pod) => ownKey(pod)),
      pods: (object, previous, type) =>
        type !== 'DELETED' && isBoundAnew(object, previous) && !hasNode(parts, object) ? ownKey(object) : [],
    },
  })
  loop.addAfter(collectKey, collectIntervalMs)
  return {
    [Symbol.asyncDispose]: async () => {
      await loop[Symbol.asyncDispose]()
      pods[Symbol.dispose]()
    },
  }
}

/** A machine that does not report, and whose taint says that it is off. */
function isOutOfService(node: Node): boolean {
  const isTainted = node.spec?.taints?.some(({ key }) => key === outOfService) ?? false
  return isTainted && readyOf(node)?.status !== 'True'
}

function isBoundAnew(object: Stored, previous: Stored | undefined): boolean {
  const nodeOf = (pod: Stored | undefined) => readAs<Pod | undefined>(pod)?.spec?.nodeName
  return nodeOf(object) !== nodeOf(previous)
}

function hasNode({ store }: ControllerParts, pod: Stored): boolean {
  const { spec } = readAs<Pod>(pod)
  return spec?.nodeName === undefined || getObject(store, 'nodes', spec.nodeName) !== undefined
}
