import { Counter, Gauge, type Registry } from 'prom-client'
import type { Evacuation } from '../api/evacuation.ts'
import { intentsOf } from '../api/instigator-finalizers.ts'
import type { DeepReadonly } from '../api/kubernetes/meta.ts'
import { finalizers } from '../api/names.ts'

export type EvictionResult = 'accepted' | 'gone' | 'refused' | 'unknown'

export interface EvacuationMetrics {
  evicted(namespace: string, result: EvictionResult): void
}

export const noEvacuationMetrics: EvacuationMetrics = { evicted: () => {} }

/**
 * The metrics of KEP-4563. It has them per Evacuation and pod, which no monitoring system would survive; here they are
 * sums over what is there when somebody asks, and what a single one does is in its status.
 */
export function prometheusEvacuationMetrics(
  registry: Registry,
  evacuations: () => readonly DeepReadonly<Evacuation>[],
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
    label: 'evacuator_class',
    labelsOf: ({ status }) => [status?.activeEvacuatorClass ?? ''],
  })
  countedWhenAsked({
    name: 'evacuation_controller_active_instigator',
    help: 'Evacuations by who asks for them',
    label: 'instigator',
    labelsOf: (evacuation) => intentsOf(evacuation).map((intent) => intent.slice(finalizers.instigatorPrefix.length)),
  })
  countedWhenAsked({
    name: 'evacuation_controller_pod_evacuators',
    help: 'Evacuations by the evacuator classes that their pods have',
    label: 'evacuator_class',
    labelsOf: ({ spec }) => (spec.evacuators ?? []).map(({ evacuatorClass }) => evacuatorClass),
  })
  return { evicted: (namespace, result) => evictions.inc({ namespace, result }) }

  function countedWhenAsked(gauge: {
    readonly name: string
    readonly help: string
    readonly label: string
    readonly labelsOf: (evacuation: DeepReadonly<Evacuation>) => readonly string[]
  }): void {
    const { name, help, label, labelsOf } = gauge
    void new Gauge({
      name,
      help,
      labelNames: [label],
      registers,
      collect() {
        this.reset()
        for (const value of evacuations().flatMap(labelsOf)) this.inc({ [label]: value })
      },
    })
  }
}
