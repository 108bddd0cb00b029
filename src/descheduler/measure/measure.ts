import type { Policy } from '../policy/policy.ts'
import type { MetricsView } from '../view.ts'
import type { KubernetesMetrics } from './kubernetes-metrics.ts'
import type { Prometheus, PrometheusAnswer } from './prometheus.ts'

/** What the plugins of a policy want measured. */
export interface Measures {
  /** Of metrics.k8s.io. */
  readonly kubernetesMetrics: boolean
  /** Of Prometheus, each once. */
  readonly queries: readonly string[]
}

/** Undefined where the policy has no such provider. */
export interface MeasureParts {
  readonly kubernetesMetrics:
    | Pick<KubernetesMetrics, 'synced' | 'collect' | 'nodes' | 'podUsage' | 'problem'>
    | undefined
  readonly prometheus: Prometheus | undefined
}

export function measuresOf({ profiles }: Pick<Policy, 'profiles'>): Measures {
  const queries = new Set<string>()
  let kubernetesMetrics = false
  for (const plugin of profiles.flatMap(({ balance }) => balance)) {
    if (plugin.name !== 'LowNodeUtilization') continue
    const { metricsUtilization } = plugin.args
    if (metricsUtilization?.source === 'KubernetesMetrics') kubernetesMetrics = true
    if (metricsUtilization?.source === 'Prometheus') queries.add(metricsUtilization.query)
  }
  return { kubernetesMetrics, queries: [...queries] }
}

/** For one cycle. Asks for nothing that no plugin uses; rejects only with the signal's reason. */
export async function gatherMetrics(policy: Policy, parts: MeasureParts, signal: AbortSignal): Promise<MetricsView> {
  const measures = measuresOf(policy)
  const [kubernetes, prometheus] = await Promise.all([
    measures.kubernetesMetrics ? ofKubernetes(parts, signal) : nothing,
    ofPrometheus(measures.queries, parts, signal),
  ])
  return { ...kubernetes, prometheus }
}

const nothing: Omit<MetricsView, 'prometheus'> = { nodes: new Map(), pods: new Map() }

async function ofKubernetes(
  { kubernetesMetrics: metrics }: MeasureParts,
  signal: AbortSignal,
): Promise<Omit<MetricsView, 'prometheus'>> {
  if (metrics === undefined) return nothing
  // The first cycle may come before the first round of the loop, and a single cycle has no loop.
  if (!metrics.synced()) await metrics.collect(signal)
  // Pods are of use only beside their nodes, and the list is long.
  const pods = metrics.synced() ? await metrics.podUsage(signal) : nothing.pods
  const problem = metrics.problem()
  return { nodes: metrics.nodes(), pods, ...(problem === undefined ? {} : { problem }) }
}

async function ofPrometheus(
  queries: readonly string[],
  { prometheus }: MeasureParts,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, PrometheusAnswer>> {
  if (queries.length === 0) return new Map()
  if (prometheus !== undefined) return await prometheus.ask(queries, signal)
  const problem = new Error('the policy has no metricsProviders entry with source Prometheus')
  return new Map(queries.map((query) => [query, problem]))
}
