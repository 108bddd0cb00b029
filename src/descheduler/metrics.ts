import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import type { Asked } from './asking.ts'
import type { CycleReport, Strategy } from './cycle/cycle.ts'
import { isEvicted, type Mode } from './mode.ts'
import type { LimitReached } from './cycle/tally.ts'
import type { PodView } from './view.ts'

export interface DeschedulerMetrics {
  policyRead(problems: number): void
  /** What became of a request, however it was made. */
  asked(pod: PodView, strategy: Strategy, asked: Asked): void
  /** Counts the pods that limits kept in place: they were never asked. */
  reported(report: CycleReport): void
  strategyEnded(strategy: Strategy, elapsedMs: number): void
  cycleEnded(elapsedMs: number): void
}

export const noDeschedulerMetrics: DeschedulerMetrics = {
  policyRead: () => {},
  asked: () => {},
  reported: () => {},
  strategyEnded: () => {},
  cycleEnded: () => {},
}

export interface MetricsParts {
  readonly mode: Mode
  /** Of this program: `0.2.0`. */
  readonly version: string
  /** Where the pods are that have an Evacuation because of the descheduler, when a scrape asks. */
  readonly inProgress: () => Iterable<{ readonly namespace: string; readonly node: string }>
}

/** Series of one counter. Nodes come and go under new names, and a counter forgets none of them. */
const seriesMax = 20_000

/** Upstream's buckets, so that its dashboards keep their resolution. */
const strategyBuckets = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 100]
const cycleBuckets = [...strategyBuckets, 250, 500]

/** Upstream's words, see pkg/descheduler/evictions/errors.go there. */
const limitResults: Readonly<Record<LimitReached, string>> = {
  totalLimit: 'maximum number of evicted pods per a descheduling cycle reached',
  nodeLimit: 'maximum number of evicted pods per node reached',
  namespaceLimit: 'maximum number of evicted pods per namespace reached',
}

/**
 * The metrics of upstream, and those of KEP-1397. An Evacuation is an eviction in the background for upstream's counter,
 * and a success for the KEP's, which counts requests and not what becomes of them.
 */
export function prometheusDeschedulerMetrics(registry: Registry, parts: MetricsParts): DeschedulerMetrics {
  const registers = [registry]
  const evictions = countPods(registry, {
    name: 'descheduler_pods_evicted_total',
    help: 'Pods that strategies wanted gone; the result background: asked to leave, and leaves later',
  })
  const evacuations = countPods(registry, {
    name: 'descheduler_pod_evacuations',
    help: 'Evacuations that strategies wanted; the result success: it was requested, not that the pod has left',
  })
  const strategySeconds = new Histogram({
    name: 'descheduler_strategy_duration_seconds',
    help: 'How long a strategy took, its requests included',
    labelNames: ['strategy', 'profile'],
    buckets: strategyBuckets,
    registers,
  })
  const cycleSeconds = new Histogram({
    name: 'descheduler_loop_duration_seconds',
    help: 'How long a cycle took, its requests included',
    buckets: cycleBuckets,
    registers,
  })
  const policyProblems = new Gauge({
    name: 'descheduler_policy_problems',
    help: 'Problems of the policy file as it is now; while there are any, the policy before it is followed, or none',
    registers,
  })
  exposeBuild(registry, parts.version)
  exposeInProgress(registry, parts.inProgress)
  return {
    policyRead: (problems) => policyProblems.set(problems),
    asked: (pod, strategy, { kind }) => {
      if (isEvicted(parts.mode, pod)) {
        evictions(pod, strategy, evictionResults[kind])
      } else {
        evictions(pod, strategy, kind === 'refused' ? 'error' : 'background')
        evacuations(pod, strategy, kind === 'refused' ? 'error' : 'success')
      }
    },
    reported: ({ strategies }) => {
      for (const { profile, strategy, cut } of strategies) {
        for (const { pod, limit } of cut) {
          evictions(pod, { profile, strategy }, limitResults[limit])
          if (!isEvicted(parts.mode, pod)) evacuations(pod, { profile, strategy }, limitResults[limit])
        }
      }
    },
    strategyEnded: ({ strategy, profile }, elapsedMs) =>
      strategySeconds.observe({ strategy, profile }, elapsedMs / 1_000),
    cycleEnded: (elapsedMs) => cycleSeconds.observe(elapsedMs / 1_000),
  }
}

const evictionResults: Readonly<Record<Asked['kind'], string>> = {
  requested: 'success',
  promised: 'background',
  refused: 'error',
}

/**
 * Upstream has the labels namespace and node, and its dashboards and alerts group by them. There is a series only where
 * a strategy wanted a pod gone; beyond the limit new ones have no node, and sums over nodes stay right.
 */
function countPods(registry: Registry, { name, help }: { readonly name: string; readonly help: string }) {
  const known = new Set<string>()
  const labelNames = ['result', 'strategy', 'profile', 'namespace', 'node'] as const
  const counter = new Counter({ name, help, labelNames, registers: [registry] })
  return ({ namespace, nodeName }: PodView, { strategy, profile }: Strategy, result: string): void => {
    const key = JSON.stringify([result, strategy, profile, namespace, nodeName])
    if (known.size < seriesMax) known.add(key)
    counter.inc({ result, strategy, profile, namespace, node: known.has(key) ? nodeName : '' })
  }
}

/**
 * The labels are upstream's. Left out are GoVersion, GitBranch and GitSha1, which this program does not know; a query
 * sees them as empty.
 */
function exposeBuild(registry: Registry, version: string): void {
  const build = new Gauge({
    name: 'descheduler_build_info',
    help: 'Always 1; which version this is',
    labelNames: ['DeschedulerVersion', 'AppVersion'],
    registers: [registry],
  })
  build.set({ DeschedulerVersion: version, AppVersion: version.split('.').slice(0, 2).join('.') }, 1)
}

function exposeInProgress(registry: Registry, inProgress: MetricsParts['inProgress']): void {
  void new Gauge({
    name: 'descheduler_pod_evacuations_in_progress',
    help: 'Pods that have an Evacuation because the descheduler asked for it',
    labelNames: ['namespace', 'node'],
    registers: [registry],
    collect() {
      this.reset()
      for (const { namespace, node } of inProgress()) this.inc({ namespace, node })
    },
  })
}
