import type { Node, Pod } from '../../api/kubernetes/core.ts'
import type { DeepReadonly } from '../../api/kubernetes/meta.ts'
import { nodes } from '../../api/kubernetes/resources.ts'
import { podPriorityOf } from '../../api/drain-targets.ts'
import { intendedNodeOf, maintenanceStandingOf } from '../../api/maintenance-hold.ts'
import { maintenanceStatusOf } from '../../api/maintenance-status.ts'
import { annotations, evacuatorClasses } from '../../api/names.ts'
import { podRefOf } from '../../api/pod-reference.ts'
import { podTypeOf } from '../../api/pod-type.ts'
import type { Waiting } from '../evacuator.ts'
import type { WorkloadEvacuator, WorkloadStep } from '../workload/workload-evacuator.ts'

/** A DaemonSet pod, and its node as it is now; undefined: it is not there. */
export interface DaemonSetView {
  readonly pod: DeepReadonly<Pod>
  readonly node: DeepReadonly<Node> | undefined
}

/** A node that changes wakes it; this is only for what nobody thought of. */
const againInMs = 10 * 60_000

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
  workloadOf: (pod) => pod.metadata.uid ?? '',
  gather: async ({ pod }, world) => {
    const name = intendedNodeOf(pod)
    return { pod, node: name === undefined ? undefined : world.get(nodes, name) }
  },
  step,
}

function step({ pod, node }: DaemonSetView, nowMs: number): WorkloadStep {
  const standing = maintenanceStandingOf(pod, node)
  const ref = podRefOf(pod)
  const nodeName = intendedNodeOf(pod) ?? 'of no name'
  switch (standing.kind) {
    case 'withinTargets':
      // KEP-4563: pods of DaemonSets can be evacuated, but not evicted.
      return { kind: 'write', write: { kind: 'deletePod', pod: ref, says: terminating(pod, node, nowMs) } }
    case 'notUnderMaintenance':
      return waiting({ kind: 'notUnderMaintenance', pod: ref, node: nodeName })
    case 'beyondTargets':
      return waiting({ kind: 'beyondDrainTargets', pod: ref, node: nodeName, podPriority: podPriorityOf(pod) })
    case 'unclear': {
      const message = `The annotation ${annotations.maintenanceStatus} of node ${nodeName} ${standing.problem}`
      return waiting({ reason: 'MaintenanceStatusUnclear', message })
    }
    default:
      return standing satisfies never
  }
}

/** Neither progress nor an end: who asks for DaemonSet pods beside a maintenance should not be encouraged (KEP-4212). */
function waiting(because: Waiting['because']): Waiting {
  return { kind: 'waiting', because, againInMs }
}

function terminating({ metadata, spec }: DeepReadonly<Pod>, node: DaemonSetView['node'], nowMs: number) {
  const owner = metadata.ownerReferences?.find(({ controller }) => controller === true)?.name ?? 'its DaemonSet'
  return {
    kind: 'working',
    message: `${owner} is terminating the pod due to node maintenance${node === undefined ? '' : reasonOf(node)}`,
    expectedFinishMs: nowMs + (spec?.terminationGracePeriodSeconds ?? 0) * 1_000,
  } as const
}

function reasonOf(node: DeepReadonly<Node>): string {
  const parsed = maintenanceStatusOf(node)
  const reason = parsed.kind === 'parsed' ? (parsed.status.reason ?? '') : ''
  return reason === '' ? '' : ` (${reason})`
}
