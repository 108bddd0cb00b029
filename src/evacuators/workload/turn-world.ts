import type { KubernetesObject } from '../../api/kubernetes/meta.ts'
import type { Resource } from '../../api/kubernetes/resources.ts'
import type { Kube } from '../../kube/client/client.ts'
import type { ClusterEvent } from '../../kube/events/cluster-event.ts'
import { unlessNotFound } from '../../kube/client/errors.ts'
import type { ObjectKey } from '../../kube/client/paths.ts'
import type { Interest } from './interests.ts'
import { placeOf, type WorkloadCaches } from './workload-caches.ts'
import type { WorkloadReader, WorkloadWorld } from './workload-evacuator.ts'

/** The world as one look at it finds it. Notes what was looked at. */
export class TurnWorld implements WorkloadWorld {
  readonly namespace: string
  readonly read: WorkloadReader
  readonly rehearse: WorkloadWorld['rehearse']
  readonly #caches: WorkloadCaches
  readonly #interest: Interest

  constructor(
    namespace: string,
    caches: WorkloadCaches,
    interest: Interest,
    asks: { readonly read: WorkloadReader; readonly rehearse: WorkloadWorld['rehearse'] },
  ) {
    this.namespace = namespace
    this.read = asks.read
    this.rehearse = asks.rehearse
    this.#caches = caches
    this.#interest = interest
  }

  get<T extends KubernetesObject>(
    resource: Resource<T>,
    name: string,
    namespace: string = this.namespace,
  ): T | undefined {
    this.#interest.inName(placeOf(resource, namespace, name), name)
    return this.#caches.get(resource, namespace, name)
  }

  ownedBy<T extends KubernetesObject>(resource: Resource<T>, ownerUid: string): readonly T[] {
    this.#interest.inOwner(placeOf(resource, this.namespace), ownerUid)
    return this.#caches.ownedBy(resource, this.namespace, ownerUid)
  }

  select<T extends KubernetesObject>(
    resource: Resource<T>,
    matches: (object: T) => boolean,
    shared: object = {},
  ): readonly T[] {
    const place = { ...placeOf(resource, this.namespace), resource }
    this.#interest.inMatching<T>(place, matches)
    const found = this.#caches.select(resource, this.namespace, { shared, matches })
    for (const { metadata } of found) this.#interest.inName(place, metadata.name)
    return found
  }
}

/** Asks the API server each time. */
export function readerOf(
  kube: Pick<Kube, 'get' | 'list'>,
  signal?: AbortSignal,
  tell?: (event: ClusterEvent) => void,
): WorkloadReader {
  return {
    ...(tell === undefined ? {} : { tell }),
    async list<T extends KubernetesObject>(resource: Resource<T>, namespace: string, labelSelector?: string) {
      const selected = labelSelector === undefined ? {} : { labelSelector }
      const { items } = await kube.list(resource, { namespace, ...selected, signal })
      return items
    },
    async get<T extends KubernetesObject>(resource: Resource<T>, key: ObjectKey): Promise<T | undefined> {
      return await unlessNotFound(kube.get(resource, key, { signal }))
    },
  }
}
