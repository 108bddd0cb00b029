import type { Next } from '../../../runtime/work-queue.ts'
import { timestamp } from '../../identity.ts'
import type { Stored } from '../../store.ts'
import { againAt, ControlLoop, ownKey, settled } from '../control-loop.ts'
import type { ControllerParts } from '../controller.ts'
import { ObjectGroups } from '../object-groups.ts'
import type { Node, Pod } from '../objects.ts'
import { getObject, listObjects } from '../typed-store.ts'
import { ignoring, writeObject, writeStatus } from '../outcome.ts'
import { nameOf } from '../ownership.ts'
import { isReady, isTerminating, withCondition } from '../pod-status.ts'
import { hasTaints, silentAtMs, silentConditions, taintsFor } from './decide-node.ts'
import { decideTaintEviction } from './decide-taint-eviction.ts'

const monitorKey = 'monitor'
const monitorIntervalMs = 5_000
/** Pods of a node that is gone are left alone for a while: it may come back under the same name. */
const missingNodeGraceMs = 40_000

/** Notices nodes that fell silent or were cordoned, taints them, and removes pods that do not tolerate that. */
export function startNodeLifecycleController(parts: ControllerParts): AsyncDisposable {
  const controller = new NodeLifecycle(parts)
  const nodes = new ControlLoop({
    name: 'node-lifecycle',
    parts,
    reconcile: async (key) => (key === monitorKey ? await controller.monitor() : await controller.reconcileNode(key)),
    wakes: { nodes: (object, _previous, type) => (type === 'DELETED' ? [] : ownKey(object)) },
  })
  nodes.addAfter(monitorKey, monitorIntervalMs)
  const pods = new ControlLoop({
    name: 'taint-eviction',
    parts,
    reconcile: async (key) => await controller.reconcilePod(key),
    wakes: {
      nodes: (object, previous, type) => (taintsChanged(object, previous, type) ? controller.podsOn(object) : []),
      pods: (object, previous, type) =>
        type !== 'DELETED' && controller.mayHaveToLeave(object, previous) ? ownKey(object) : [],
    },
  })
  return {
    [Symbol.asyncDispose]: async () => {
      await nodes[Symbol.asyncDispose]()
      await pods[Symbol.asyncDispose]()
      controller[Symbol.dispose]()
    },
  }
}

function taintsChanged(object: Stored, previous: Stored | undefined, type: string): boolean {
  const taintsOf = (node: Stored | undefined) =>
    JSON.stringify((node as unknown as Node | undefined)?.spec?.taints ?? [])
  return type === 'DELETED' || taintsOf(object) !== taintsOf(previous)
}

class NodeLifecycle implements Disposable {
  readonly #parts: ControllerParts
  readonly #pods: ObjectGroups<'pods'>
  /** Since when a node that pods are bound to is not there. */
  readonly #missingSince = new Map<string, number>()

  constructor(parts: ControllerParts) {
    this.#parts = parts
    this.#pods = new ObjectGroups(parts.store, 'pods', {
      by: ({ spec }) => spec,
      groupsOf: ({ spec }) => (spec?.nodeName === undefined ? [] : [spec.nodeName]),
    })
  }

  [Symbol.dispose](): void {
    this.#pods[Symbol.dispose]()
  }

  podsOn({ metadata }: Stored): string[] {
    return this.#pods.in(metadata.name ?? '').flatMap((pod) => ownKey(pod as unknown as Stored))
  }

  mayHaveToLeave(object: Stored, previous: Stored | undefined): boolean {
    const nodeOf = (pod: Stored | undefined) => (pod as unknown as Pod | undefined)?.spec?.nodeName
    const nodeName = nodeOf(object)
    if (nodeName === undefined || nodeName === nodeOf(previous)) return false
    const node = getObject(this.#parts.store, 'nodes', nodeName)
    return node === undefined || (node.spec?.taints ?? []).some(({ effect }) => effect === 'NoExecute')
  }

  async monitor(): Promise<Next> {
    const { store, clock } = this.#parts
    for (const node of listObjects(store, 'nodes')) {
      const name = node.metadata.name ?? ''
      const lease = getObject(store, 'leases.coordination.k8s.io', `kube-node-lease/${name}`)
      if (silentAtMs(node, lease) > clock.nowMs()) continue
      const conditions = silentConditions(node, timestamp(clock.nowMs()))
      await writeStatus(this.#parts, 'nodes', node, { ...node.status, conditions })
      await this.#markPodsUnready(name)
    }
    return againAt(clock.nowMs() + monitorIntervalMs)
  }

  async reconcileNode(name: string): Promise<Next> {
    const node = getObject(this.#parts.store, 'nodes', name)
    if (node === undefined) return settled
    const taints = taintsFor(node, timestamp(this.#parts.clock.nowMs()))
    if (hasTaints(node, taints)) return settled
    const { taints: _, ...spec } = node.spec ?? {}
    await writeObject(this.#parts, 'nodes', {
      ...node,
      spec: { ...spec, ...(taints.length === 0 ? {} : { taints }) },
    } as Node)
    return settled
  }

  async reconcilePod(key: string): Promise<Next> {
    const { store, clock } = this.#parts
    const pod = getObject(store, 'pods', key)
    const nodeName = pod?.spec?.nodeName
    if (pod === undefined || nodeName === undefined) return settled
    const node = getObject(store, 'nodes', nodeName)
    if (node === undefined) return await this.#collect(pod, nodeName)
    this.#missingSince.delete(nodeName)
    if (isTerminating(pod)) return settled
    const decision = decideTaintEviction(pod, node, clock.nowMs())
    switch (decision.kind) {
      case 'stay':
        return settled
      case 'leaveAt':
        return againAt(decision.atMs)
      case 'leave':
        await this.#disrupt(pod, 'DeletionByTaintManager', 'Taint manager: deleting due to NoExecute taint')
        await this.#delete(pod, {})
        return settled
      default:
        return decision satisfies never
    }
  }

  /** There is no kubelet any more that would end it. */
  async #collect(pod: Pod, nodeName: string): Promise<Next> {
    const nowMs = this.#parts.clock.nowMs()
    const sinceMs = this.#missingSince.get(nodeName) ?? nowMs
    this.#missingSince.set(nodeName, sinceMs)
    if (nowMs < sinceMs + missingNodeGraceMs) return againAt(sinceMs + missingNodeGraceMs)
    await this.#disrupt(pod, 'DeletionByPodGC', 'PodGC: node no longer exists')
    await this.#delete(pod, { gracePeriodSeconds: 0 })
    return settled
  }

  async #disrupt(pod: Pod, reason: string, message: string): Promise<void> {
    const now = timestamp(this.#parts.clock.nowMs())
    const condition = { type: 'DisruptionTarget', status: 'True', reason, message }
    const conditions = withCondition(pod.status?.conditions, condition, now)
    await writeStatus(this.#parts, 'pods', pod, { ...pod.status, conditions })
  }

  async #delete({ metadata }: Pod, options: { gracePeriodSeconds?: number }): Promise<void> {
    const preconditions = { uid: metadata.uid ?? '' }
    await ignoring(
      ['NotFound', 'Conflict'],
      this.#parts.api.delete('pods', nameOf(metadata), { ...options, preconditions }),
    )
  }

  async #markPodsUnready(nodeName: string): Promise<void> {
    const now = timestamp(this.#parts.clock.nowMs())
    for (const pod of this.#pods.in(nodeName)) {
      if (!isReady(pod)) continue
      const conditions = withCondition(pod.status?.conditions, { type: 'Ready', status: 'False' }, now)
      await writeStatus(this.#parts, 'pods', pod, { ...pod.status, conditions })
    }
  }
}
