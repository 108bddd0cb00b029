import type { Lease } from '../../api/kubernetes/coordination.ts'
import type { Node } from '../../api/kubernetes/core.ts'
import { leases, nodes, pods } from '../../api/kubernetes/resources.ts'
import type { GoingShutdown } from '../../api/maintenance/agent-shutdown.ts'
import { withoutFinalizer } from '../../api/evacuation/instigator-finalizers.ts'
import { annotations, finalizers } from '../../api/names.ts'
import { nodeMaintenances, type NodeMaintenance } from '../../api/maintenance/node-maintenance.ts'
import {
  buildShutdownMaintenance,
  renderAction,
  renderShutdownMark,
  type ShutdownMaintenanceChoices,
  type ShutdownMark,
} from '../../api/maintenance/shutdown-maintenance.ts'
import { keyOf, type Kube } from '../../kube/client/client.ts'
import { isKubeError } from '../../kube/client/errors.ts'
import { isLeftOver } from './leftovers.ts'
import type { NodeConditionPatch } from './node-condition.ts'

// Every write for the shutdown of a node. Each carries the UID of what it was decided for; false: that has changed or
// is gone, which a watch shows soon.

export class ShutdownWrites {
  readonly #kube: Kube
  readonly #signal: AbortSignal

  constructor(kube: Kube, signal: AbortSignal) {
    this.#kube = kube
    this.#signal = signal
  }

  create(mark: ShutdownMark, choices: ShutdownMaintenanceChoices): Promise<boolean> {
    const maintenance = buildShutdownMaintenance(mark, choices)
    return this.#try(() => this.#kube.create(nodeMaintenances, maintenance, this.#options))
  }

  takeOver(maintenance: NodeMaintenance, mark: ShutdownMark, going: GoingShutdown): Promise<boolean> {
    const marked = { annotations: { [annotations.shutdown]: renderShutdownMark(mark) } }
    const spec = { reason: `${renderAction(going)} of node ${mark.node}` }
    return this.#patchMaintenance(maintenance, { metadata: marked, spec })
  }

  complete(maintenance: NodeMaintenance): Promise<boolean> {
    return this.#patchMaintenance(maintenance, { spec: { stage: 'Complete' } })
  }

  remove({ metadata }: NodeMaintenance): Promise<boolean> {
    const { name, uid } = metadata
    return this.#try(() => this.#kube.delete(nodeMaintenances, { name }, { preconditions: { uid }, ...this.#options }))
  }

  /** What the kubelet left on the node goes first: afterwards nothing would say that it is to go. */
  async clean(maintenance: NodeMaintenance, mark: ShutdownMark): Promise<number> {
    const fieldSelector = `spec.nodeName=${mark.node}`
    const { items } = await this.#kube.list(pods, { fieldSelector, ...this.#options })
    const left = items.filter(isLeftOver)
    for (const pod of left) {
      const { uid } = pod.metadata
      await this.#try(() => this.#kube.delete(pods, keyOf(pod), { preconditions: { uid }, ...this.#options }))
    }
    const { resourceVersion, finalizers: before } = maintenance.metadata
    await this.#patchMaintenance(maintenance, {
      metadata: {
        resourceVersion,
        annotations: { [annotations.shutdown]: renderShutdownMark(mark) },
        finalizers: withoutFinalizer(before, finalizers.shutdownCleanUp),
      },
    })
    return left.length
  }

  /** Null: no shutdown may continue. */
  tellAgent(mailbox: Lease, id: string | null): Promise<boolean> {
    const body = { metadata: { uid: mailbox.metadata.uid, annotations: { [annotations.agentShutdown]: id } } }
    return this.#try(() => this.#kube.patch(leases, keyOf(mailbox), { type: 'merge', body }, this.#options))
  }

  setCondition({ metadata }: Node, body: NodeConditionPatch): Promise<boolean> {
    const { name } = metadata
    const patch = { type: 'strategic', body } as const
    return this.#try(() => this.#kube.patch(nodes, { name }, patch, { subresource: 'status', ...this.#options }))
  }

  get #options() {
    return { signal: this.#signal }
  }

  #patchMaintenance(
    { metadata }: NodeMaintenance,
    change: { readonly metadata?: object; readonly spec?: object },
  ): Promise<boolean> {
    const { name, uid } = metadata
    const body = { ...change, metadata: { uid, ...change.metadata } }
    return this.#try(() => this.#kube.patch(nodeMaintenances, { name }, { type: 'merge', body }, this.#options))
  }

  async #try(write: () => Promise<unknown>): Promise<boolean> {
    try {
      await write()
      return true
    } catch (error) {
      if (!isKubeError(error, 'conflict', 'notFound', 'alreadyExists')) throw error
      return false
    }
  }
}
