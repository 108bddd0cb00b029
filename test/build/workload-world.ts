import type { KubernetesObject } from '../../src/api/kubernetes/meta.ts'
import type { Resource } from '../../src/api/kubernetes/resources.ts'
import { ownersOf } from '../../src/evacuators/workload/workload-pools.ts'
import type { WorkloadReader, WorkloadWorld } from '../../src/evacuators/workload/workload-evacuator.ts'

type Objects = readonly (readonly [Resource<KubernetesObject>, ...KubernetesObject[]])[]

/** The namespace of a pod with just these objects in it. What is not listed at all is not followed, and asking throws. */
export function buildWorkloadWorld(namespace: string, objects: Objects): WorkloadWorld {
  const listed = <T extends KubernetesObject>({ plural }: Resource<T>) => {
    const found = objects.find(([resource]) => resource.plural === plural)
    if (found === undefined) throw new Error(`${plural} are not followed`)
    return found.slice(1) as unknown as T[]
  }
  const get = <T extends KubernetesObject>(resource: Resource<T>, name: string) =>
    listed(resource).find((object) => (object as KubernetesObject).metadata.name === name)
  return {
    namespace,
    get,
    ownedBy: (resource, uid) => listed(resource).filter((object) => ownersOf(object).includes(uid)),
    select: (resource, matches) => listed(resource).filter((object) => matches(object)),
    read: buildWorkloadReader(objects),
    rehearse: async () => {
      throw new Error('nothing is rehearsed')
    },
  }
}

/** An API server with just these objects. */
export function buildWorkloadReader(objects: Objects): WorkloadReader {
  const listed = <T extends KubernetesObject>({ plural }: Resource<T>) =>
    (objects.find(([resource]) => resource.plural === plural)?.slice(1) ?? []) as unknown as T[]
  return {
    get: async (resource, { name }) =>
      listed(resource).find((object) => (object as KubernetesObject).metadata.name === name),
    list: async (resource) => listed(resource),
  }
}
