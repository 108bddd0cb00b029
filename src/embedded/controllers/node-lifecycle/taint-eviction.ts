import { isDeepStrictEqual } from 'node:util'
import type { Next } from '../../../runtime/work-queue.ts'
import { type Stored, readAs } from '../../server/store.ts'
import { againAt, ownKey, settled, startControlLoop } from '../control-loop.ts'
import type { ControllerParts } from '../controller.ts'
import type { ObjectGroups } from '../object-groups.ts'
import type { Node, Pod } from '../objects.ts'
import { getObject } from '../typed-store.ts'
import { decideTaintEviction, type ScheduledEviction } from './decide-taint-eviction.ts'
import { deletePod, podsByNode, writeDisruption } from './pod-removal.ts'

/** Deletes pods that do not tolerate the NoExecute taints of their node, or no longer. */
export function startTaintEvictionController(parts: ControllerParts): AsyncDisposable {
  const pods = podsByNode(parts)
  const evictor = new TaintEvictor(parts)
  const loop = startControlLoop({
    name: 'taint-eviction',
    parts,
    reconcile: async (key) => await evictor.reconcilePod(key),
    wakes: {
      nodes: (object, previous) => (executeTaintsChanged(object, previous) ? keysOn(pods, object) : []),
      pods: (object, previous, type) => (type === 'DELETED' || concerns(object, previous) ? ownKey(object) : []),
    },
  })
  return {
    [Symbol.asyncDispose]: async () => {
      await loop[Symbol.asyncDispose]()
      pods[Symbol.dispose]()
    },
  }
}

function keysOn(pods: ObjectGroups<'pods'>, { metadata }: Stored): string[] {
  return pods.in(metadata.name).flatMap((pod) => ownKey(pod))
}

function executeTaintsChanged(object: Stored, previous: Stored | undefined): boolean {
  const taintsOf = (node: Stored | undefined) =>
    (readAs<Node | undefined>(node)?.spec?.taints ?? []).filter(({ effect }) => effect === 'NoExecute')
  return !isDeepStrictEqual(taintsOf(object), taintsOf(previous))
}

function concerns(object: Stored, previous: Stored | undefined): boolean {
  const specOf = (pod: Stored | undefined) => readAs<Pod | undefined>(pod)?.spec
  const [spec, before] = [specOf(object), specOf(previous)]
  if (spec === before || spec?.nodeName === undefined) return false
  return spec.nodeName !== before?.nodeName || !isDeepStrictEqual(spec.tolerations, before.tolerations)
}

class TaintEvictor {
  readonly #parts: ControllerParts
  /** By the pod's key. In memory only, as upstream: a restart counts again. */
  readonly #scheduled = new Map<string, ScheduledEviction>()

  constructor(parts: ControllerParts) {
    this.#parts = parts
  }

  async reconcilePod(key: string): Promise<Next> {
    const { store, clock } = this.#parts
    const pod = getObject(store, 'pods', key)
    const node = pod?.spec?.nodeName === undefined ? undefined : getObject(store, 'nodes', pod.spec.nodeName)
    if (pod === undefined || node === undefined) {
      this.#scheduled.delete(key)
      return settled
    }
    const decision = decideTaintEviction(pod, node, { scheduled: this.#scheduled.get(key), nowMs: clock.nowMs() })
    switch (decision.kind) {
      case 'stay':
        this.#scheduled.delete(key)
        return settled
      case 'leaveLater':
        this.#scheduled.set(key, decision.eviction)
        return againAt(decision.eviction.atMs)
      case 'leave':
        this.#scheduled.delete(key)
        await writeDisruption(this.#parts, pod, {
          reason: 'DeletionByTaintManager',
          message: 'Taint manager: deleting due to NoExecute taint',
        })
        await deletePod(this.#parts, pod)
        return settled
      default:
        return decision satisfies never
    }
  }
}
