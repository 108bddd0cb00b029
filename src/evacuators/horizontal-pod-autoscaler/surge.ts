import type { HorizontalPodAutoscaler } from '../../api/kubernetes/autoscaling.ts'
import { horizontalPodAutoscalers } from '../../api/kubernetes/resources.ts'
import { annotations, labels } from '../../api/names.ts'
import type { PatchWrite } from '../workload/workload-evacuator.ts'

/** What an autoscaler remembers while its minReplicas is raised. Whatever becomes of Lifeboat, this puts it back. */
export interface Surge {
  /** The minReplicas that were found. */
  readonly found: number
  /** As many replicas are needed besides those for evacuations. */
  readonly base: number
  /** The minReplicas that were set last. If they are something else now, another writer changed them: theirs stands. */
  readonly set: number
  /** The highest that was set. More replicas than that are none of our doing. */
  readonly peak: number
  /** The names of the Evacuations that it is for, in the order in which they came. */
  readonly evacuations: readonly string[]
}

/** All annotations of an object together have 256 KiB, and a name here has some 80 characters. */
export const surgeLimits = { evacuationsMax: 1_000 } as const

export function minReplicasOf({ spec }: HorizontalPodAutoscaler): number {
  return spec?.minReplicas ?? 1
}

/** Undefined: there is none, or a user changed the annotation so that it cannot be read. */
export function surgeOf({ metadata }: HorizontalPodAutoscaler): Surge | undefined {
  const fields = parseObject(metadata.annotations?.[annotations.autoscalerSurge])
  const { found, base, set, peak, evacuations } = fields as Partial<Record<keyof Surge, unknown>>
  const isCounted = [found, base, set, peak].every((count) => Number.isInteger(count) && Number(count) >= 0)
  const isNamed = Array.isArray(evacuations) && evacuations.every((name) => typeof name === 'string')
  return isCounted && isNamed ? ({ ...fields } as Surge) : undefined
}

/** No other writer has touched minReplicas since. */
export function isUntouched(autoscaler: HorizontalPodAutoscaler, surge: Surge): boolean {
  return minReplicasOf(autoscaler) === surge.set
}

/**
 * One more replica for one more Evacuation, as far as maxReplicas allows, and the list: the next is for when there is room. What the target has without our doing is what
 * it had when this began, or what load has driven it to since.
 */
export function surgeFor(autoscaler: HorizontalPodAutoscaler, replicas: number, evacuation: string): Surge {
  const before = surgeOf(autoscaler)
  const { found, base, peak, evacuations } = before ?? newSurge(minReplicasOf(autoscaler), replicas)
  const isFull = evacuations.length >= surgeLimits.evacuationsMax
  const all = isFull || evacuations.includes(evacuation) ? evacuations : [...evacuations, evacuation]
  const isDriven = before !== undefined && replicas > peak
  return sized(autoscaler, { found, base: isDriven ? replicas : base, peak, evacuations: all })
}

function newSurge(min: number, replicas: number): Omit<Surge, 'set'> {
  return { found: min, base: Math.max(replicas, min), peak: min, evacuations: [] }
}

export function isSame(one: Surge, other: Surge | undefined): boolean {
  return other !== undefined && render(one) === render(other)
}

/** Sets minReplicas and what is remembered of it at once: no reader ever sees the one without the other. */
export function raise(autoscaler: HorizontalPodAutoscaler, surge: Surge): PatchWrite {
  return change(autoscaler, surge.set, { value: render(surge), label: '' })
}

/** What to do about an autoscaler some of whose Evacuations are over. Undefined: nothing. */
export function settle(
  autoscaler: HorizontalPodAutoscaler,
  isOver: (evacuation: string) => boolean,
): PatchWrite | undefined {
  const surge = surgeOf(autoscaler)
  const gone = { value: null, label: null }
  // What there was is unknown: the label alone, or an annotation that says nothing, is taken off.
  if (surge === undefined) return hasTraces(autoscaler) ? change(autoscaler, undefined, gone) : undefined
  const evacuations = surge.evacuations.filter((name) => !isOver(name))
  const isOurs = isUntouched(autoscaler, surge)
  if (evacuations.length === 0) return change(autoscaler, isOurs ? surge.found : undefined, gone)
  // As long as it stands there, Lifeboat does not raise again what another writer has set.
  if (!isOurs || evacuations.length === surge.evacuations.length) return labelled(autoscaler, surge)
  return raise(autoscaler, sized(autoscaler, { ...surge, evacuations }))
}

/** Without the label the restorer would not look at it again. */
function labelled(autoscaler: HorizontalPodAutoscaler, surge: Surge): PatchWrite | undefined {
  if (autoscaler.metadata.labels?.[labels.autoscalerSurge] !== undefined) return undefined
  return change(autoscaler, undefined, { value: render(surge), label: '' })
}

function sized(autoscaler: HorizontalPodAutoscaler, surge: Omit<Surge, 'set'>): Surge {
  const { found, base, peak, evacuations } = surge
  const { maxReplicas = 0 } = autoscaler.spec ?? {}
  const set = Math.max(found, Math.min(maxReplicas, base + evacuations.length))
  return { found, base, set, peak: Math.max(peak, set), evacuations }
}

function change(
  object: HorizontalPodAutoscaler,
  minReplicas: number | undefined,
  { value, label }: { readonly value: string | null; readonly label: string | null },
): PatchWrite {
  const metadata = {
    labels: { [labels.autoscalerSurge]: label },
    annotations: { [annotations.autoscalerSurge]: value },
  }
  const spec = minReplicas === undefined ? {} : { spec: { minReplicas } }
  return { kind: 'patch', resource: horizontalPodAutoscalers, object, change: { metadata, ...spec } }
}

function hasTraces({ metadata }: HorizontalPodAutoscaler): boolean {
  return (
    metadata.annotations?.[annotations.autoscalerSurge] !== undefined ||
    metadata.labels?.[labels.autoscalerSurge] !== undefined
  )
}

function render({ found, base, set, peak, evacuations }: Surge): string {
  return JSON.stringify({ found, base, set, peak, evacuations })
}

function parseObject(text: string | undefined): object {
  try {
    const value: unknown = JSON.parse(text ?? '{}')
    return typeof value === 'object' && value !== null ? value : {}
  } catch {
    return {}
  }
}
