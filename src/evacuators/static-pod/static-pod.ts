import {
  looksAfterStaticPods,
  mailboxNameOf,
  renderWanted,
  reportOf,
  wantedOf,
  type AgentReport,
  type StaticPodsReport,
} from '../../api/maintenance/agent-mailbox.ts'
import type { Blocker } from '../../api/blocker/blocker.ts'
import type { Lease } from '../../api/kubernetes/coordination.ts'
import type { Node, Pod } from '../../api/kubernetes/core.ts'
import { leases, nodes, pods } from '../../api/kubernetes/resources.ts'
import { timestamp } from '../../api/kubernetes/timestamp.ts'
import { maintenanceStandingOf } from '../../api/maintenance/maintenance-hold.ts'
import { annotations, evacuatorClasses, labels } from '../../api/names.ts'
import { silenceOf } from '../../api/maintenance/node-silence.ts'
import { isReady } from '../../api/kubernetes/pod-availability.ts'
import { podRefOf, type PodRef } from '../../api/evacuation/pod-reference.ts'
import { podTypeOf } from '../../api/maintenance/pod-type.ts'
import { terminatingForMaintenance, waiting, whyItStays, type Stays } from '../workload/for-maintenance.ts'
import type { WorkloadEvacuator, WorkloadStep, WorkloadWorld } from '../workload/workload-evacuator.ts'
import { guardedPartOf, peersOf, type Peers } from './control-plane.ts'

export interface StaticPodView {
  readonly pod: Pod
  readonly node: Node | undefined
  readonly situation: Situation
}

export type Situation =
  | { readonly kind: 'isNoStaticPod' }
  | { readonly kind: 'stays'; readonly standing: Stays }
  /** No agent ever came to the node. */
  | { readonly kind: 'noMailbox' }
  | {
      readonly kind: 'leaves'
      readonly mailbox: Lease
      readonly isAgentRunning: boolean
      /** Only of a pod that the control plane may need, and only before it is asked for. */
      readonly peers: Peers | undefined
    }

/** As the chart calls it. */
const agentContainer = 'agent'

/** An agent that comes back, or a peer that becomes healthy, does not wake the evacuator. */
const recheckMs = 10_000

/**
 * KEP-4212 has the kubelet terminate static pods of nodes under maintenance. The agent on the node does it, by its
 * mailbox in the namespace of Lifeboat; this asks for it once the drain has come to the pod, and does nothing else.
 */
export function staticPod(namespace: string): WorkloadEvacuator<StaticPodView> {
  return {
    evacuatorClass: evacuatorClasses.kubelet,
    claim: async (pod, read) => {
      const node = pod.spec?.nodeName ?? ''
      if (podTypeOf(pod) !== 'Static' || node === '') return undefined
      const mailbox = await read.get(leases, { namespace, name: mailboxNameOf(node) })
      if (!looksAfterStaticPods(mailbox)) return undefined
      return { evacuatorClass: evacuatorClasses.kubelet, priority: 10_000, role: 'controller' }
    },
    follows: ({ spec }) => {
      const name = spec?.nodeName ?? ''
      return [
        { resource: nodes, name },
        { resource: leases, name: mailboxNameOf(name), namespace },
      ]
    },
    // Of what the control plane needs, one is asked for after the other: each looks at what is left.
    workloadOf: (pod) => guardedPartOf(pod)?.component ?? pod.metadata.uid,
    gather: async ({ pod }, world) => {
      const node = world.get(nodes, pod.spec?.nodeName ?? '')
      return { pod, node, situation: await look(pod, node, world, namespace) }
    },
    step,
  }
}

async function look(pod: Pod, node: Node | undefined, world: WorkloadWorld, namespace: string): Promise<Situation> {
  if (podTypeOf(pod) !== 'Static') return { kind: 'isNoStaticPod' }
  const standing = maintenanceStandingOf(pod, node)
  if (standing.kind !== 'withinTargets') return { kind: 'stays', standing }
  const mailbox = world.get(leases, mailboxNameOf(pod.spec?.nodeName ?? ''), namespace)
  const report = mailbox === undefined ? undefined : reportOf(mailbox)
  if (mailbox === undefined || report?.staticPods === undefined) return { kind: 'noMailbox' }
  const isWanted = wantedSince(mailbox, pod) !== undefined
  return {
    kind: 'leaves',
    mailbox,
    isAgentRunning: await isRunning(report, world, namespace),
    peers: isWanted ? undefined : await lookAtPeers(pod, world, namespace),
  }
}

async function isRunning({ pod }: AgentReport, world: WorkloadWorld, namespace: string): Promise<boolean> {
  const found = await world.read.get(pods, { namespace, name: pod.name })
  if (found?.metadata.uid !== pod.uid || found.metadata.deletionTimestamp !== undefined) return false
  return isReady(found) || isReadyButForTheLock(found)
}

/** Beside the agent there may be the lock for shutdowns, which ends where there is no logind, or it has none to give. */
function isReadyButForTheLock({ status }: Pod): boolean {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready')
  // The containers of a node that is gone stay as they were, and this is not the reason then.
  if (ready?.reason !== 'ContainersNotReady') return false
  return status?.containerStatuses?.some(({ name, ready: isUp }) => name === agentContainer && isUp) ?? false
}

async function lookAtPeers(pod: Pod, world: WorkloadWorld, namespace: string): Promise<Peers | undefined> {
  const part = guardedPartOf(pod)
  if (part === undefined) return undefined
  const [found, mailboxes] = await Promise.all([
    world.read.list(pods, world.namespace, part.labelSelector),
    world.read.list(leases, namespace, labels.nodeAgent),
  ])
  return peersOf(part, pod, found, mailboxes)
}

function step(view: StaticPodView, nowMs: number): WorkloadStep {
  const { pod, node, situation } = view
  const ref = podRefOf(pod)
  const nodeName = pod.spec?.nodeName ?? ''
  switch (situation.kind) {
    case 'isNoStaticPod':
      return { kind: 'completed', message: 'The pod is no static pod' }
    case 'stays':
      return whyItStays(pod, situation.standing, 'Static')
    case 'noMailbox':
      return waiting({ kind: 'noAgent', pod: ref, node: nodeName }, recheckMs)
    case 'leaves': {
      const since = wantedSince(situation.mailbox, pod)
      const blocker = silenceThatMatters(view, situation) ?? whyNot(situation, pod, ref, nodeName)
      if (blocker !== undefined) return waiting(blocker, recheckMs)
      if (since === undefined) return ask(situation.mailbox, pod, nowMs)
      return terminatingForMaintenance(pod, node, { name: ref.name, sinceMs: Date.parse(since) })
    }
    default:
      return situation satisfies never
  }
}

type Leaves = Extract<Situation, { kind: 'leaves' }>

/** The agent needs a machine that runs, and so does the pod whose manifest is parked: its kubelet ends it. */
function silenceThatMatters({ pod, node }: StaticPodView, { mailbox, isAgentRunning }: Leaves): Blocker | undefined {
  const silence = node === undefined ? undefined : silenceOf(node)
  const ref = podRefOf(pod)
  const isParked = reportOf(mailbox)?.staticPods?.parked.includes(keyOfPod(ref)) === true
  if (silence === undefined || (isAgentRunning && !isParked)) return undefined
  return { kind: 'silentNode', pod: ref, ...silence }
}

/** Undefined: it can be asked for, or is on its way. */
function whyNot({ mailbox, isAgentRunning, peers }: Leaves, pod: Pod, ref: PodRef, node: string): Blocker | undefined {
  const source = pod.metadata.annotations?.[annotations.podSource]
  if (source === 'http') return { kind: 'staticPodFromUrl', pod: ref, node }
  const report = reportOf(mailbox)?.staticPods
  // By now only the kubelet has something to do.
  if (report?.parked.includes(keyOfPod(ref)) === true) return undefined
  if (!isAgentRunning) return { kind: 'noAgent', pod: ref, node }
  if (peers !== undefined && peers.healthy < peers.needed) return { kind: 'lastControlPlane', pod: ref, node, ...peers }
  return problemOf(report, ref, node)
}

function problemOf(report: StaticPodsReport | undefined, ref: PodRef, node: string): Blocker | undefined {
  const problem = report?.problems.find(({ pod }) => pod === keyOfPod(ref))
  if (problem === undefined) return undefined
  switch (problem.kind) {
    case 'manifestNotFound':
      return { kind: 'manifestNotFound', pod: ref, node, folder: problem.message }
    case 'folderIsFile':
      return { kind: 'manifestPathIsFile', pod: ref, node, folder: problem.message }
    case 'failed':
      return { kind: 'agentFailed', pod: ref, node, message: problem.message }
    default:
      return problem.kind satisfies never
  }
}

function ask(mailbox: Lease, pod: Pod, nowMs: number): WorkloadStep {
  const park = [...(wantedOf(mailbox)?.park ?? []), { pod: keyOfPod(podRefOf(pod)), since: timestamp(nowMs) }]
  const change = { metadata: { annotations: { [annotations.agentWanted]: renderWanted({ park }) } } }
  return { kind: 'write', write: { kind: 'patch', resource: leases, object: mailbox, change } }
}

/** When the agent was first asked to park it. */
function wantedSince(mailbox: Lease, pod: Pod): string | undefined {
  const key = keyOfPod(podRefOf(pod))
  return wantedOf(mailbox)?.park.find((each) => each.pod === key)?.since
}

function keyOfPod({ namespace, name }: { readonly namespace: string; readonly name: string }): string {
  return `${namespace}/${name}`
}
