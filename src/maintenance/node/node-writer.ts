import type { Node, Pod } from '../../api/kubernetes/core.ts'
import { nodes } from '../../api/kubernetes/resources.ts'
import { podRefOf, type PodRef } from '../../api/evacuation/pod-reference.ts'
import { backoffMs, type BackoffOptions } from '../../runtime/backoff.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { RandomStream } from '../../runtime/random.ts'
import type { Next } from '../../runtime/work-queue.ts'
import type { Kube } from '../../kube/client/client.ts'
import type { ClusterEvent } from '../../kube/events/cluster-event.ts'
import { isKubeError } from '../../kube/client/errors.ts'
import type { NodePods } from '../../kube/watch/node-pods.ts'
import { unlessAborted } from '../../kube/single-flight.ts'
import type { Cover } from '../plan/active.ts'
import { decideNode, type NodeStep } from './decide-node.ts'
import { cordonReverted, nodeCordoned, nodeGivenBack } from '../events.ts'
import type { MaintenanceMetrics } from '../metrics.ts'
import type { NodeOutcome } from '../plan/plan.ts'
import type { Targets } from '../plan/targets.ts'

export interface NodeWriterOptions {
  readonly kube: Kube
  readonly clock: Clock
  readonly jitter: RandomStream
  readonly events: { record(event: ClusterEvent): void }
  readonly metrics: MaintenanceMetrics
  readonly nodePods: NodePods
  readonly node: (name: string) => Node | undefined
  readonly coverOf: (node: Node) => Cover
  readonly outcomeOf: (name: string) => NodeOutcome | undefined
  /** There is an Evacuation of it that a maintenance asked for. */
  readonly isEvacuating: (pod: Pod) => boolean
  readonly withdraw: (pod: PodRef, signal: AbortSignal) => Promise<unknown>
  readonly written: (name: string, uid: string | undefined, targets: Targets) => void
}

type Write = Extract<NodeStep, { kind: 'write' }>

/** Somebody else who makes a node schedulable again and again is answered more and more slowly. */
const fight: BackoffOptions = { initialMs: 200, maxMs: 5_000, jitter: 0.1 }
const fightForgottenMs = 10 * 60_000
const settled: Next = { kind: 'settled' }

/** Cordons the nodes of active maintenances, notes on them how far their drain is, and gives them back in the end. */
export class NodeWriter {
  readonly #options: NodeWriterOptions
  readonly #writtenAtMs = new Map<string, number>()
  readonly #fights = new Map<string, { reverts: number; lastMs: number }>()

  constructor(options: NodeWriterOptions) {
    this.#options = options
  }

  async reconcile(name: string, signal: AbortSignal): Promise<Next> {
    const { clock, coverOf, outcomeOf } = this.#options
    const node = this.#options.node(name)
    if (node === undefined) {
      this.#forget(name)
      return settled
    }
    const cover = coverOf(node)
    const outcome = outcomeOf(name)
    const nowMs = clock.nowMs()
    const writtenAtMs = this.#writtenAtMs.get(name)
    const nodesWritten = this.#writtenAtMs.size
    const pods = this.#options.nodePods.list(name)
    const step = decideNode({ node, cover, outcome, pods, writtenAtMs, nodesWritten }, nowMs)
    switch (step.kind) {
      case 'nothing':
        return settled
      case 'later':
        return { kind: 'again', atMs: step.atMs }
      case 'write': {
        const atMs = step.cordons === 'again' ? this.#recordonAtMs(name, nowMs) : nowMs
        if (atMs > nowMs) return { kind: 'again', atMs }
        return this.#write(node, { cover, outcome, step }, signal)
      }
      default:
        return step satisfies never
    }
  }

  async #write(
    node: Node,
    { cover, outcome, step }: { cover: Cover; outcome: NodeOutcome | undefined; step: Write },
    signal: AbortSignal,
  ): Promise<Next> {
    const { kube, clock, written } = this.#options
    const { name = '', uid } = node.metadata
    if (step.withdraws) await this.#withdrawAll(name, signal)
    try {
      await kube.patch(nodes, { name }, { type: 'merge', body: step.patch }, { signal })
    } catch (error) {
      // It has changed, which the watch shows soon, or has gone.
      if (isKubeError(error, 'conflict', 'notFound')) return settled
      throw error
    }
    this.#writtenAtMs.set(name, clock.nowMs())
    if (cover.draining.length > 0 && outcome !== undefined) written(name, uid, outcome.targets)
    if (cover.active.length === 0) this.#forget(name)
    this.#tell(node, cover, step)
    return settled
  }

  /** Nobody wants the pods of the node gone any more. What an evacuator must not cancel goes on all the same. */
  async #withdrawAll(name: string, signal: AbortSignal): Promise<void> {
    const { nodePods, isEvacuating, withdraw } = this.#options
    using following = nodePods.follow(name)
    await unlessAborted(following.synced, signal)
    const asked = nodePods.list(name).filter(isEvacuating)
    await Promise.all(asked.map((pod) => withdraw(podRefOf(pod), signal)))
  }

  #recordonAtMs(name: string, nowMs: number): number {
    const known = this.#fights.get(name)
    if (known === undefined || nowMs - known.lastMs > fightForgottenMs) return nowMs
    return known.lastMs + backoffMs(known.reverts, fight, this.#options.jitter)
  }

  #tell(node: Node, { active }: Cover, { cordons, uncordons }: Write): void {
    const { clock, events, metrics } = this.#options
    const { name = '' } = node.metadata
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
