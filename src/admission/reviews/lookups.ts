import { evacuations, type Evacuation } from '../../api/evacuation/evacuation.ts'
import type { Node, Pod } from '../../api/kubernetes/core.ts'
import type { KubernetesObject } from '../../api/kubernetes/meta.ts'
import { nodes, pods, type Resource } from '../../api/kubernetes/resources.ts'
import type { Kube } from '../../kube/client/client.ts'
import { unlessNotFound } from '../../kube/client/errors.ts'
import type { ObjectKey } from '../../kube/client/paths.ts'

interface Key {
  readonly namespace: string
  readonly name: string
}

/** The reviews ask the API server itself, never a cache: an answer from before would let through what must not be. */
export interface Lookups {
  pod(key: Key, signal: AbortSignal): Promise<Pod | undefined>
  evacuation(key: Key, signal: AbortSignal): Promise<Evacuation | undefined>
  node(name: string, signal: AbortSignal): Promise<Node | undefined>
}

export function kubeLookups(kube: Pick<Kube, 'get'>): Lookups {
  return {
    pod: (key, signal) => find(kube, pods, key, signal),
    evacuation: (key, signal) => find(kube, evacuations, key, signal),
    node: (name, signal) => find(kube, nodes, { name }, signal),
  }
}

async function find<T extends KubernetesObject>(
  kube: Pick<Kube, 'get'>,
  resource: Resource<T>,
  key: ObjectKey,
  signal: AbortSignal,
): Promise<T | undefined> {
  return unlessNotFound(kube.get(resource, key, { signal }))
}
