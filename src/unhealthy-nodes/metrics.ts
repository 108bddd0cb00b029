import { Counter, Gauge, type Registry } from 'prom-client'

export interface UnhealthyNodeMetrics {
  requested(result: 'requested' | 'gone' | 'refused'): void
  withdrawn(pods: number): void
}

export const noUnhealthyNodeMetrics: UnhealthyNodeMetrics = { requested: () => {}, withdrawn: () => {} }

/** `nodes`: how many that do not report have pods whose controllers take over, at the time of a scrape. */
export function prometheusUnhealthyNodeMetrics(registry: Registry, nodes: () => number): UnhealthyNodeMetrics {
  const registers = [registry]
  const requests = new Counter({
    name: 'unhealthy_node_evacuation_requests_total',
    help: 'Evacuations that were asked for because a node does not report, by result',
    labelNames: ['result'],
    registers,
  })
  const withdrawals = new Counter({
    name: 'unhealthy_node_evacuation_withdrawals_total',
    help: 'Evacuations that were withdrawn because the node reports again',
    registers,
  })
  void new Gauge({
    name: 'unhealthy_nodes',
    help: 'Nodes that do not report and have pods under ControllerTakeOver',
    registers,
    collect() {
      this.set(nodes())
    },
  })
  return { requested: (result) => requests.inc({ result }), withdrawn: (pods) => withdrawals.inc(pods) }
}
