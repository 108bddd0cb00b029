import type { ClusterView, PodView } from './view.ts'

// What must outlive a restart and stands on no other object: kept in a ConfigMap. Losing it costs patience, and promises
// that bear no mark yet are asked for again.

export interface Memory {
  /** By UID of a pod whose request ran out of time: when that was. */
  readonly withdrawnMs: ReadonlyMap<string, number>
  /** By owner and node, see placeOf. */
  readonly departures: ReadonlyMap<string, Departure>
  /** By UID of a pod whose eviction was promised, or is about to be asked for: when that was. See promises.ts. */
  readonly promisedMs: ReadonlyMap<string, number>
}

export interface Departure {
  /** When a pod of the owner last left the node at our request. */
  readonly atMs: number
  /** How many did so in a row, each after the one before had come back. */
  readonly times: number
}

export const emptyMemory: Memory = { withdrawnMs: new Map(), departures: new Map(), promisedMs: new Map() }

const limits = {
  /** The oldest are forgotten first. A ConfigMap holds 1 MB. */
  entriesMax: 2_000,
  promisesMax: 8_000,
  backoffMaxMs: 24 * 3_600_000,
  /** A pod that takes longer than this to come back did not come back. */
  keptMs: 48 * 3_600_000,
}

const placeOf = (owner: string, node: string) => `${owner} ${node}`

export function withWithdrawal(memory: Memory, uid: string, nowMs: number): Memory {
  return { ...memory, withdrawnMs: new Map(memory.withdrawnMs).set(uid, nowMs) }
}

/** Pods were asked to leave. Whether one had come back itself decides how patient we are with the next one. */
export function withDepartures(memory: Memory, pods: readonly PodView[], nowMs: number): Memory {
  if (pods.length === 0) return memory
  const departures = new Map(memory.departures)
  for (const pod of pods) {
    for (const { uid } of pod.template.owners) {
      const place = placeOf(uid, pod.nodeName)
      const before = departures.get(place)
      const times = before !== undefined && cameBack(pod, before) ? before.times + 1 : 1
      // Set again, so that it is the youngest.
      departures.delete(place)
      departures.set(place, { atMs: nowMs, times })
    }
  }
  return { ...memory, departures }
}

/** By UID, until when pods are left alone because the pod before them left the same node not long ago. */
export function leftAlone(
  { departures }: Memory,
  { pods }: Pick<ClusterView, 'pods'>,
  backoffMs: number | undefined,
): ReadonlyMap<string, number> {
  const untilMs = new Map<string, number>()
  if (backoffMs === undefined || departures.size === 0) return untilMs
  for (const pod of pods) {
    for (const { uid } of pod.template.owners) {
      const departure = departures.get(placeOf(uid, pod.nodeName))
      if (departure === undefined || !cameBack(pod, departure)) continue
      const patienceMs = Math.min(backoffMs * 2 ** (departure.times - 1), limits.backoffMaxMs)
      untilMs.set(pod.uid, Math.max(untilMs.get(pod.uid) ?? 0, pod.createdMs + patienceMs))
    }
  }
  return untilMs
}

/** Timestamps of objects are in whole seconds. */
function cameBack({ createdMs }: PodView, { atMs }: Departure): boolean {
  return createdMs >= Math.floor(atMs / 1_000) * 1_000
}

/** Without what is too old to matter, and without withdrawals of pods that are gone. */
export function pruned(memory: Memory, { pods }: Pick<ClusterView, 'pods'>, nowMs: number): Memory {
  const there = new Set(pods.map(({ uid }) => uid).filter((uid) => memory.withdrawnMs.has(uid)))
  const withdrawn = [...memory.withdrawnMs].filter(([uid]) => there.has(uid))
  const departures = [...memory.departures].filter(([, { atMs }]) => nowMs - atMs < limits.keptMs)
  return {
    withdrawnMs: new Map(withdrawn.slice(-limits.entriesMax)),
    departures: new Map(departures.slice(-limits.entriesMax)),
    promisedMs: new Map([...memory.promisedMs].slice(-limits.promisesMax)),
  }
}

export function sameMemory(one: Memory, other: Memory): boolean {
  return renderMemory(one) === renderMemory(other)
}

export function renderMemory({ withdrawnMs, departures, promisedMs }: Memory): string {
  return JSON.stringify({ withdrawnMs: [...withdrawnMs], departures: [...departures], promisedMs: [...promisedMs] })
}

/** What is no memory of ours counts as none. */
export function parseMemory(text: string | undefined): Memory {
  try {
    const { withdrawnMs, departures, promisedMs } = JSON.parse(text ?? '') as Record<string, unknown>
    return {
      withdrawnMs: mapOf(withdrawnMs, isTime),
      departures: mapOf(departures, isDeparture),
      promisedMs: mapOf(promisedMs, isTime),
    }
  } catch {
    return emptyMemory
  }
}

function mapOf<Value>(entries: unknown, isRight: (value: unknown) => value is Value): ReadonlyMap<string, Value> {
  if (!Array.isArray(entries)) return new Map()
  return new Map(
    entries.flatMap((entry: unknown) => {
      const [key, value] = Array.isArray(entry) ? (entry as unknown[]) : []
      return typeof key === 'string' && isRight(value) ? [[key, value] as const] : []
    }),
  )
}

const isTime = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value)

function isDeparture(value: unknown): value is Departure {
  const { atMs, times } = (value ?? {}) as Partial<Departure>
  return isTime(atMs) && Number.isInteger(times) && (times ?? 0) >= 1
}
