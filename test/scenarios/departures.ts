import { setTimeout as pause } from 'node:timers/promises'
import type { Pod } from '../../src/api/kubernetes/core.ts'
import type { Transport } from '../../src/kube/client/transport.ts'

/** How pods went, by a watch: the API server marks a pod that an accepted eviction takes away, and no other. */
export interface Departures {
  /** Names of pods that went, or are going, without an accepted eviction. */
  withoutEviction(among: ReadonlySet<string>): readonly string[]
  stop(): Promise<void>
}

export async function startDepartures(transport: Transport, namespace: string): Promise<Departures> {
  const stop = new AbortController()
  const path = `/api/v1/namespaces/${namespace}/pods`
  const answer = await transport.watch({ method: 'GET', path, query: { watch: 'true' }, signal: stop.signal })
  if (answer.kind === 'refused') throw new Error(`${path}: ${answer.status}`)
  /** By UID. */
  const departed = new Map<string, Pod>()
  const read = async () => {
    try {
      for await (const { type, object } of answer.events) {
        const pod = object as Pod
        if (type === 'DELETED' || pod.metadata.deletionTimestamp !== undefined) departed.set(pod.metadata.uid, pod)
      }
    } catch (error) {
      if (!stop.signal.aborted) throw error
    }
  }
  const reading = read()
  return {
    withoutEviction: (among) =>
      [...departed].filter(([uid, pod]) => among.has(uid) && !wasEvicted(pod)).map(([, { metadata }]) => metadata.name),
    stop: async () => {
      stop.abort(new Error('seen enough'))
      await Promise.race([reading, pause(1_000)])
    },
  }
}

function wasEvicted({ status }: Pod): boolean {
  return (
    status?.conditions?.some(({ type, reason }) => type === 'DisruptionTarget' && reason === 'EvictionByEvictionAPI') ??
    false
  )
}
