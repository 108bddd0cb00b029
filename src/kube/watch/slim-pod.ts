import type { ContainerStatus, Pod, PodCondition, PodSpec, PodStatus } from '../../api/kubernetes/core.ts'
import { Pool } from '../../runtime/pool.ts'

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

/**
 * What Lifeboat looks at of a pod. The rest, containers and volumes and addresses, is most of it. Pods of one workload
 * share what they have in common.
 */
export class PodSlimmer {
  readonly #shared = new Pool<object>()

  slim(pod: Pod): Pod {
    const { metadata, spec, status } = pod
    const { labels, annotations, ownerReferences, ...others } = metadata
    return {
      metadata: {
        ...only(others, ...kept.metadata),
        ...this.#sharing({ labels, ownerReferences, annotations: keptAnnotations(annotations) }),
      },
      ...(spec === undefined ? {} : { spec: this.#specOf(spec) }),
      ...(status === undefined ? {} : { status: this.#statusOf(status) }),
    }
  }

  #specOf(spec: PodSpec): PodSpec {
    const claims = spec.volumes?.filter(({ persistentVolumeClaim }) => persistentVolumeClaim !== undefined)
    return {
      ...only(spec, ...kept.spec),
      ...this.#sharing({
        schedulingGates: spec.schedulingGates,
        volumes: claims?.length === 0 ? undefined : claims,
        affinity: spec.affinity?.nodeAffinity === undefined ? undefined : { nodeAffinity: spec.affinity.nodeAffinity },
      }),
      containers: noContainers,
    }
  }

  #statusOf(status: PodStatus): PodStatus {
    return {
      ...only(status, ...kept.status),
      ...(status.conditions === undefined
        ? {}
        : { conditions: status.conditions.filter(isTelling).map(slimCondition) }),
      ...this.#sharing({
        initContainerStatuses: status.initContainerStatuses?.map(slimContainer),
        containerStatuses: status.containerStatuses?.map(slimContainer),
      }),
    }
  }

  #sharing<Fields extends object>(fields: Fields): Defined<Fields> {
    const values = Object.entries(fields).filter(([, value]) => value !== undefined)
    return Object.fromEntries(
      values.map(([name, value]) => [name, this.#shared.share(value, () => value)]),
    ) as Defined<Fields>
  }
}

/** Its fields that are there. */
type Defined<Fields> = { readonly [Name in keyof Fields]?: Exclude<Fields[Name], undefined> }

function only<Value extends object, Name extends keyof Value>(
  value: Value,
  ...names: readonly Name[]
): Pick<Value, Name> {
  const picked: Partial<Pick<Value, Name>> = {}
  for (const name of names) if (value[name] !== undefined) picked[name] = value[name]
  return picked as Pick<Value, Name>
}

function keptAnnotations(annotations: Readonly<Record<string, string>> | undefined) {
  const entries = Object.entries(annotations ?? {}).filter(([key]) => keptAnnotation.test(key))
  return entries.length === 0 ? undefined : Object.fromEntries(entries)
}

/** That a pod is well, it says once. */
function isTelling({ type, status }: PodCondition): boolean {
  return type === 'Ready' || type === 'DisruptionTarget' || status !== 'True'
}

function slimCondition(condition: PodCondition): PodCondition {
  return only(condition, ...kept.condition)
}

function slimContainer({ name, ready, restartCount, state }: ContainerStatus): ContainerStatus {
  return { name, ready, restartCount, ...(state?.waiting === undefined ? {} : { state: { waiting: state.waiting } }) }
}
