import type { Pod } from '../../src/api/kubernetes/core.ts'
import type { Transport } from '../../src/kube/client/transport.ts'
import { follow } from './follow.ts'

/** How pods went, by a watch: the API server marks a pod that an accepted eviction takes away, and no other. */
export interface Departures {
  /** Names of pods that went, or are going, without an accepted eviction. */
  withoutEviction(among: ReadonlySet<string>): readonly string[]
  stop(): Promise<void>
}

export async function startDepartures(transport: Transport, namespace: string): Promise<Departures> {
  /** By UID. */
  const departed = new Map<string, Pod>()
  const following = await follow(transport, `/api/v1/namespaces/${namespace}/pods`, (type, object) => {
    const pod = object as Pod
    if (type === 'DELETED' || pod.metadata.deletionTimestamp !== undefined) departed.set(pod.metadata.uid, pod)
  })
  return {
    withoutEviction: (among) =>
      [...departed].filter(([uid, pod]) => among.has(uid) && !wasEvicted(pod)).map(([, { metadata }]) => metadata.name),
    stop: () => following.stop(),
  }
}

function wasEvicted({ status }: Pod): boolean {
  return (
    status?.conditions?.some(({ type, reason }) => type === 'DisruptionTarget' && reason === 'EvictionByEvictionAPI') ??
    false
  )
}
