import type { Pod } from '../../src/api/kubernetes/core.ts'
import type { Transport } from '../../src/kube/client/transport.ts'
import { follow } from './follow.ts'

/** How many pods of each app were ready, by a watch, which misses nothing: a poll sees only what lasts. */
export interface ReadinessSampler {
  /** What was before does not count. */
  reset(): void
  ready(app: string): number
  /** The fewest there have been at any moment. */
  lowest(app: string): number
  stop(): Promise<void>
}

export async function startReadinessSampler(transport: Transport, namespace: string): Promise<ReadinessSampler> {
  const pods = new Map<string, Pod>()
  const lowest = new Map<string, number>()
  const ready = (app: string) => [...pods.values()].filter((pod) => appOf(pod) === app && isReady(pod)).length
  const note = (app: string) => void lowest.set(app, Math.min(lowest.get(app) ?? Number.POSITIVE_INFINITY, ready(app)))
  const following = await follow(transport, `/api/v1/namespaces/${namespace}/pods`, (type, object) => {
    const pod = object as Pod
    const { uid } = pod.metadata
    if (type === 'DELETED') pods.delete(uid)
    else pods.set(uid, pod)
    note(appOf(pod))
  })
  return {
    reset: () => {
      lowest.clear()
      for (const pod of pods.values()) note(appOf(pod))
    },
    ready,
    lowest: (app) => lowest.get(app) ?? Number.POSITIVE_INFINITY,
    stop: () => following.stop(),
  }
}

const appOf = ({ metadata }: Pod) => metadata.labels?.['app'] ?? ''

function isReady({ metadata, status }: Pod): boolean {
  const says = status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') ?? false
  return says && metadata.deletionTimestamp === undefined
}
