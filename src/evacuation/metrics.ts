import { Counter, Gauge, type Registry } from 'prom-client'
import { evacuationConditions, type Evacuation } from '../api/evacuation/evacuation.ts'
import { instigatorsOf } from '../api/evacuation/instigator-finalizers.ts'

export type EvictionResult = 'accepted' | 'gone' | 'refused' | 'unknown'

export interface EvacuationMetrics {
  evicted(namespace: string, result: EvictionResult): void
}

export const noEvacuationMetrics: EvacuationMetrics = { evicted: () => {} }

/**
 * The metrics of KEP-4563. It has them per Evacuation and pod, which no monitoring system would survive; here they are
 * sums over what is there at each scrape, and what a single one does is in its status.
 */
export function prometheusEvacuationMetrics(
  registry: Registry,
  evacuations: () => readonly Evacuation[],
): EvacuationMetrics {
  const registers = [registry]
  const evictions = new Counter({
    name: 'evacuation_controller_evictions',
    help: 'Evictions that the controller asked for, by namespace and result',
    labelNames: ['namespace', 'result'],
    registers,
  })
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
    labelsOf: ({ metadata, status }) =>
      (status?.conditions ?? [])
        .filter((condition) => condition.type === evacuationConditions.blocked && condition.status === 'True')
        .map(({ reason }) => [metadata.namespace, reason]),
  })
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
  return { evicted: (namespace, result) => evictions.inc({ namespace, result }) }

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
