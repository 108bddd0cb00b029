// Objects as tests want them, for the real cluster and the embedded one. The lifeboat.test annotations are read by the
// stages of the test cluster, which play the kubelet.

export interface KubernetesObject {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: ObjectMetadata
  readonly [field: string]: unknown
}

export interface NamespacedObject extends KubernetesObject {
  readonly metadata: NamespacedMetadata
}

export interface ObjectMetadata {
  readonly name: string
  readonly namespace?: string
  readonly labels?: Labels
  readonly annotations?: Labels
  readonly ownerReferences?: readonly OwnerReference[]
}

export interface NamespacedMetadata extends ObjectMetadata {
  readonly namespace: string
}

export interface OwnerReference {
  readonly apiVersion: string
  readonly kind: string
  readonly name: string
  readonly uid: string
  readonly controller?: boolean
}

export interface Taint {
  readonly key: string
  readonly value?: string
  readonly effect: 'NoSchedule' | 'PreferNoSchedule' | 'NoExecute'
}

type Labels = Readonly<Record<string, string>>

export interface NodeOptions {
  readonly name: string
  readonly zone?: string
  readonly labels?: Labels
  readonly annotations?: Labels
  readonly taints?: readonly Taint[]
  /** By resource; what is left out is as on any node of the test cluster: 32 cores, 256 GiB, 110 pods. */
  readonly capacity?: Labels
}

export function buildNode(options: NodeOptions): KubernetesObject {
  const capacity = { cpu: '32', memory: '256Gi', pods: '110', ...options.capacity }
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name: options.name,
      labels: {
        type: 'kwok',
        'kubernetes.io/hostname': options.name,
        'kubernetes.io/os': 'linux',
        'kubernetes.io/arch': 'amd64',
        ...(options.zone === undefined
          ? {}
          : {
              'topology.kubernetes.io/zone': options.zone,
              // Zones are named after their region, as in europe-1a.
              'topology.kubernetes.io/region': options.zone.replace(/[a-z]$/, ''),
            }),
        ...options.labels,
      },
      annotations: { 'kwok.x-k8s.io/node': 'fake', ...options.annotations },
    },
    spec: options.taints === undefined ? {} : { taints: options.taints },
    status: { capacity, allocatable: capacity },
  }
}

/** How the played kubelet treats a pod. Durations as in "500ms", "5s", "1m". */
export interface PodBehaviour {
  /** Running at once, Ready only then. */
  readonly readyAfter?: string
  /** Running, and not Ready until the annotation is removed. */
  readonly neverReady?: boolean
  /** Slow to end once deleted, though never beyond its grace period. */
  readonly terminateAfter?: string
  /** Pending with ImagePullBackOff until the annotation is removed. */
  readonly imagePullFails?: boolean
  /** Running with CrashLoopBackOff until the annotation is removed. */
  readonly crashes?: boolean
  /** Ends as Failed. */
  readonly fails?: boolean
  /** For a pod of a Job: how long it works. */
  readonly completeAfter?: string
}

export const behaviourAnnotations = {
  readyAfter: 'lifeboat.test/ready-after',
  neverReady: 'lifeboat.test/never-ready',
  terminateAfter: 'lifeboat.test/terminate-after',
  imagePullFails: 'lifeboat.test/image-pull',
  crashes: 'lifeboat.test/crash',
  fails: 'lifeboat.test/fails',
  completeAfter: 'lifeboat.test/complete-after',
} as const satisfies Record<keyof PodBehaviour, string>

export function annotationsFor(behaviour: PodBehaviour): Labels {
  const values = {
    readyAfter: behaviour.readyAfter,
    neverReady: behaviour.neverReady === true ? 'true' : undefined,
    terminateAfter: behaviour.terminateAfter,
    imagePullFails: behaviour.imagePullFails === true ? 'fails' : undefined,
    crashes: behaviour.crashes === true ? 'true' : undefined,
    fails: behaviour.fails === true ? 'true' : undefined,
    completeAfter: behaviour.completeAfter,
  }
  const keys = Object.keys(behaviourAnnotations) as (keyof PodBehaviour)[]
  return Object.fromEntries(
    keys.flatMap((key) => {
      const value = values[key]
      return value === undefined ? [] : [[behaviourAnnotations[key], value]]
    }),
  )
}

export interface PodSettings extends PodBehaviour {
  readonly priority?: number
  readonly priorityClassName?: string
  readonly terminationGracePeriodSeconds?: number
  /** Requests of its one container. */
  readonly requests?: Labels
  readonly tolerations?: readonly Readonly<Record<string, unknown>>[]
  /** More fields of the pod's spec, or other values for those that are set here. */
  readonly spec?: Readonly<Record<string, unknown>>
}

export interface PodOptions extends PodSettings {
  readonly name: string
  readonly namespace: string
  readonly labels?: Labels
  readonly annotations?: Labels
  readonly nodeName?: string
  readonly owner?: OwnerReference
}

export function buildPod(options: PodOptions): NamespacedObject {
  const annotations = { ...annotationsFor(options), ...options.annotations }
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      ...metadataOf(options),
      annotations,
      ...(options.owner === undefined ? {} : { ownerReferences: [{ controller: true, ...options.owner }] }),
    },
    spec: { ...podSpec(options), ...(options.nodeName === undefined ? {} : { nodeName: options.nodeName }) },
  }
}

function podSpec(settings: PodSettings): Readonly<Record<string, unknown>> {
  const { priority, priorityClassName, terminationGracePeriodSeconds, tolerations, requests } = settings
  return {
    containers: [{ name: 'main', image: 'test/image', ...(requests === undefined ? {} : { resources: { requests } }) }],
    ...(priority === undefined ? {} : { priority }),
    ...(priorityClassName === undefined ? {} : { priorityClassName }),
    ...(terminationGracePeriodSeconds === undefined ? {} : { terminationGracePeriodSeconds }),
    ...(tolerations === undefined ? {} : { tolerations }),
    ...settings.spec,
  }
}

export interface DeploymentOptions {
  readonly name: string
  readonly namespace: string
  readonly replicas: number
  /** Of the pods, and what selects them; `app` with the name if left out. */
  readonly labels?: Labels
  readonly annotations?: Labels
  readonly podAnnotations?: Labels
  readonly pod?: PodSettings
  readonly strategy?: Readonly<Record<string, unknown>>
}

export function buildDeployment(options: DeploymentOptions): NamespacedObject {
  const labels = options.labels ?? { app: options.name }
  const pod = options.pod ?? {}
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: metadataOf({ ...options, labels }),
    spec: {
      replicas: options.replicas,
      selector: { matchLabels: labels },
      ...(options.strategy === undefined ? {} : { strategy: options.strategy }),
      template: {
        metadata: { labels, annotations: { ...annotationsFor(pod), ...options.podAnnotations } },
        spec: podSpec(pod),
      },
    },
  }
}

export interface BudgetOptions {
  readonly name: string
  readonly namespace: string
  /** Labels of the pods that it covers. */
  readonly selector: Labels
  readonly minAvailable?: number | string
  readonly maxUnavailable?: number | string
  readonly unhealthyPodEvictionPolicy?: 'IfHealthyBudget' | 'AlwaysAllow'
}

export function buildBudget(options: BudgetOptions): NamespacedObject {
  const { minAvailable, maxUnavailable, unhealthyPodEvictionPolicy } = options
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name: options.name, namespace: options.namespace },
    spec: {
      selector: { matchLabels: options.selector },
      ...(minAvailable === undefined ? {} : { minAvailable }),
      ...(maxUnavailable === undefined ? {} : { maxUnavailable }),
      ...(unhealthyPodEvictionPolicy === undefined ? {} : { unhealthyPodEvictionPolicy }),
    },
  }
}

function metadataOf(options: NamespacedMetadata): NamespacedMetadata {
  const { name, namespace, labels, annotations } = options
  return {
    name,
    namespace,
    ...(labels === undefined ? {} : { labels }),
    ...(annotations === undefined ? {} : { annotations }),
  }
}
