import { Counter, Gauge, type Registry } from 'prom-client'

/** What was recorded and never written. */
export function exposeEvents(registry: Registry, events: { readonly dropped: number }): void {
  void new Counter({
    name: 'events_dropped_total',
    help: 'Events that were recorded and not written: too many, refused, or given up',
    registers: [registry],
    collect() {
      this.reset()
      this.inc(events.dropped)
    },
  })
}

/** Under the name that Kubernetes' own components have for it. */
export function exposeLeading(registry: Registry, election: { isLeading(): boolean }): void {
  void new Gauge({
    name: 'leader_election_master_status',
    help: '1 while this process leads, 0 while it waits for its turn',
    labelNames: ['name'],
    registers: [registry],
    collect() {
      this.set({ name: 'lifeboat' }, election.isLeading() ? 1 : 0)
    },
  })
}
