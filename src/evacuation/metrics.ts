import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import { evacuationConditions, type Evacuation } from '../api/evacuation/evacuation.ts'
import { instigatorsOf } from '../api/evacuation/instigator-finalizers.ts'
import type { Clock } from '../runtime/clock.ts'
import type { EndedTurn } from './evacuator-turns.ts'

export type EvictionResult = 'accepted' | 'gone' | 'refused' | 'unknown'

export interface EvacuationMetrics {
  evicted(namespace: string, result: EvictionResult): void
  turnEnded(turn: EndedTurn): void
}

export const noEvacuationMetrics: EvacuationMetrics = { evicted: () => {}, turnEnded: () => {} }

/** From a pod that starts at once to the longest deadline for progress. */
const turnBucketsSeconds = [1, 5, 10, 30, 60, 120, 300, 600, 1_800, 3_600, 7_200, 21_600] as const

/**
 * The metrics of KEP-4563. It has them per Evacuation and pod, which no monitoring system would survive; here they are
 * sums over what is there at each scrape, and what a single one does is in its status.
 */
export function prometheusEvacuationMetrics(
  registry: Registry,
  evacuations: () => readonly Evacuation[],
  clock: Pick<Clock, 'nowMs'>,
): EvacuationMetrics {
  const registers = [registry]
  const evictions = new Counter({
    name: 'evacuation_controller_evictions',
    help: 'Evictions that the controller asked for, by namespace and result',
    labelNames: ['namespace', 'result'],
    registers,
  })
  const turns = turnHistogram(registry)
  countedWhenAsked({
    name: 'evacuation_controller_active_evacuator',
    help: 'Evacuations by the class of their active evacuator; empty while there is none',
    labelNames: ['evacuator_class'],
    labelsOf: ({ status }) => [[status?.activeEvacuatorClass ?? '']],
  })
  countedWhenAsked({
    name: 'evacuation_controller_blocked_evacuations',
    help: 'Evacuations that something keeps from going on, by namespace and by the reason of their condition Blocked',
    labelNames: ['namespace', 'reason'],
    labelsOf: (evacuation) => blockedReasonsOf(evacuation).map((reason) => [evacuation.metadata.namespace, reason]),
  })
  oldestBlockedGauge(registry, () => oldestBlocked(evacuations(), clock.nowMs()))
  countedWhenAsked({
    name: 'evacuation_controller_active_instigator',
    help: 'Evacuations by who asks for them',
    labelNames: ['instigator'],
    labelsOf: (evacuation) => instigatorsOf(evacuation).map((instigator) => [instigator]),
  })
  countedWhenAsked({
    name: 'evacuation_controller_pod_evacuators',
    help: 'Evacuations by the evacuator classes that their pods have',
    labelNames: ['evacuator_class'],
    labelsOf: ({ spec }) => (spec.evacuators ?? []).map(({ evacuatorClass }) => [evacuatorClass]),
  })
  return {
    evicted: (namespace, result) => evictions.inc({ namespace, result }),
    turnEnded: ({ evacuatorClass, outcome, elapsedMs }) =>
      turns.observe({ evacuator_class: evacuatorClass, outcome }, elapsedMs / 1_000),
  }

  function countedWhenAsked(gauge: {
    readonly name: string
    readonly help: string
    readonly labelNames: readonly string[]
    /** The values of the labels, once for each time that the Evacuation counts. */
    readonly labelsOf: (evacuation: Evacuation) => readonly (readonly string[])[]
  }): void {
    const { name, help, labelNames, labelsOf } = gauge
    void new Gauge({
      name,
      help,
      labelNames: [...labelNames],
      registers,
      collect() {
        this.reset()
        for (const values of evacuations().flatMap(labelsOf)) {
          this.inc(Object.fromEntries(labelNames.map((label, at) => [label, values[at] ?? ''])))
        }
      },
    })
  }
}

function turnHistogram(registry: Registry): Histogram<'evacuator_class' | 'outcome'> {
  return new Histogram({
    name: 'evacuation_controller_evacuator_turn_seconds',
    help: 'How long evacuators had their turns, from their selection until they completed, were silent for too long, or the pod was gone',
    labelNames: ['evacuator_class', 'outcome'],
    buckets: [...turnBucketsSeconds],
    registers: [registry],
  })
}

function blockedReasonsOf({ status }: Evacuation): string[] {
  return (status?.conditions ?? [])
    .filter((condition) => condition.type === evacuationConditions.blocked && condition.status === 'True')
    .map(({ reason }) => reason)
}

function oldestBlockedGauge(registry: Registry, oldest: () => readonly OldestBlocked[]): void {
  void new Gauge({
    name: 'evacuation_controller_oldest_blocked_evacuation_seconds',
    help: 'Age of the oldest Evacuation that is blocked now, by namespace and by the reason of its condition Blocked',
    labelNames: ['namespace', 'reason'],
    registers: [registry],
    collect() {
      this.reset()
      for (const { namespace, reason, ageMs } of oldest()) {
        this.set({ namespace, reason }, ageMs / 1_000)
      }
    },
  })
}

interface OldestBlocked {
  readonly namespace: string
  readonly reason: string
  readonly ageMs: number
}

/** By age since the creation: the condition may come and go while the pod stays. */
function oldestBlocked(evacuations: readonly Evacuation[], nowMs: number): OldestBlocked[] {
  const all = evacuations.flatMap((evacuation) => {
    const { namespace, creationTimestamp = '' } = evacuation.metadata
    const ageMs = Math.max(0, nowMs - Date.parse(creationTimestamp))
    return blockedReasonsOf(evacuation).map((reason) => ({ namespace, reason, ageMs }))
  })
  const known = all.filter(({ ageMs }) => !Number.isNaN(ageMs))
  return [...Map.groupBy(known, ({ namespace, reason }) => `${namespace}/${reason}`).values()].flatMap((group) =>
    group.toSorted((one, other) => other.ageMs - one.ageMs).slice(0, 1),
  )
}
