import { podRefOf } from '../../api/evacuation/pod-reference.ts'
import type { Node } from '../../api/kubernetes/core.ts'
import { nodes } from '../../api/kubernetes/resources.ts'
import type { Instigator } from '../../evacuation-client/instigator.ts'
import type { Kube } from '../../kube/client/client.ts'
import { isKubeError } from '../../kube/client/errors.ts'
import type { ClusterEvent } from '../../kube/events/cluster-event.ts'
import { unlessAborted } from '../../kube/single-flight.ts'
import type { NodePods } from '../../kube/watch/node-pods.ts'
import { backoffMs, type BackoffOptions } from '../../runtime/backoff.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { Random, RandomStream } from '../../runtime/random.ts'
import type { Next } from '../../runtime/work-queue.ts'
import type { DrainState } from '../drain-state.ts'
import { cordonReverted, nodeCordoned, nodeGivenBack } from '../events.ts'
import type { MaintenanceMetrics } from '../metrics.ts'
import type { Cover } from '../plan/active.ts'
import { decideNode, type NodeStep, type NodeView } from './decide.ts'
import type { FollowedNodes } from './followed-nodes.ts'

export interface NodeReconcilerOptions {
  readonly kube: Pick<Kube, 'patch'>
  readonly clock: Clock
  readonly random: Random
  readonly events: { record(event: ClusterEvent): void }
  readonly metrics: Pick<MaintenanceMetrics, 'cordonReverted'>
  readonly instigator: Pick<Instigator, 'withdraw'>
  readonly nodePods: Pick<NodePods, 'follow' | 'list'>
  readonly nodes: Pick<FollowedNodes, 'keep'>
  readonly state: Pick<DrainState, 'nodeView' | 'isEvacuating'>
}

type Write = Extract<NodeStep, { kind: 'write' }>

/** Another client that makes a node schedulable again and again is answered more and more slowly. */
const fight: BackoffOptions = { initialMs: 200, maxMs: 5_000, jitter: 0.1 }
const fightForgottenMs = 10 * 60_000
const settled: Next = { kind: 'settled' }

/** Cordons the nodes of active maintenances, notes on them how far their drain is, and gives them back in the end. */
export class NodeReconciler {
  readonly #options: NodeReconcilerOptions
  readonly #jitter: RandomStream
  readonly #writtenAtMs = new Map<string, number>()
  readonly #fights = new Map<string, { reverts: number; lastMs: number }>()

  constructor(options: NodeReconcilerOptions) {
    this.#options = options
    this.#jitter = options.random.stream('maintenance/fights')
  }

  async reconcile(name: string, signal: AbortSignal): Promise<Next> {
    const { clock, state } = this.#options
    const seen = state.nodeView(name)
    if (seen === undefined) {
      this.#forget(name)
      return settled
    }
    const nowMs = clock.nowMs()
    const view = { ...seen, writtenAtMs: this.#writtenAtMs.get(name), nodesWritten: this.#writtenAtMs.size }
    const step = decideNode(view, nowMs)
    switch (step.kind) {
      case 'nothing':
        return settled
      case 'later':
        return { kind: 'again', atMs: step.atMs }
      case 'write': {
        const atMs = step.cordons === 'again' ? this.#recordonAtMs(name, nowMs) : nowMs
        if (atMs > nowMs) return { kind: 'again', atMs }
        if (!step.withdraws) return this.#write(view, step, signal)
        await this.#withdrawAll(name, signal)
        // A maintenance may have come meanwhile that wants the node as it is.
        const again = state.nodeView(name)
        const isSame = again?.cover === view.cover && again.node === view.node
        return isSame ? this.#write(view, step, signal) : { kind: 'again', atMs: clock.nowMs() }
      }
      default:
        return step satisfies never
    }
  }

  async #write({ node, cover }: NodeView, step: Write, signal: AbortSignal): Promise<Next> {
    const { kube, clock, nodes: followed } = this.#options
    const { name } = node.metadata
    try {
      await followed.keep(name, () => kube.patch(nodes, { name }, { type: 'merge', body: step.patch }, { signal }))
    } catch (error) {
      // It has changed, which the watch shows soon, or has gone.
      if (isKubeError(error, 'conflict', 'notFound')) return settled
      throw error
    }
    this.#writtenAtMs.set(name, clock.nowMs())
    if (cover.active.length === 0) this.#forget(name)
    this.#tell(node, cover, step)
    return settled
  }

  /** No maintenance wants the node's pods gone any more. What an evacuator must not cancel continues all the same. */
  async #withdrawAll(name: string, signal: AbortSignal): Promise<void> {
    const { nodePods, instigator, state } = this.#options
    using following = nodePods.follow(name)
    await unlessAborted(following.synced, signal)
    const asked = nodePods.list(name).filter((pod) => state.isEvacuating(pod))
    await Promise.all(asked.map((pod) => instigator.withdraw(podRefOf(pod), signal)))
  }

  #recordonAtMs(name: string, nowMs: number): number {
    const known = this.#fights.get(name)
    if (known === undefined || nowMs - known.lastMs > fightForgottenMs) return nowMs
    return known.lastMs + backoffMs(known.reverts, fight, this.#jitter)
  }

  #tell(node: Node, { active }: Cover, { cordons, uncordons }: Write): void {
    const { clock, events, metrics } = this.#options
    const { name } = node.metadata
    const [eldest] = active
    if (eldest === undefined) return events.record(nodeGivenBack(node, uncordons === true))
    if (cordons === 'first') events.record(nodeCordoned(node, eldest.object))
    if (cordons !== 'again') return
    metrics.cordonReverted()
    const known = this.#fights.get(name)
    this.#fights.set(name, { reverts: (known?.reverts ?? 0) + 1, lastMs: clock.nowMs() })
    // A fight is told once, however long it lasts.
    if (known === undefined) for (const event of cordonReverted(node, eldest.object)) events.record(event)
  }

  #forget(name: string): void {
    this.#writtenAtMs.delete(name)
    this.#fights.delete(name)
  }
}
