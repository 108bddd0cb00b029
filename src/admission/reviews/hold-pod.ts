import type { Pod } from '../../api/kubernetes/core.ts'
import type { Anonymous } from '../../api/kubernetes/meta.ts'
import { heldLabel, intendedNodeOf, isHeld, maintenanceStandingOf } from '../../api/maintenance/maintenance-hold.ts'
import { schedulingGates } from '../../api/names.ts'
import { podTypeOf } from '../../api/maintenance/pod-type.ts'
import {
  ownersOf,
  recordOf,
  recordsOf,
  textOf,
  textRecordOf,
  textsOf,
  type AdmissionRequest,
} from './admission-request.ts'
import { allowed, type Answer, type PatchOperation } from './answer.ts'
import type { Lookups } from './lookups.ts'

/**
 * The creation of a DaemonSet pod: one that a maintenance keeps off its node gets a scheduling gate. It is held and not
 * refused, or the DaemonSet controller would try again forever; and it holds the place, so no second one is made.
 */
export async function holdPod(
  request: AdmissionRequest,
  parts: { readonly lookups: Pick<Lookups, 'node'> },
  signal: AbortSignal,
): Promise<Answer> {
  const pod = parsePod(request.object)
  const node = intendedNodeOf(pod)
  // A pod that is on its node from the start takes no gate.
  const isBound = (pod.spec?.nodeName ?? '') !== ''
  if (podTypeOf(pod) !== 'DaemonSet' || node === undefined || isBound) return allowed
  const standing = maintenanceStandingOf(pod, await parts.lookups.node(node, signal))
  return standing.kind === 'withinTargets' ? { allowed: true, patch: holdingPatch(pod) } : allowed
}

function holdingPatch(pod: Anonymous<Pod>): PatchOperation[] {
  const { key, value } = heldLabel
  const gate = { name: schedulingGates.maintenance }
  const label: PatchOperation =
    pod.metadata.labels === undefined
      ? { op: 'add', path: '/metadata/labels', value: { [key]: value } }
      : { op: 'add', path: `/metadata/labels/${key.replace('/', '~1')}`, value }
  if (isHeld(pod)) return [label]
  const gates: PatchOperation =
    pod.spec?.schedulingGates === undefined
      ? { op: 'add', path: '/spec/schedulingGates', value: [gate] }
      : { op: 'add', path: '/spec/schedulingGates/-', value: gate }
  return [label, gates]
}

/** Only what decides. */
function parsePod(object: unknown): Anonymous<Pod> {
  const { metadata, spec } = recordOf(object)
  const { labels, annotations, ownerReferences } = recordOf(metadata)
  const { nodeName, priority, schedulingGates: gates, affinity } = recordOf(spec)
  return {
    metadata: {
      ...(isRecord(labels) ? { labels: textRecordOf(labels) } : {}),
      annotations: textRecordOf(annotations),
      ownerReferences: ownersOf(ownerReferences),
    },
    spec: {
      containers: [],
      nodeName: textOf(nodeName),
      ...(typeof priority === 'number' ? { priority } : {}),
      ...(Array.isArray(gates)
        ? { schedulingGates: recordsOf(gates).map(({ name }) => ({ name: textOf(name) })) }
        : {}),
      affinity: { nodeAffinity: parseNodeAffinity(recordOf(affinity)['nodeAffinity']) },
    },
  }
}

function parseNodeAffinity(nodeAffinity: unknown) {
  const required = recordOf(recordOf(nodeAffinity)['requiredDuringSchedulingIgnoredDuringExecution'])
  const nodeSelectorTerms = recordsOf(required['nodeSelectorTerms']).map(({ matchFields }) => ({
    matchFields: recordsOf(matchFields).map(({ key, operator, values }) => ({
      key: textOf(key),
      operator: textOf(operator),
      values: textsOf(values),
    })),
  }))
  return { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } }
}

function isRecord(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
