import { readAs } from '../server/store.ts'
import type { ControllerParts } from './controller.ts'
import type {
  ControllerRevision,
  DaemonSet,
  Deployment,
  HorizontalPodAutoscaler,
  Job,
  Lease,
  Namespace,
  Node,
  Pod,
  ReplicaSet,
  Service,
  StatefulSet,
} from './objects.ts'

/** The kinds that controllers read, by the store's name of them. */
export interface Kinds {
  pods: Pod
  nodes: Node
  namespaces: Namespace
  services: Service
  'replicasets.apps': ReplicaSet
  'deployments.apps': Deployment
  'daemonsets.apps': DaemonSet
  'statefulsets.apps': StatefulSet
  'controllerrevisions.apps': ControllerRevision
  'jobs.batch': Job
  'horizontalpodautoscalers.autoscaling': HorizontalPodAutoscaler
  'leases.coordination.k8s.io': Lease
}

type Reads = ControllerParts['store']

export function getObject<Name extends keyof Kinds>(
  store: Reads,
  resource: Name,
  key: string,
): Kinds[Name] | undefined {
  return readAs<Kinds[Name] | undefined>(store.get(resource, key))
}

export function listObjects<Name extends keyof Kinds>(store: Reads, resource: Name, namespace?: string): Kinds[Name][] {
  return readAs<Kinds[Name][]>(store.list(resource, namespace))
}
