import type { KubernetesObject, Manifest } from '../../api/kubernetes/meta.ts'
import {
  daemonSets as daemonSetResource,
  deployments,
  namespaces,
  podDisruptionBudgets,
  statefulSets,
  type Resource,
} from '../../api/kubernetes/resources.ts'
import { annotations } from '../../api/names.ts'

// What runs in the cluster of the demo: some sixty pods on twelve nodes, as in any company.

export const shop = 'shop'

/** Its image can be missing from the registry; see registry.ts. */
export const fragile = 'search'

export interface Application {
  readonly name: string
  /** How many pods must be ready for users to notice nothing. */
  readonly wanted: number
  readonly replicas: number
  /** In a few words, for the table. */
  readonly about: string
  readonly objects: readonly DemoObject[]
}

/**
 * Annotations that the embedded kubelet reads: how a pod behaves, and on a Node its static pods. Their names are repeated
 * here, because the release does not load the embedded cluster with the commands.
 */
export const behaviour = {
  readyAfter: 'lifeboat.test/ready-after',
  completeAfter: 'lifeboat.test/complete-after',
  imagePull: 'lifeboat.test/image-pull',
  staticPods: 'lifeboat.test/static-pods',
} as const

interface TemplateOptions {
  readonly annotations?: Readonly<Record<string, string>>
  readonly spec?: object
}

/** A pod that takes a moment to start, as all do. */
function template(name: string, options: TemplateOptions = {}): object {
  return {
    metadata: {
      labels: { app: name },
      annotations: { [behaviour.readyAfter]: '1s', ...options.annotations },
    },
    spec: { containers: [{ name: 'main', image: `registry.example.com/${name}:1.0` }], ...options.spec },
  }
}

export interface DemoObject {
  readonly resource: Resource<KubernetesObject>
  readonly object: Manifest
}

function inShop(resource: Resource<KubernetesObject>, name: string, spec: object, extra: object = {}): DemoObject {
  const selector = { matchLabels: { app: name } }
  const object = { metadata: { name, namespace: shop, ...extra }, spec: { selector, ...spec } }
  return { resource, object }
}

function deployment(name: string, replicas: number, about: string, limit?: object, pod?: TemplateOptions): Application {
  const own = inShop(deployments, name, { replicas, template: template(name, pod) })
  const objects = limit === undefined ? [own] : [own, inShop(podDisruptionBudgets, name, limit)]
  return { name, wanted: replicas, replicas, about, objects }
}

/** Its pods have names of their own, so none can start before the one of its name is gone: one at a time may be away. */
function statefulSet(name: string, replicas: number, about: string): Application {
  const spec = { replicas, serviceName: name, podManagementPolicy: 'Parallel', template: template(name) }
  const extra = { annotations: { [annotations.evacuationStrategy]: 'MaxUnavailable' } }
  const objects = [inShop(statefulSets, name, spec, extra), inShop(podDisruptionBudgets, name, { maxUnavailable: 1 })]
  return { name, wanted: replicas - 1, replicas, about, objects }
}

/** Those that are measured. */
export const applications: readonly Application[] = [
  deployment('checkout', 1, '1 replica, minAvailable 1', { minAvailable: 1 }),
  deployment('cart', 3, 'maxUnavailable 0', { maxUnavailable: 0 }),
  deployment(
    fragile,
    1,
    '1 replica, its image is gone',
    { minAvailable: 1 },
    { annotations: { [behaviour.imagePull]: 'fails' } },
  ),
  deployment(
    'dns',
    3,
    'system-cluster-critical',
    { maxUnavailable: 1 },
    { spec: { priorityClassName: 'system-cluster-critical' } },
  ),
  statefulSet('orders', 3, 'StatefulSet, maxUnavailable 1'),
  deployment('web', 12, 'maxUnavailable 2', { maxUnavailable: 2 }),
  deployment('worker', 9, 'no budget'),
]

export interface DaemonSetApplication {
  readonly name: string
  readonly object: DemoObject
}

function daemonSet(name: string, spec: object): DaemonSetApplication {
  return { name, object: inShop(daemonSetResource, name, { template: template(name, { spec }) }) }
}

/** One pod a node each; the second is of the highest priority and leaves last. */
export const daemonSets: readonly DaemonSetApplication[] = [
  daemonSet('logs', {}),
  daemonSet('network', { priorityClassName: 'system-node-critical' }),
]

const jobs: Resource<KubernetesObject> = {
  group: 'batch',
  version: 'v1',
  plural: 'jobs',
  kind: 'Job',
  namespaced: true,
}

/** Of the Job, which works for longer than the demo lasts. */
export const jobPods = 4

const job: DemoObject = {
  resource: jobs,
  object: {
    metadata: { name: 'report', namespace: shop },
    spec: {
      completions: jobPods,
      parallelism: jobPods,
      template: template('report', {
        annotations: { [behaviour.completeAfter]: '300s' },
        spec: { restartPolicy: 'Never' },
      }),
    },
  } as Manifest,
}

/** In the order in which they are created. */
export function demoObjects(): DemoObject[] {
  const namespace: DemoObject = { resource: namespaces, object: { metadata: { name: shop } } }
  return [namespace, ...daemonSets.map(({ object }) => object), ...applications.flatMap(({ objects }) => objects), job]
}
