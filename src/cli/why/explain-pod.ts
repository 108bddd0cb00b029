import { byDrainOrder } from '../../api/maintenance/drain-plan.ts'
import { matchesDrainTarget, matchesDrainTargets, podPriorityOf } from '../../api/maintenance/drain-targets.ts'
import type { Evacuation } from '../../api/evacuation/evacuation.ts'
import type { Pod } from '../../api/kubernetes/core.ts'
import { intendedNodeOf, isHeld } from '../../api/maintenance/maintenance-hold.ts'
import type { NodeMaintenance } from '../../api/maintenance/node-maintenance.ts'
import { podRefOfEvacuation } from '../../api/evacuation/pod-reference.ts'
import { labels } from '../../api/names.ts'
import { podTypeOf } from '../../api/maintenance/pod-type.ts'
import { shellCommand } from '../../api/shell-command.ts'
import { sortPods } from '../../maintenance/plan/pods.ts'
import { nameOf, present, type NodeFacts } from './explain-node.ts'
import type { PodReport } from './report.ts'
import { renderTarget } from './targets.ts'

type Explained = Omit<PodReport, 'namespace' | 'name' | 'uid' | 'nodeName' | 'askedForBy'>

/** For a pod that has no Evacuation: whether it will have one, and what has to happen before. */
export function explainPlanned(pod: Pod, facts: NodeFacts | undefined): Explained {
  if (isHeld(pod)) return explainHeld(pod)
  if (facts === undefined || facts.draining.length === 0) return explainUnaffected(pod, facts)
  return explainStaying(pod, facts) ?? explainPending(pod, facts)
}

function explainHeld(pod: Pod): Explained {
  const node = intendedNodeOf(pod) ?? ''
  return {
    phase: 'Held',
    reason: 'NodeUnderMaintenance',
    message: `is kept off ${node}, which is under maintenance`,
    next: 'it starts when the maintenance is over',
    commands: present(shellCommand`lifeboat status ${node}`),
  }
}

function explainUnaffected(pod: Pod, facts: NodeFacts | undefined): Explained {
  const nodeName = pod.spec?.nodeName
  const unaffected = { phase: 'Unaffected', reason: 'NotTargeted', commands: [] as string[] } as const
  if (nodeName === undefined || nodeName === '') {
    const scheduled = pod.status?.conditions?.find(({ type }) => type === 'PodScheduled')
    const why = scheduled?.message === undefined ? '' : `: ${scheduled.message}`
    return {
      ...unaffected,
      reason: 'NotScheduled',
      message: `is on no node yet${why}`,
      next: 'it is up to the scheduler',
    }
  }
  if (facts === undefined) {
    const message = `has no Evacuation; whether ${nodeName} is drained cannot be seen without the right to read nodes and nodemaintenances`
    return { ...unaffected, reason: 'Unknown', message, next: 'nothing' }
  }
  return {
    ...unaffected,
    message: `is not asked to leave: nothing drains ${nodeName}`,
    next: 'nothing',
  }
}

/** Undefined for a pod that leaves. */
function explainStaying(pod: Pod, facts: NodeFacts): Explained | undefined {
  const podType = podTypeOf(pod)
  const agents = {
    staticPodsLeave: () => facts.staticPodsLeave,
    isNodeAgent: ({ metadata }: Pod) => metadata.labels?.[labels.nodeAgent] === 'true',
  }
  const { leaving, staying: left } = sortPods([pod], { isEvacuating: () => false, daemonSetsLeave: true, agents })
  const staying = {
    phase: 'Staying',
    next: `nothing; the drain of ${facts.name} does not wait for it`,
    commands: [],
  } as const
  if (left.NodeAgent !== undefined) {
    return { ...staying, reason: 'NodeAgent', message: 'stays: it is the node agent, which brings static pods back' }
  }
  if (leaving.length === 0) {
    const message = 'stays: it is a static pod, which only an agent on its node can take away, and there is none'
    return { ...staying, reason: podType, message }
  }
  if (facts.state === 'Drained' && podType === 'DaemonSet') {
    const message = 'stays: with the gate NodeMaintenanceAwareDaemonSet off, pods of DaemonSets are not taken away'
    return { ...staying, reason: podType, message }
  }
  const isPlanned = facts.draining.some((each) => entryFor(pod, each) !== undefined)
  if (isPlanned) return undefined
  return { ...staying, reason: 'NotPlanned', message: 'stays: no entry of the drain plan selects it' }
}

function explainPending(pod: Pod, facts: NodeFacts): Explained {
  const { name, status, draining } = facts
  const since = draining[0]?.status?.stageStatuses?.find((stage) => stage.name === 'Drain')?.startTimestamp
  const pending = { phase: 'Pending', ...(since === undefined ? {} : { since }) } as const
  if (status !== undefined && matchesDrainTargets(pod, status.drainTargets)) {
    return {
      ...pending,
      reason: 'Next',
      message: 'is next: its Evacuation is about to be created',
      next: 'it begins within seconds, if Lifeboat is running',
      commands: present(shellCommand`lifeboat status ${name}`),
    }
  }
  const entry = draining.map((each) => entryFor(pod, each)).find((found) => found !== undefined)
  const itsTurn = entry === undefined ? `priority ${podPriorityOf(pod)}` : renderTarget(entry)
  const current = status?.drainTargets.toSorted(byDrainOrder).at(-1)
  const now = current === undefined ? 'nothing yet' : renderTarget(current)
  const busy = busyNodes(draining)
  const where = busy.length === 0 ? '' : `: ${busy.map(({ node, pods }) => `${pods} on ${node}`).join(', ')}`
  const other = busy.find(({ node }) => node !== name)
  return {
    ...pending,
    reason: 'LaterInPlan',
    message: `waits for its turn in the drain plan (${itsTurn}); now leaving ${name}: ${now}`,
    next: `nothing to do; its turn comes when those before it have left all nodes of ${draining.map(nameOf).join(', ')}${where}`,
    commands: other === undefined ? [] : present(shellCommand`lifeboat why ${other.node}`),
  }
}

/** The maintenances whose drain takes the pod away, by name. */
export function drainsThatWant(pod: Pod, facts: NodeFacts | undefined): string[] {
  if (facts === undefined || explainStaying(pod, facts) !== undefined) return []
  return facts.draining.filter((each) => entryFor(pod, each) !== undefined).map(nameOf)
}

/** The first entry of its plan that selects the pod. */
function entryFor(pod: Pod, { spec }: NodeMaintenance) {
  return spec.drainPlan?.find((entry) => matchesDrainTarget(pod, entry))
}

const busyNodesMax = 3

/** Where pods are leaving now, those with the most first. */
function busyNodes(maintenances: readonly NodeMaintenance[]): { node: string; pods: number }[] {
  const counts = new Map(
    maintenances.flatMap(({ status }) =>
      (status?.nodeStatuses ?? []).map(({ nodeRef, podsEvacuating }) => [nodeRef.name, podsEvacuating] as const),
    ),
  )
  return [...counts]
    .filter(([, pods]) => pods > 0)
    .map(([node, pods]) => ({ node, pods }))
    .toSorted((a, b) => b.pods - a.pods || (a.node < b.node ? -1 : 1))
    .slice(0, busyNodesMax)
}

/** For a pod that was asked about and is not there; what is left of it is its Evacuation. */
export function explainGone(evacuation: Evacuation): PodReport {
  const { namespace, name, finalizers = [] } = evacuation.metadata
  return {
    ...podRefOfEvacuation(evacuation),
    phase: 'Gone',
    reason: 'Gone',
    message: 'is gone',
    next: finalizers.length === 0 ? 'nothing' : `its Evacuation goes too once ${finalizers.join(', ')} let go`,
    commands: present(shellCommand`kubectl -n ${namespace} describe evacuation ${name}`),
  }
}
