import type { ContainerStatus, Pod, PodCondition, PodSpec, PodStatus } from '../../api/kubernetes/core.ts'

/** Those of Kubernetes and of Lifeboat; networks, meshes and build systems write kilobytes that are of no use here. */
const keptAnnotation = /^(?!kubectl\.)([^/]+\.)?(kubernetes|k8s)\.io\//

const kept = {
  metadata: [
    'name',
    'namespace',
    'uid',
    'resourceVersion',
    'generation',
    'creationTimestamp',
    'deletionTimestamp',
    'deletionGracePeriodSeconds',
    'finalizers',
  ],
  spec: ['nodeName', 'priority', 'terminationGracePeriodSeconds'],
  status: ['phase', 'reason', 'message'],
  condition: ['type', 'status', 'reason', 'message', 'lastTransitionTime'],
} as const
const noContainers: PodSpec['containers'] = []

/** What Lifeboat looks at of a pod. The rest, containers and volumes and addresses, is most of it. */
export function slimPod({ metadata, spec, status }: Pod): Pod {
  const { labels, ownerReferences } = metadata
  const annotations = keptAnnotations(metadata.annotations)
  return {
    metadata: { ...only(metadata, ...kept.metadata), ...defined({ labels, ownerReferences, annotations }) },
    ...(spec === undefined ? {} : { spec: slimSpec(spec) }),
    ...(status === undefined ? {} : { status: slimStatus(status) }),
  }
}

function slimSpec(spec: PodSpec): PodSpec {
  const claims = spec.volumes?.filter(({ persistentVolumeClaim }) => persistentVolumeClaim !== undefined)
  return {
    ...only(spec, ...kept.spec),
    ...defined({
      schedulingGates: spec.schedulingGates,
      volumes: claims?.length === 0 ? undefined : claims,
      affinity: spec.affinity?.nodeAffinity === undefined ? undefined : { nodeAffinity: spec.affinity.nodeAffinity },
    }),
    containers: noContainers,
  }
}

function slimStatus(status: PodStatus): PodStatus {
  return {
    ...only(status, ...kept.status),
    ...defined({
      conditions: status.conditions?.filter(isTelling).map((condition) => only(condition, ...kept.condition)),
      initContainerStatuses: status.initContainerStatuses?.map(slimContainer),
      containerStatuses: status.containerStatuses?.map(slimContainer),
    }),
  }
}

/** Its fields that are there. */
type Defined<Fields> = { readonly [Name in keyof Fields]?: Exclude<Fields[Name], undefined> }

function defined<Fields extends object>(fields: Fields): Defined<Fields> {
  return only(fields, ...(Object.keys(fields) as (keyof Fields)[])) as Defined<Fields>
}

function only<Value extends object, Name extends keyof Value>(
  value: Value,
  ...names: readonly Name[]
): Pick<Value, Name> {
  const picked: Partial<Pick<Value, Name>> = {}
  for (const name of names) if (value[name] !== undefined) picked[name] = value[name]
  return picked as Pick<Value, Name>
}

/** Of any kind: kubectl writes down all that it applied, and others of them write more. Undefined: none is kept. */
export function keptAnnotations(
  annotations: Readonly<Record<string, string>> | undefined,
): Readonly<Record<string, string>> | undefined {
  const entries = Object.entries(annotations ?? {}).filter(([key]) => keptAnnotation.test(key))
  return entries.length === 0 ? undefined : Object.fromEntries(entries)
}

/** That a pod is well, it says once. */
function isTelling({ type, status }: PodCondition): boolean {
  return type === 'Ready' || type === 'DisruptionTarget' || status !== 'True'
}

function slimContainer({ name, ready, restartCount, state }: ContainerStatus): ContainerStatus {
  return { name, ready, restartCount, ...(state?.waiting === undefined ? {} : { state: { waiting: state.waiting } }) }
}
