import { requestsOf } from '../../api/kubernetes/pod-requests.ts'
import type { ConditionView, ContainerView, HostPortView, PodMarks, PodTemplateView, PodView } from '../view.ts'
import type { ContainerStatus, SourcePod } from './objects.ts'
import { Pool } from '../../runtime/pool.ts'
import { qosClassOf } from './quality-of-service.ts'

type SpecParts = Omit<PodTemplateView, 'labels' | 'owners'>

const prefix = 'descheduler.alpha.kubernetes.io'

/** Pods that came from one template share what they have in common: most of a large cluster's memory would go there. */
export class PodReducer {
  readonly #specs = new Pool<SpecParts>()
  readonly #templates = new Pool<PodTemplateView>()
  readonly #marks = new Pool<PodMarks>()
  readonly #keepsConditions: boolean

  /** Conditions would be half of what is kept of most pods. */
  constructor({ conditions }: { readonly conditions: boolean }) {
    this.#keepsConditions = conditions
  }

  reduce(pod: SourcePod): PodView {
    const { metadata, spec, status } = pod
    return {
      namespace: metadata.namespace,
      name: metadata.name,
      uid: metadata.uid,
      nodeName: spec?.nodeName ?? '',
      template: this.#templateOf(pod),
      marks: this.#marksOf(pod),
      createdMs: Date.parse(metadata.creationTimestamp ?? ''),
      startedMs: timeOf(status?.startTime),
      isTerminating: metadata.deletionTimestamp !== undefined,
      phase: status?.phase,
      reason: status?.reason,
      conditions: this.#keepsConditions ? listOf((status?.conditions ?? []).map(conditionOf)) : nothing,
      containers: containersOf(status?.containerStatuses),
      initContainers: containersOf(status?.initContainerStatuses),
      ephemeralContainers: containersOf(status?.ephemeralContainerStatuses),
      claims: claimsOf(pod),
    }
  }

  #templateOf(pod: SourcePod): PodTemplateView {
    const { labels = {}, ownerReferences = [] } = pod.metadata
    const parts = this.#specs.share(partsThatDecide(pod), () => specPartsOf(pod))
    const owners = ownerReferences.map(({ kind, name, uid }) => ({ kind, name, uid }))
    return this.#templates.share([labels, owners, this.#specs.keyOf(parts)], () => ({ labels, owners, ...parts }))
  }

  #marksOf({ metadata: { annotations = {} } }: SourcePod): PodMarks {
    const has = (key: string) => Object.hasOwn(annotations, key)
    const source = annotations['kubernetes.io/config.source']
    const marks = {
      evict: has(`${prefix}/evict`),
      preferNoEviction: has(`${prefix}/prefer-no-eviction`),
      requestEvictOnly: has(`${prefix}/request-evict-only`),
      evictionInProgress: has(`${prefix}/eviction-in-progress`),
      mirror: has('kubernetes.io/config.mirror'),
      foreignSource: source !== undefined && source !== 'api',
    }
    return this.#marks.share(marks, () => marks)
  }
}

/** Everything that goes into the shared parts, and nothing else: commands and variables would cost more than they share. */
function partsThatDecide({ spec = {}, status }: SourcePod): unknown {
  const { priority, nodeSelector, affinity, tolerations, topologySpreadConstraints, resources, overhead } = spec
  const containersOfKind = (containers: typeof spec.containers) =>
    containers?.map(({ image, restartPolicy, resources: own }) => [image, restartPolicy, own])
  return [
    [priority, nodeSelector, affinity, tolerations, topologySpreadConstraints, resources, overhead],
    containersOfKind(spec.containers),
    containersOfKind(spec.initContainers),
    hostPortsOf(spec),
    spec.volumes?.some(isLocal),
    spec.resourceClaims?.length,
    status?.qosClass,
  ]
}

function specPartsOf(pod: SourcePod): SpecParts {
  const { spec } = pod
  const containers = [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])]
  const { nodeAffinity, podAffinity, podAntiAffinity } = spec?.affinity ?? {}
  return {
    priority: spec?.priority,
    images: (spec?.containers ?? []).map(({ image = '' }) => image).toSorted(),
    requests: requestsOf(pod),
    requestedByContainers: new Set(containers.flatMap(({ resources }) => Object.keys(resources?.requests ?? {}))),
    qosClass: qosClassOf(pod),
    tolerations: spec?.tolerations ?? [],
    nodeSelector: spec?.nodeSelector ?? {},
    hasNodeAffinity: nodeAffinity !== undefined,
    requiredNodeAffinity: nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution,
    preferredNodeAffinity: nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [],
    podAffinity: podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [],
    antiAffinity: podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [],
    spreadConstraints: spec?.topologySpreadConstraints ?? [],
    hostPorts: hostPortsOf(spec ?? {}),
    hasLocalStorage: (spec?.volumes ?? []).some(isLocal),
    hasResourceClaims: (spec?.resourceClaims ?? []).length > 0,
  }
}

/** Only a sidecar keeps its ports among the init containers. */
function hostPortsOf({
  containers = [],
  initContainers = [],
}: NonNullable<SourcePod['spec']>): readonly HostPortView[] {
  const sidecars = initContainers.filter(({ restartPolicy }) => restartPolicy === 'Always')
  return [...containers, ...sidecars]
    .flatMap(({ ports = [] }) => ports)
    .filter(({ hostPort = 0 }) => hostPort > 0)
    .map(({ hostPort = 0, protocol = 'TCP', hostIP = '' }) => ({
      protocol,
      port: hostPort,
      ip: hostIP === '' ? everyAddress : hostIP,
    }))
}

const everyAddress = '0.0.0.0'

function isLocal({ hostPath, emptyDir }: { readonly hostPath?: unknown; readonly emptyDir?: unknown }): boolean {
  return (hostPath ?? emptyDir ?? null) !== null
}

/** The claim of an ephemeral volume is meant to go with its pod: upstream does not count it. */
function claimsOf({ spec }: SourcePod): readonly string[] {
  return listOf(
    (spec?.volumes ?? []).flatMap(({ persistentVolumeClaim }) =>
      persistentVolumeClaim === undefined ? [] : [persistentVolumeClaim.claimName],
    ),
  )
}

const nothing: readonly never[] = []

/** Most lists of most pods are empty. */
function listOf<Item>(items: readonly Item[]): readonly Item[] {
  return items.length === 0 ? nothing : items
}

function conditionOf(condition: NonNullable<NonNullable<SourcePod['status']>['conditions']>[number]): ConditionView {
  const { type, status, reason, lastTransitionTime } = condition
  return { type, status, reason, lastTransitionMs: timeOf(lastTransitionTime ?? undefined) }
}

function containersOf(statuses: readonly ContainerStatus[] | undefined): readonly ContainerView[] {
  const all = (statuses ?? []).map(({ restartCount = 0, state }) =>
    restartCount === 0 && state?.waiting === undefined && state?.terminated === undefined
      ? undisturbed
      : {
          restartCount,
          waitingReason: state?.waiting?.reason,
          terminatedReason: state?.terminated?.reason,
          exitCode: state?.terminated === undefined ? undefined : (state.terminated.exitCode ?? 0),
        },
  )
  return all.length === 1 && all[0] === undisturbed ? onlyUndisturbed : listOf(all)
}

/** What nearly all containers look like. */
const undisturbed: ContainerView = {
  restartCount: 0,
  waitingReason: undefined,
  terminatedReason: undefined,
  exitCode: undefined,
}
const onlyUndisturbed: readonly ContainerView[] = [undisturbed]

function timeOf(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Date.parse(text)
}
