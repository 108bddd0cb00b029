import type { Pod } from '../../src/api/kubernetes/core.ts'
import type { Transport } from '../../src/kube/client/transport.ts'
import { follow } from './follow.ts'

/** What became of one pod, in the time of its cluster. */
export interface PodEntry {
  readonly uid: string
  readonly name: string
  readonly node: string
  /** Its controller is asked to take it away. */
  markedAtMs?: number
  unmarkedAtMs?: number
  /** Somebody asked for its deletion. */
  deletedAtMs?: number
  /** Whether that was Kubernetes, because of a taint. */
  byTaint: boolean
}

/** By a watch, which misses nothing. */
export interface PodDiary {
  readonly pods: ReadonlyMap<string, PodEntry>
  /**
   * The most that were in eviction progress at once: deleted, and no replacement available. One that is down and was not
   * deleted is not in progress, so each pod that was there in the beginning counts until its deletion.
   */
  inProgressMax(replicas: number): number
  /** From now on: the pods that are there are those from the beginning. */
  begin(): void
  stop(): Promise<void>
}

const wantedKey = 'kubernetes.io/pod-evict-wanted'

export async function startPodDiary(transport: Transport, namespace: string, nowMs: () => number): Promise<PodDiary> {
  const pods = new Map<string, PodEntry>()
  const there = new Map<string, Pod>()
  let first = new Set<string>()
  /** How many stood after each event. */
  let standing: number[] = []
  const note = (type: string, pod: Pod) => {
    const { uid, name, annotations = {}, deletionTimestamp, deletionGracePeriodSeconds = 0 } = pod.metadata
    if (type === 'DELETED') there.delete(uid)
    else there.set(uid, pod)
    const entry = pods.get(uid) ?? { uid, name, node: pod.spec?.nodeName ?? '', byTaint: false }
    pods.set(uid, { ...entry, node: pod.spec?.nodeName ?? entry.node })
    const known = pods.get(uid) ?? entry
    if (annotations[wantedKey] === 'true') known.markedAtMs ??= nowMs()
    else if (known.markedAtMs !== undefined) known.unmarkedAtMs ??= nowMs()
    if (deletionTimestamp !== undefined)
      known.deletedAtMs ??= Date.parse(deletionTimestamp) - deletionGracePeriodSeconds * 1_000
    known.byTaint ||=
      pod.status?.conditions?.some(
        (condition) => condition.type === 'DisruptionTarget' && condition.reason === 'DeletionByTaintManager',
      ) ?? false
    standing.push([...there.values()].filter((each) => stands(each, first)).length)
  }
  const following = await follow(transport, `/api/v1/namespaces/${namespace}/pods`, (type, object) =>
    note(type, object as Pod),
  )
  return {
    pods,
    inProgressMax: (replicas) => Math.max(0, ...standing.map((count) => replicas - count)),
    begin: () => {
      first = new Set(there.keys())
      standing = []
    },
    stop: () => following.stop(),
  }
}

function stands({ metadata, status }: Pod, first: ReadonlySet<string>): boolean {
  if (metadata.deletionTimestamp !== undefined) return false
  const isReady = status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') ?? false
  return isReady || first.has(metadata.uid)
}
