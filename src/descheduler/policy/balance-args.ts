import { fromZero, type Fields } from './fields.ts'
import { given } from './given.ts'
import type {
  HighNodeUtilizationArgs,
  LowNodeUtilizationArgs,
  MetricsUtilization,
  RemoveDuplicatesArgs,
  Thresholds,
  TopologySpreadArgs,
} from './policy.ts'
import { readExcludedNamespaces, readNamespaces, readPodSelection } from './selectors.ts'

// The args of balance plugins. The rules are those of upstream's validation.go beside each plugin:
// https://github.com/kubernetes-sigs/descheduler/tree/v0.36.0/pkg/framework/plugins

/** The one resource of a query to Prometheus. */
export const metricResource = 'MetricResource'

export const metricsSources = ['KubernetesMetrics', 'Prometheus'] as const

export function readRemoveDuplicates(fields: Fields): RemoveDuplicatesArgs {
  return given({
    namespaces: readNamespaces(fields, 'namespaces'),
    excludeOwnerKinds: fields.texts('excludeOwnerKinds'),
  })
}

export function readTopologySpread(fields: Fields): TopologySpreadArgs {
  return {
    ...readPodSelection(fields),
    constraints: fields.choices('constraints', ['DoNotSchedule', 'ScheduleAnyway']) ?? ['DoNotSchedule'],
    topologyBalanceNodeFit: fields.flag('topologyBalanceNodeFit') ?? true,
  }
}

export function readLowNodeUtilization(fields: Fields): LowNodeUtilizationArgs {
  const useDeviationThresholds = fields.flag('useDeviationThresholds') ?? false
  const thresholds = readThresholds(fields, 'thresholds')
  const targetThresholds = readThresholds(fields, 'targetThresholds')
  compareThresholds(fields, { thresholds, targetThresholds, useDeviationThresholds })
  const metricsUtilization = readMetricsUtilization(fields)
  if (metricsUtilization?.source === 'Prometheus') {
    requireMetricResource(fields, 'thresholds', thresholds)
    requireMetricResource(fields, 'targetThresholds', targetThresholds)
  }
  return given({
    thresholds,
    targetThresholds,
    useDeviationThresholds,
    numberOfNodes: fields.integer('numberOfNodes') ?? 0,
    evictableNamespaces: readExcludedNamespaces(fields),
    evictionLimits: readEvictionLimits(fields),
    metricsUtilization,
  })
}

export function readHighNodeUtilization(fields: Fields): HighNodeUtilizationArgs {
  return given({
    thresholds: readThresholds(fields, 'thresholds'),
    numberOfNodes: fields.integer('numberOfNodes') ?? 0,
    evictableNamespaces: readExcludedNamespaces(fields),
    evictionModes: fields.choices('evictionModes', ['OnlyThresholdingResources']) ?? [],
  })
}

function readThresholds(fields: Fields, name: string): Thresholds {
  const thresholds = fields.map(name)
  if (thresholds === undefined) return {}
  if (thresholds.size === 0) fields.wrong(name, 'must have at least one resource')
  for (const [resource, percent] of thresholds) {
    if (isPercent(percent)) continue
    fields.problem(fields.pathOf(name, resource), percent, 'must be a number from 0 to 100')
  }
  return Object.fromEntries(thresholds) as Thresholds
}

function isPercent(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= 100
}

interface Compared {
  readonly thresholds: Thresholds
  readonly targetThresholds: Thresholds
  readonly useDeviationThresholds: boolean
}

/** Only where both have some: an empty one is reported already. */
function compareThresholds(fields: Fields, { thresholds, targetThresholds, useDeviationThresholds }: Compared): void {
  if (Object.keys(thresholds).length === 0 || Object.keys(targetThresholds).length === 0) return
  const missing = (name: string, resource: string, other: string) =>
    fields.problem(fields.pathOf(name, resource), undefined, `must be there, as it is in ${other}`)
  for (const [resource, percent] of Object.entries(thresholds)) {
    const target = targetThresholds[resource]
    if (target === undefined) missing('targetThresholds', resource, 'thresholds')
    else if (!useDeviationThresholds && isPercent(percent) && isPercent(target) && percent > target) {
      const allowed = `must be at most ${target}, as in targetThresholds`
      fields.problem(fields.pathOf('thresholds', resource), percent, allowed)
    }
  }
  for (const resource of Object.keys(targetThresholds)) {
    if (!Object.hasOwn(thresholds, resource)) missing('thresholds', resource, 'targetThresholds')
  }
}

function requireMetricResource(fields: Fields, name: string, thresholds: Thresholds): void {
  const resources = Object.keys(thresholds)
  if (resources.length === 0 || (resources.length === 1 && resources[0] === metricResource)) return
  fields.wrong(name, `must have ${metricResource} alone for the source Prometheus`)
}

function readEvictionLimits(fields: Fields): { readonly node?: number } | undefined {
  const limits = fields.object('evictionLimits')
  return limits === undefined ? undefined : given({ node: limits.integer('node', fromZero) })
}

/** `metricsServer: true` is how KubernetesMetrics was written before. */
function readMetricsUtilization(fields: Fields): MetricsUtilization | undefined {
  const utilization = fields.object('metricsUtilization')
  if (utilization === undefined) return undefined
  const metricsServer = utilization.flag('metricsServer') ?? false
  const source = utilization.choice('source', metricsSources)
  const prometheus = utilization.object('prometheus')
  const query = prometheus?.text('query')
  if (metricsServer && source !== undefined) utilization.wrong('metricsServer', 'must be left out beside source')
  if (!metricsServer) utilization.require('source', `must be one of ${metricsSources.join(', ')}`)
  if (source === 'Prometheus') {
    if (query === undefined) requireQuery(utilization, prometheus)
    return { source, query: query ?? '' }
  }
  if (source === 'KubernetesMetrics' && prometheus !== undefined) {
    utilization.wrong('prometheus', 'must be left out for the source KubernetesMetrics')
  }
  return metricsServer || source !== undefined ? { source: 'KubernetesMetrics' } : undefined
}

function requireQuery(utilization: Fields, prometheus: Fields | undefined): void {
  const allowed = 'must be a query that gives a number from 0 to 1 for each node'
  if (prometheus === undefined) utilization.problem(utilization.pathOf('prometheus', 'query'), undefined, allowed)
  else prometheus.require('query', allowed)
}
