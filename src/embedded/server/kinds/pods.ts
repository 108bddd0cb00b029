import type { ResourceDefinition } from '../definition.ts'
import type { FieldFault } from '../failure.ts'
import { sameJson } from '../json-value.ts'
import { podMergeKeys } from '../patch/merge-keys.ts'
import type { AnyObject } from '../store.ts'
import { builtIn, statusOf } from './built-in.ts'
import { mapKeeping, withDefaults, withPodDefaults, type Container, type PodSpec } from './pod-template.ts'

type Pod = {
  readonly spec?: PodSpec & { readonly nodeName?: string }
  readonly status?: { readonly phase?: string; readonly podIP?: string }
}

const names = { group: '', version: 'v1', plural: 'pods', kind: 'Pod' }
const textOf = (value: unknown) => (typeof value === 'string' ? value : '')

export const pods: ResourceDefinition = builtIn({
  ...names,
  shortNames: ['po'],
  categories: ['all'],
  subresources: [
    statusOf(names),
    { name: 'eviction', group: 'policy', version: 'v1', kind: 'Eviction', verbs: ['create'] },
    { name: 'binding', group: '', version: 'v1', kind: 'Binding', verbs: ['create'] },
  ],
  countsGenerations: true,
  selectableFields: {
    'spec.nodeName': (pod) => (pod as Pod).spec?.nodeName ?? '',
    'spec.restartPolicy': (pod) => textOf((pod as Pod).spec?.['restartPolicy']),
    'spec.schedulerName': (pod) => textOf((pod as Pod).spec?.['schedulerName']),
    'spec.serviceAccountName': (pod) => textOf((pod as Pod).spec?.['serviceAccountName']),
    'spec.hostNetwork': (pod) => ((pod as Pod).spec?.['hostNetwork'] === true ? 'true' : 'false'),
    'status.phase': (pod) => (pod as Pod).status?.phase ?? '',
    'status.podIP': (pod) => (pod as Pod).status?.podIP ?? '',
  },
  fillDefaults: (pod) => {
    const spec = withDefaults({ enableServiceLinks: true }, withPodDefaults((pod['spec'] ?? {}) as PodSpec))
    const timed = withConditionTimes(pod)
    return spec === pod['spec'] ? timed : { ...timed, spec }
  },
  mergeKeys: podMergeKeys,
  prepareForCreate: (pod) => ({
    ...pod,
    status: {
      phase: 'Pending',
      qosClass: qualityOfService(pod),
      ...(gatesOf(pod).length === 0 ? {} : { conditions: [gated(pod)] }),
    },
  }),
  validate: (pod, old) => {
    // Most updates are of the status or of labels alone, and what is stored was valid.
    if (old !== undefined && pod['spec'] === old['spec']) return []
    return [...specFaults(pod), ...(old === undefined ? [] : changeFaults(pod, old))]
  },
})

const noTimes = { lastProbeTime: null, lastTransitionTime: null }

/** The times of a condition are always written, also when they are unknown. */
function withConditionTimes(pod: AnyObject): AnyObject {
  const status = pod['status'] as { conditions?: readonly object[] } | undefined
  if (status?.conditions === undefined) return pod
  const conditions = mapKeeping(status.conditions, (condition) => withDefaults(noTimes, condition))
  return conditions === status.conditions ? pod : { ...pod, status: { ...status, conditions } }
}

/** The scheduler looks for no node while a gate is closed. */
function gated({ metadata: { creationTimestamp } }: AnyObject): object {
  const message = 'Scheduling is blocked due to non-empty scheduling gates'
  return {
    type: 'PodScheduled',
    status: 'False',
    lastProbeTime: null,
    lastTransitionTime: creationTimestamp ?? null,
    reason: 'SchedulingGated',
    message,
  }
}

/** Guaranteed when every container limits what it requests, BestEffort when none asks for anything. */
function qualityOfService(pod: AnyObject): string {
  const containers = ((pod['spec'] ?? {}) as PodSpec).containers ?? []
  const asks = containers.map(({ resources }) => (resources ?? {}) as { requests?: object; limits?: object })
  const isEmpty = (map: object | undefined) => map === undefined || Object.keys(map).length === 0
  if (asks.every(({ requests, limits }) => isEmpty(requests) && isEmpty(limits))) return 'BestEffort'
  const isGuaranteed = asks.every(
    ({ requests, limits }) => !isEmpty(limits) && (isEmpty(requests) || sameJson(requests, limits)),
  )
  return isGuaranteed ? 'Guaranteed' : 'Burstable'
}

function specFaults(pod: AnyObject): FieldFault[] {
  const { containers = [] } = (pod as Pod).spec ?? {}
  if (containers.length === 0) return [{ field: 'spec.containers', kind: 'Required', message: 'Required value' }]
  return containers.flatMap((container, at) => containerFaults(container, `spec.containers[${at}]`))
}

function containerFaults(container: Container, field: string): FieldFault[] {
  const missing = (['name', 'image'] as const).filter((what) => (container[what] ?? '') === '')
  return missing.map((what) => ({ field: `${field}.${what}`, kind: 'Required', message: 'Required value' }))
}

/** What may change in the spec of a pod that exists; everything else was decided when it was made. */
const changeable =
  'pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)'

function changeFaults(pod: AnyObject, old: AnyObject): FieldFault[] {
  if (sameJson(fixedPart(pod), fixedPart(old))) return gateFaults(pod, old)
  return [{ field: 'spec', kind: 'Forbidden', message: `Forbidden: ${changeable}` }]
}

interface Gate {
  readonly name: string
}

const gatesOf = (pod: AnyObject) => (((pod['spec'] ?? {}) as PodSpec)['schedulingGates'] ?? []) as readonly Gate[]

/** Gates can only be taken away. */
function gateFaults(pod: AnyObject, old: AnyObject): FieldFault[] {
  const before = new Set(gatesOf(old).map(({ name }) => name))
  return gatesOf(pod).flatMap(({ name }, at): FieldFault[] => {
    if (before.has(name)) return []
    const message = `Forbidden: only deletion is allowed, but found new scheduling gate '${name}'`
    return [{ field: `spec.schedulingGates[${at}].name`, kind: 'Forbidden', message }]
  })
}

function fixedPart(pod: AnyObject): unknown {
  const {
    containers,
    initContainers,
    activeDeadlineSeconds: _,
    tolerations: __,
    schedulingGates: ___,
    nodeSelector: ____,
    affinity: _____,
    ...rest
  } = (pod as Pod).spec ?? {}
  const withoutImage = (list: readonly Container[] | undefined) =>
    list?.map(({ image: ______, ...container }) => container)
  return { ...rest, containers: withoutImage(containers), initContainers: withoutImage(initContainers) }
}
