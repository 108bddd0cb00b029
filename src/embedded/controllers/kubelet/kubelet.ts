import type { Next } from '../../../runtime/work-queue.ts'
import { timestamp } from '../../server/identity.ts'
import { isSilent } from '../../node-labels.ts'
import { type Stored, readAs } from '../../server/store.ts'
import { againAt, ownKey, settled, startControlLoop } from '../control-loop.ts'
import type { ControllerParts } from '../controller.ts'
import { ObjectGroups } from '../object-groups.ts'
import type { Node, Pod } from '../objects.ts'
import { getObject, listObjects } from '../typed-store.ts'
import { ignoring, writeStatus } from '../outcome.ts'
import { nameOf } from '../ownership.ts'
import { areSame, type Part } from '../same-parts.ts'
import { areSameBehaviours } from './behaviour.ts'
import { buildPodStatus, type StatusChange } from './build-pod-status.ts'
import { decidePod } from './decide-pod.ts'
import { StaticPodKeeper } from './static-pod-keeper.ts'
import { staticPodsAnnotation } from './static-pods.ts'
import { buildNodeStatus, hasReported } from './node-status.ts'

const leaseNamespace = 'kube-node-lease'
const leaseDurationSeconds = 40
/** A kubelet renews its lease four times in the time that the lease lasts. */
const heartbeatIntervalMs = (leaseDurationSeconds / 4) * 1_000
const heartbeatKey = 'heartbeat'

/** What a kubelet looks at, beside the annotations that tell how the pod behaves. */
const observed: readonly Part[] = [
  'spec',
  'status',
  'ownerReferences',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
]

/** All nodes' kubelets in one: clients cannot see the difference. */
export function startKubelet(parts: ControllerParts): AsyncDisposable {
  const kubelet = new Kubelet(parts)
  const pods = startControlLoop({
    name: 'kubelet',
    parts,
    reconcile: async (key) => await kubelet.reconcilePod(key),
    wakes: {
      pods: (object, previous, type) =>
        type === 'DELETED' || !isBound(object) || behavesTheSame(object, previous) ? [] : ownKey(object),
      // A node that comes, or comes back, looks after the pods that wait there.
      nodes: (object, previous, type) =>
        type !== 'DELETED' && aliveChanged(object, previous) ? kubelet.podsOn(object) : [],
    },
  })
  const nodes = startControlLoop({
    name: 'kubelet/nodes',
    parts,
    reconcile: async (key) => (key === heartbeatKey ? await kubelet.heartbeat() : await kubelet.reconcileNode(key)),
    wakes: { nodes: (object, _previous, type) => (type === 'DELETED' ? [] : ownKey(object)) },
  })
  nodes.addAfter(heartbeatKey, heartbeatIntervalMs)
  const staticPods = startControlLoop({
    name: 'kubelet/static-pods',
    parts,
    reconcile: async (key) => await kubelet.staticPods.reconcileNode(key),
    wakes: {
      nodes: (object, previous, type) =>
        type === 'DELETED' || aliveChanged(object, previous) || manifestsChanged(object, previous)
          ? ownKey(object)
          : [],
      pods: (object, _previous, type) => (type === 'DELETED' ? kubelet.staticPods.mirrorGone(object) : []),
    },
  })
  return {
    [Symbol.asyncDispose]: async () => {
      await pods[Symbol.asyncDispose]()
      await nodes[Symbol.asyncDispose]()
      await staticPods[Symbol.asyncDispose]()
      kubelet[Symbol.dispose]()
    },
  }
}

class Kubelet implements Disposable {
  readonly #parts: ControllerParts
  readonly #podsByNode: ObjectGroups<'pods'>
  readonly staticPods: StaticPodKeeper
  #addressesGiven = { pods: 0, nodes: 0 }

  constructor(parts: ControllerParts) {
    this.#parts = parts
    this.#podsByNode = new ObjectGroups(parts.store, 'pods', {
      by: ({ spec }) => spec,
      groupsOf: ({ spec }) => (spec?.nodeName === undefined ? [] : [spec.nodeName]),
    })
    this.staticPods = new StaticPodKeeper(parts, (nodeName) => this.#podsByNode.in(nodeName))
    for (const { status } of listObjects(parts.store, 'pods')) this.#skipPast(status?.podIP)
    this.#addressesGiven.nodes = parts.store.count('nodes')
  }

  [Symbol.dispose](): void {
    this.#podsByNode[Symbol.dispose]()
  }

  podsOn({ metadata }: Stored): string[] {
    return this.#podsByNode.in(metadata.name).flatMap((pod) => ownKey(pod))
  }

  async reconcilePod(key: string): Promise<Next> {
    const { store, clock, api } = this.#parts
    const pod = getObject(store, 'pods', key)
    const node = pod?.spec?.nodeName === undefined ? undefined : getObject(store, 'nodes', pod.spec.nodeName)
    if (pod === undefined || node === undefined || isSilent(node)) return settled
    const step = decidePod(pod, clock.nowMs())
    switch (step.kind) {
      case 'nothing':
        return settled
      case 'wait':
        return againAt(step.untilMs)
      case 'end': {
        const preconditions = { uid: pod.metadata.uid }
        await ignoring(
          ['NotFound', 'Conflict'],
          api.delete('pods', nameOf(pod.metadata), { gracePeriodSeconds: 0, preconditions }),
        )
        return settled
      }
      case 'start':
      case 'becomeReady':
      case 'becomeUnready':
      case 'failToPull':
      case 'crash':
      case 'complete':
      case 'fail': {
        const change: StatusChange = { kind: step.kind, ready: step.kind === 'start' && step.ready }
        const before = step.kind === 'start' ? this.staticPods.statusOf(pod) : undefined
        const status = before ?? buildPodStatus(pod, change, timestamp(clock.nowMs()), this.#addresses(pod, node))
        const written = await writeStatus(this.#parts, 'pods', pod, status)
        // Someone else's change came first, and need not be one that wakes us.
        return written === undefined && getObject(store, 'pods', key) !== pod ? await this.reconcilePod(key) : settled
      }
    }
  }

  async reconcileNode(name: string): Promise<Next> {
    const { store, clock } = this.#parts
    const node = getObject(store, 'nodes', name)
    if (node === undefined || isSilent(node)) return settled
    if (!hasReported(node)) {
      const status = buildNodeStatus(node, timestamp(clock.nowMs()), this.#nodeAddress())
      await writeStatus(this.#parts, 'nodes', node, status)
      await this.#renewLease(name)
    } else if (store.get('leases.coordination.k8s.io', `${leaseNamespace}/${name}`) === undefined) {
      await this.#renewLease(name)
    }
    return settled
  }

  /** One beat for all nodes: a timer each would cost more than the beats. */
  async heartbeat(): Promise<Next> {
    const { store, clock } = this.#parts
    const dueMs = clock.nowMs() + heartbeatIntervalMs
    for (const node of listObjects(store, 'nodes')) {
      if (!isSilent(node)) await this.#renewLease(node.metadata.name)
    }
    return againAt(dueMs)
  }

  async #renewLease(name: string): Promise<void> {
    const { store, api, clock } = this.#parts
    const renewTime = new Date(clock.nowMs()).toISOString().replace('Z', '000Z')
    const refusals = ['NotFound', 'Conflict', 'AlreadyExists', 'Forbidden']
    if (store.get('leases.coordination.k8s.io', `${leaseNamespace}/${name}`) !== undefined) {
      const patch = { spec: { renewTime } }
      await ignoring(refusals, api.mergePatch('leases.coordination.k8s.io', { namespace: leaseNamespace, name }, patch))
      return
    }
    const node = getObject(store, 'nodes', name)
    if (node === undefined) return
    const owner = { apiVersion: 'v1', kind: 'Node', name, uid: node.metadata.uid }
    const lease = {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name, namespace: leaseNamespace, ownerReferences: [owner] },
      spec: { holderIdentity: name, leaseDurationSeconds, renewTime },
    }
    await ignoring(refusals, api.create('leases.coordination.k8s.io', lease))
  }

  #addresses(pod: Pod, node: Node): { hostIP: string; podIP: string } {
    const hostIP = node.status?.addresses?.find(({ type }) => type === 'InternalIP')?.address ?? '172.16.0.1'
    const hasAddress = (pod.status?.podIP ?? '') !== ''
    if (pod.spec?.hostNetwork === true || hasAddress) return { hostIP, podIP: hostIP }
    return { hostIP, podIP: addressAt(10, ++this.#addressesGiven.pods) }
  }

  #nodeAddress(): string {
    return addressAt(172, (16 << 16) + ++this.#addressesGiven.nodes)
  }

  #skipPast(podIP: string | undefined): void {
    const [first, second = 0, third = 0, fourth = 0] = (podIP ?? '').split('.').map(Number)
    if (first !== 10) return
    this.#addressesGiven.pods = Math.max(this.#addressesGiven.pods, (second << 16) + (third << 8) + fourth)
  }
}

function addressAt(first: number, index: number): string {
  return `${first}.${(index >> 16) & 255}.${(index >> 8) & 255}.${index & 255}`
}

function isBound(object: Stored): boolean {
  const { spec } = readAs<Pod>(object)
  return (spec?.nodeName ?? '') !== ''
}

/** Most changes of a pod, as of its labels, are nothing to a kubelet. */
function behavesTheSame(object: Stored, previous: Stored | undefined): boolean {
  return previous !== undefined && areSame(observed, object, previous) && areSameBehaviours(object, previous)
}

function manifestsChanged(object: Stored, previous: Stored | undefined): boolean {
  const manifestsOf = ({ metadata }: Stored) => metadata.annotations?.[staticPodsAnnotation]
  return previous === undefined || manifestsOf(object) !== manifestsOf(previous)
}

function aliveChanged(object: Stored, previous: Stored | undefined): boolean {
  return previous === undefined || isSilent(previous) !== isSilent(object)
}
