import { Counter, type Registry } from 'prom-client'

/** What became of a shutdown of a machine. */
export type ShutdownOutcome = 'held' | 'letGo' | 'cancelled' | 'rebooted'

export interface ShutdownMetrics {
  noted(outcome: ShutdownOutcome): void
}

export const noShutdownMetrics: ShutdownMetrics = { noted: () => {} }

export function prometheusShutdownMetrics(registry: Registry): ShutdownMetrics {
  const shutdowns = new Counter({
    name: 'node_shutdowns_total',
    help: 'Shutdowns of machines that were held for a drain, let go, cancelled, or over after a reboot',
    labelNames: ['outcome'],
    registers: [registry],
  })
  return { noted: (outcome) => shutdowns.inc({ outcome }) }
}
