import type { Amounts } from '../../api/kubernetes/pod-requests.ts'
import { PluginFailure, type PluginWorld } from '../plugin.ts'
import type { LowNodeUtilizationArgs, Thresholds } from '../policy/policy.ts'
import type { NodeView, PodView } from '../view.ts'
import { countOf, metricResource } from './percent.ts'

/** Where a plugin learns what nodes and pods use. */
export interface UsageSource {
  /** What it counts: every threshold resource, and mostly cpu, memory and pods. */
  readonly resources: readonly string[]
  /** May throw a PluginFailure. */
  usedOn(node: NodeView): Amounts
  /** 'unknown': this pod was not measured. 'unmeasurable': the source reports nodes alone. */
  usedBy(pod: PodView): Amounts | 'unknown' | 'unmeasurable'
}

/** A node with its usage; the plugin subtracts who leaves. */
export interface UsedNode {
  readonly node: NodeView
  readonly used: Map<string, number>
}

export function usageSourceOf(
  world: PluginWorld,
  { thresholds, metricsUtilization }: Pick<LowNodeUtilizationArgs, 'thresholds' | 'metricsUtilization'>,
): UsageSource {
  if (metricsUtilization === undefined) return requestedUsage(world, thresholds)
  if (metricsUtilization.source === 'Prometheus') return queriedUsage(world, metricsUtilization.query)
  return measuredUsage(world, thresholds)
}

export function requestedUsage(world: PluginWorld, thresholds: Thresholds): UsageSource {
  const resources = withBasicResources(thresholds)
  return {
    resources,
    usedOn({ name }) {
      const used = world.usedOn(name)
      return new Map(resources.map((resource) => [resource, used.get(resource) ?? 0]))
    },
    usedBy: ({ template }) => template.requests,
  }
}

/** What metrics.k8s.io says. It reports cpu and memory alone; pods are counted. */
function measuredUsage(world: PluginWorld, thresholds: Thresholds): UsageSource {
  const resources = withBasicResources(thresholds)
  return {
    resources,
    usedOn({ name }) {
      const measured = world.metrics.nodes.get(name)
      if (measured === undefined) {
        const why = world.metrics.problem === undefined ? '' : `: ${world.metrics.problem.message}`
        throw new PluginFailure(`Node ${name} has not been measured yet${why}`)
      }
      const amountOf = (resource: string) => {
        const amount = resource === 'pods' ? world.usedOn(name).get(resource) : measured.get(resource)
        if (amount === undefined) throw new PluginFailure(`The metrics of node ${name} do not tell of ${resource}`)
        return amount
      }
      return new Map(resources.map((resource) => [resource, amountOf(resource)]))
    },
    usedBy: ({ namespace, name }) => world.metrics.pods.get(`${namespace}/${name}`) ?? 'unknown',
  }
}

function queriedUsage({ metrics }: PluginWorld, query: string): UsageSource {
  return {
    resources: [metricResource],
    usedOn({ name }) {
      const answer = metrics.prometheus.get(query)
      if (answer === undefined) throw new PluginFailure(`Prometheus has not been asked ${query}`)
      if (answer instanceof Error) throw new PluginFailure(`Prometheus did not answer ${query}: ${answer.message}`)
      const share = answer.get(name)
      if (share === undefined) throw new PluginFailure(`Prometheus has no sample for node ${name} in ${query}`)
      return new Map([[metricResource, Math.trunc(share * 100) * 1_000]])
    },
    usedBy: () => 'unmeasurable',
  }
}

function withBasicResources(thresholds: Thresholds): string[] {
  return [...new Set(['cpu', 'memory', 'pods', ...Object.keys(thresholds)])]
}

/** Adds up what cannot be added: thousandths of a cpu, bytes and pods. Upstream ranks nodes so. */
export function sizeOfUsage(used: Amounts): number {
  let size = 0
  for (const [resource, amount] of used) size += countOf(resource, amount)
  return size
}
