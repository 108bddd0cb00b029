import type { Lease } from '../../api/kubernetes/coordination.ts'
import type { Node } from '../../api/kubernetes/core.ts'
import { nodes } from '../../api/kubernetes/resources.ts'
import { shutdownMaintenanceName } from '../../api/maintenance/shutdown-maintenance.ts'
import type { Kube } from '../../kube/client/client.ts'
import type { ClusterEvent } from '../../kube/events/cluster-event.ts'
import { isKubeError, unlessNotFound } from '../../kube/client/errors.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { Log } from '../../runtime/log.ts'
import type { ShutdownStep, ShutdownView } from './decide-shutdown.ts'
import {
  rebooted,
  shutdownCancelled,
  shutdownHeld,
  shutdownLetGo,
  shutdownNameTaken,
  type ShutdownEvent,
} from './events.ts'
import type { ShutdownMetrics } from './metrics.ts'
import { conditionPatch, type NodeConditionPatch } from './node-condition.ts'
import type { ShutdownSettings } from './shutdown-settings.ts'
import { ShutdownWrites } from './shutdown-writes.ts'

export interface ShutdownWorkOptions {
  readonly kube: Kube
  readonly clock: Clock
  readonly log: Log
  readonly events: { record(event: ClusterEvent): void }
  readonly shutdownMetrics: ShutdownMetrics
  readonly settings: ShutdownSettings
}

export interface Decided {
  readonly view: ShutdownView
  readonly mailbox: Lease | undefined
  readonly step: ShutdownStep
  /** What the node should say of it; undefined: nothing that is known here. */
  readonly isInProgress: boolean | undefined
}

/** Does what was decided for the shutdown of a node, and tells of it. */
export class ShutdownWork {
  readonly #options: ShutdownWorkOptions
  /** What nodes say already. It only spares requests: after a restart each is asked once. */
  readonly #said = new Map<string, boolean>()
  /** The shutdowns that Lifeboat does not drain for, told once each. */
  readonly #warned = new Map<string, string>()

  constructor(options: ShutdownWorkOptions) {
    this.#options = options
  }

  async apply(decided: Decided, signal: AbortSignal): Promise<void> {
    const { kube } = this.#options
    const writes = new ShutdownWrites(kube, signal)
    const reading = new OneNode(kube, decided.view.node, signal)
    // Before the step: the last one takes away by what is known that the node says something.
    await this.#say(decided, reading, writes)
    const event = await this.#do(decided, reading, writes)
    if (event === undefined) return
    const node = await reading.get()
    if (node !== undefined) this.#options.events.record(event(node))
  }

  async #do(
    { view, mailbox, step }: Decided,
    reading: OneNode,
    writes: ShutdownWrites,
  ): Promise<ShutdownEvent | undefined> {
    const { shutdownMetrics, log } = this.#options
    const { maintenance, node } = view
    const name = shutdownMaintenanceName(node)
    if (step.kind !== 'wait' || step.reason !== 'nameTaken') this.#warned.delete(node)
    switch (step.kind) {
      case 'nothing':
        return undefined
      case 'wait':
        return step.reason === 'nameTaken' ? this.#warn(view, name) : undefined
      case 'create':
        if (!(await this.#create(step, reading, writes))) return undefined
        break
      case 'takeOver':
        if (maintenance === undefined || !(await writes.takeOver(maintenance, step.mark, step.going))) return undefined
        break
      case 'remove':
        if (maintenance !== undefined) await writes.remove(maintenance)
        return undefined
      case 'letGo':
        if (mailbox === undefined || !(await writes.tellAgent(mailbox, step.going.id))) return undefined
        shutdownMetrics.noted('letGo')
        log.info({ node, shutdown: step.going.id, why: step.why }, 'a shutdown may continue')
        return shutdownLetGo(step.going, step.why, name)
      case 'complete':
        if (maintenance === undefined || !(await writes.complete(maintenance))) return undefined
        shutdownMetrics.noted(step.why)
        log.info({ node, maintenance: name, why: step.why }, 'the maintenance of a shutdown is over')
        return step.why === 'cancelled' ? shutdownCancelled(name) : rebooted(name)
      case 'clean':
        if (maintenance === undefined) return undefined
        log.info({ node, pods: await writes.clean(maintenance, step.mark) }, 'removed what the kubelet left behind')
        return undefined
      case 'withdraw':
        if (mailbox !== undefined) await writes.tellAgent(mailbox, null)
        return undefined
      default:
        return step satisfies never
    }
    shutdownMetrics.noted('held')
    log.info({ node, shutdown: step.mark.id, maintenance: name }, 'a shutdown waits until its node is drained')
    return shutdownHeld(step.going, name)
  }

  async #create(
    { mark, going }: Extract<ShutdownStep, { kind: 'create' | 'takeOver' }>,
    reading: OneNode,
    writes: ShutdownWrites,
  ): Promise<boolean> {
    const nodeUid = (await reading.get())?.metadata.uid
    if (nodeUid === undefined) return false
    return writes.create(mark, { nodeUid, going, drainPlan: this.#options.settings.drainPlan })
  }

  async #say({ view, isInProgress }: Decided, reading: OneNode, writes: ShutdownWrites): Promise<void> {
    const { node: name } = view
    if (isInProgress === undefined) {
      this.#said.delete(name)
      return
    }
    if (this.#said.get(name) === isInProgress) return
    const node = await reading.get()
    const patch = node === undefined ? undefined : conditionPatch(node, isInProgress, this.#options.clock.nowMs())
    if (node !== undefined && patch !== undefined && !(await this.#setCondition(node, patch, writes))) return
    this.#said.set(name, isInProgress)
  }

  /** An admin who took this right away must not find machines that wait for it. */
  async #setCondition(node: Node, patch: NodeConditionPatch, writes: ShutdownWrites): Promise<boolean> {
    try {
      return await writes.setCondition(node, patch)
    } catch (error) {
      if (!isKubeError(error, 'forbidden')) throw error
      const { name } = node.metadata
      this.#options.log.warn({ node: name, error: error.message }, 'may not say on the node that its machine goes down')
      return true
    }
  }

  #warn({ node, report }: ShutdownView, maintenance: string): ShutdownEvent | undefined {
    const going = report?.shutdown?.going
    if (going === undefined || this.#warned.get(node) === going.id) return undefined
    this.#warned.set(node, going.id)
    this.#options.log.warn({ node, maintenance }, 'a shutdown is not drained for: its maintenance is not of Lifeboat')
    return shutdownNameTaken(going, maintenance)
  }
}

/** Read at most once for one decision. */
class OneNode {
  readonly #read: () => Promise<Node | undefined>
  #reading: Promise<Node | undefined> | undefined

  constructor(kube: Kube, name: string, signal: AbortSignal) {
    this.#read = () => unlessNotFound(kube.get(nodes, { name }, { signal }))
  }

  get(): Promise<Node | undefined> {
    this.#reading ??= this.#read()
    return this.#reading
  }
}
