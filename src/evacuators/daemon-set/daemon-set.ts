import { evacuationConditions, type Evacuation } from '../../api/evacuation/evacuation.ts'
import { mayLeaveAgainAtMs } from '../../api/maintenance/hold-begin.ts'
import type { Node, Pod } from '../../api/kubernetes/core.ts'
import { daemonSets, nodes, pods } from '../../api/kubernetes/resources.ts'
import { intendedNodeOf, isHeld, maintenanceStandingOf } from '../../api/maintenance/maintenance-hold.ts'
import { evacuatorClasses } from '../../api/names.ts'
import { podRefOf } from '../../api/evacuation/pod-reference.ts'
import { podTypeOf } from '../../api/maintenance/pod-type.ts'
import type { Rehearsal } from '../../kube/client/rehearsal.ts'
import type { Waiting } from '../evacuator.ts'
import { terminatingForMaintenance, waiting, whyItStays, type Stays } from '../workload/for-maintenance.ts'
import type { WorkloadEvacuator, WorkloadStep, WorkloadWorld } from '../workload/workload-evacuator.ts'
import { buildNextPod } from './build-next-pod.ts'
import { claimedDaemonSet, isPodOf } from './membership.ts'

/** A DaemonSet pod, and its node as it is now; undefined: it is not there. */
export interface DaemonSetView {
  readonly pod: Pod
  readonly node: Node | undefined
  readonly situation: Situation
  /** For how long the Evacuation has said that it is blocked. */
  readonly blockedMs: number
}

export type Situation =
  /** It was not made by a DaemonSet, whatever is written in it. */
  | { readonly kind: 'ofNoDaemonSet' }
  | { readonly kind: 'stays'; readonly standing: Stays }
  /** The rehearsal is of the pod that its DaemonSet would create next for the node. */
  | { readonly kind: 'leaves'; readonly daemonSet: string; readonly rehearsal: Rehearsal<Pod> }

/** A hold that does not work is looked at again after as long as it has not worked, within these limits. */
const recheckMs = { min: 10_000, max: 60_000 }

/** KEP-4212: takes a pod off a node under maintenance once the drain has come to it, and otherwise does nothing. */
export const daemonSet: WorkloadEvacuator<DaemonSetView> = {
  evacuatorClass: evacuatorClasses.daemonSet,
  // One that is deleted before would be back on its node at once, and again.
  needsWebhooks: true,
  claim: async (pod) =>
    podTypeOf(pod) === 'DaemonSet'
      ? { evacuatorClass: evacuatorClasses.daemonSet, priority: 10_000, role: 'controller' }
      : undefined,
  follows: (pod) => {
    const name = intendedNodeOf(pod)
    return name === undefined ? [] : [{ resource: nodes, name }]
  },
  // No pod of a DaemonSet waits for another.
  workloadOf: (pod) => pod.metadata.uid,
  gather: async ({ pod, evacuation, nowMs }, world) => {
    const name = intendedNodeOf(pod)
    const node = name === undefined ? undefined : world.get(nodes, name)
    return { pod, node, situation: await look(pod, node, world), blockedMs: blockedMsOf(evacuation, nowMs) }
  },
  step,
}

/** Asks the API server only about a pod whose turn it is. */
async function look(pod: Pod, node: Node | undefined, world: WorkloadWorld): Promise<Situation> {
  const claimed = claimedDaemonSet(pod)
  if (claimed === undefined) return { kind: 'ofNoDaemonSet' }
  const standing = maintenanceStandingOf(pod, node)
  if (standing.kind !== 'withinTargets') return { kind: 'stays', standing }
  const found = await world.read.get(daemonSets, { namespace: world.namespace, name: claimed.name })
  if (found === undefined || !isPodOf(pod, found)) return { kind: 'ofNoDaemonSet' }
  const rehearsal = await world.rehearse(pods, buildNextPod(found, intendedNodeOf(pod) ?? ''))
  return { kind: 'leaves', daemonSet: claimed.name, rehearsal }
}

function blockedMsOf({ status }: Evacuation, nowMs: number): number {
  const blocked = status?.conditions?.find(({ type }) => type === evacuationConditions.blocked)
  return blocked?.status === 'True' ? Math.max(0, nowMs - Date.parse(blocked.lastTransitionTime)) : 0
}

function step(view: DaemonSetView, nowMs: number): WorkloadStep {
  const { situation } = view
  switch (situation.kind) {
    case 'ofNoDaemonSet':
      // Only what the DaemonSet controller made is deleted past its budgets. For all else an eviction follows.
      return { kind: 'completed', message: 'The pod is of no DaemonSet' }
    case 'stays':
      return whyItStays(view.pod, situation.standing, 'DaemonSet')
    case 'leaves':
      return whyNotYet(view, situation, nowMs) ?? leave(view, nowMs)
    default:
      return situation satisfies never
  }
}

/** A pod whose successor would not be held would be deleted and created again without end. */
function whyNotYet(
  { pod, node, blockedMs }: DaemonSetView,
  { daemonSet: name, rehearsal }: Extract<Situation, { kind: 'leaves' }>,
  nowMs: number,
): Waiting | undefined {
  const ref = podRefOf(pod)
  const about = { pod: ref, node: intendedNodeOf(pod) ?? '', owner: `DaemonSet ${name}` }
  const recheckInMs = Math.min(recheckMs.max, Math.max(recheckMs.min, blockedMs))
  if (rehearsal.kind === 'refused') {
    const { message } = rehearsal
    return waiting({ kind: 'replacementRefused', pod: ref, owner: about.owner, message }, recheckInMs)
  }
  if (rehearsal.kind === 'admitted' && lacksHold(rehearsal.object, node)) {
    return waiting({ kind: 'holdNotCalled', ...about }, recheckInMs)
  }
  // A dry run may be held where the real pod is not, and one that says nothing proves nothing.
  const atMs = mayLeaveAgainAtMs(pod, node)
  return atMs === undefined || atMs <= nowMs ? undefined : waiting({ kind: 'cameBackUnheld', ...about }, atMs - nowMs)
}

/** A new pod beyond the targets, as after a change of the template, is not to be held: it leaves when its turn comes. */
function lacksHold(next: Pod, node: DaemonSetView['node']): boolean {
  return !isHeld(next) && maintenanceStandingOf(next, node).kind === 'withinTargets'
}

/** KEP-4563: pods of DaemonSets can be evacuated, but not evicted. */
function leave({ pod, node }: DaemonSetView, nowMs: number): WorkloadStep {
  const name = pod.metadata.ownerReferences?.find(({ controller }) => controller === true)?.name ?? 'its DaemonSet'
  const says = terminatingForMaintenance(pod, node, { name, sinceMs: nowMs })
  return { kind: 'write', write: { kind: 'deletePod', pod: podRefOf(pod), says } }
}
