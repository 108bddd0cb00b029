import { evacuations } from '../../api/evacuation/evacuation.ts'
import { priorityClasses } from '../../api/kubernetes/resources.ts'
import { instigators } from '../../api/names.ts'
import { byEvacuation, byEviction, onlyReporting, type Asking } from '../../descheduler/asking.ts'
import { ClusterWatch } from '../../descheduler/cluster-watch.ts'
import type { CycleState } from '../../descheduler/cycle/cycle-state.ts'
import { Descheduler, type DeschedulerParts } from '../../descheduler/descheduler.ts'
import { createEvictor } from '../../descheduler/evictor/default-evictor.ts'
import type { HttpGet } from '../../descheduler/measure/http-get.ts'
import { KubernetesMetrics } from '../../descheduler/measure/kubernetes-metrics.ts'
import { gatherMetrics, measuresOf } from '../../descheduler/measure/measure.ts'
import { prometheusOf } from '../../descheduler/measure/prometheus.ts'
import { MemoryStore, noMemoryStore } from '../../descheduler/memory-store.ts'
import type { Mode } from '../../descheduler/mode.ts'
import { needsOf } from '../../descheduler/needs.ts'
import { pluginTable } from '../../descheduler/plugins/plugin-table.ts'
import type { Policy } from '../../descheduler/policy/policy.ts'
import { UnfollowablePolicyError } from '../../descheduler/policy/problem.ts'
import { thresholdProblems, valueOf, type PriorityValues } from '../../descheduler/cycle/priority-thresholds.ts'
import { SchedulerRules } from '../../descheduler/scheduler-fit/scheduler-rules.ts'
import type { ClusterView } from '../../descheduler/view.ts'
import { withdrawEvacuation } from '../../evacuation-client/request-evacuation.ts'
import type { Kube } from '../../kube/client/client.ts'
import { isKubeError, unlessNotFound } from '../../kube/client/errors.ts'
import type { InformerParts } from '../../kube/watch/informer-pool.ts'
import type { FileReader } from '../../kube/auth/system-files.ts'
import { instigationOfOthers, type DeschedulerInstigation } from './descheduler-instigation.ts'

export interface DeschedulingOptions extends InformerParts {
  readonly policy: Policy
  readonly mode: Mode
  /** That of an account other than Lifeboat's own if not given. */
  readonly instigation?: DeschedulerInstigation
  /** Nothing is written. */
  readonly dryRun: boolean
  /** Where its memory is. */
  readonly namespace: string
  readonly requestTtlMs: number | undefined
  readonly turn: () => Promise<void>
  /** For Prometheus: how it is reached, and the token of the own service account. */
  readonly get: HttpGet
  readonly files: FileReader
  readonly signal: AbortSignal
  readonly on: Pick<DeschedulerParts, 'onAsked' | 'onEnded' | 'onWithdrawn' | 'onMemoryProblem'>
}

export interface Descheduling {
  readonly watch: ClusterWatch
  readonly descheduler: Descheduler
  /** Keeps what it knows of the cluster up to date until the signal aborts. */
  readonly run: (signal: AbortSignal) => Promise<void>
}

/** Puts a descheduler together for one policy. */
export async function openDescheduling(options: DeschedulingOptions): Promise<Descheduling> {
  const { kube, policy, mode, dryRun, signal } = options
  const hasEvacuations = await servesEvacuations(kube, signal)
  const values = await readPriorities(kube, needsOf(policy).priorityClasses, signal)
  const problems = [...modeProblems(options, hasEvacuations), ...thresholdProblems(policy.profiles, values)]
  if (problems.length > 0) throw new UnfollowablePolicyError(problems)
  const watch = new ClusterWatch(options, { ...needsOf(policy), hasEvacuations })
  const measured = measuresFor(options)
  const schedulerRules = policy.lifeboat.nodeFitAsScheduler ? rulesOfCycles() : () => undefined
  const descheduler = new Descheduler({
    ...options,
    ...options.on,
    watch,
    measure: (followed, stop) => gatherMetrics(followed, measured, stop),
    plugins: pluginTable,
    evictorFor: ({ defaultEvictor }, view, state) =>
      createEvictor(defaultEvictor, {
        view,
        state,
        priorityThreshold: valueOf(defaultEvictor.priorityThreshold, values),
        isByEvacuation: mode === 'evacuate',
        schedulerRules: schedulerRules(view, state),
      }),
    asking: dryRun ? onlyReporting : askingFor(options),
    withdraw: (pod, stop) => withdrawEvacuation(kube, { instigator: instigators.descheduler, pod, signal: stop }),
    memory: dryRun ? noMemoryStore : new MemoryStore(kube, options.namespace),
    requestTtlMs: dryRun || mode === 'evict' ? undefined : options.requestTtlMs,
  })
  const run = async (stop: AbortSignal) => {
    await Promise.all([watch.run(stop), measured.kubernetesMetrics?.run(stop)])
  }
  return { watch, descheduler, run }
}

/** One for each cycle, shared by its profiles. */
function rulesOfCycles(): (view: ClusterView, state: CycleState) => SchedulerRules {
  const known = new WeakMap<CycleState, SchedulerRules>()
  return (view, state) => {
    const rules = known.get(state) ?? new SchedulerRules(view, state)
    known.set(state, rules)
    return rules
  }
}

/** Only what the policy uses. */
function measuresFor({ kube, clock, log, turn, get, files, policy }: DeschedulingOptions) {
  const { kubernetesMetrics, prometheus } = policy.metricsProviders
  const isUsed = kubernetesMetrics && measuresOf(policy).kubernetesMetrics
  return {
    kubernetesMetrics: isUsed ? new KubernetesMetrics({ kube, clock, log, turn }) : undefined,
    prometheus: prometheus === undefined ? undefined : prometheusOf(prometheus, { kube, clock, get, files }),
  }
}

function askingFor(options: DeschedulingOptions): Asking {
  const { kube, clock, policy, mode, instigation = instigationOfOthers(kube) } = options
  const evicting = byEviction(instigation, {
    gracePeriodSeconds: policy.gracePeriodSeconds,
    messagePrefixes: policy.evictionMessagePrefixes,
  })
  return mode === 'evict' ? evicting : byEvacuation(instigation, { clock, fallback: evicting })
}

function modeProblems({ policy, mode, dryRun }: DeschedulingOptions, hasEvacuations: boolean): readonly string[] {
  if (mode !== 'evacuate') return []
  const problems: string[] = []
  if (policy.gracePeriodSeconds !== undefined)
    problems.push(
      `gracePeriodSeconds is ${policy.gracePeriodSeconds}: an Evacuation cannot carry it; leave it out, or use lifeboat descheduler --mode evict`,
    )
  if (!hasEvacuations && !dryRun)
    problems.push(
      'this cluster has no Evacuations: install Lifeboat (lifeboat install), or use lifeboat descheduler --mode evict',
    )
  return problems
}

async function servesEvacuations(kube: Kube, signal: AbortSignal): Promise<boolean> {
  try {
    for await (const _page of kube.pages(evacuations, { pageSize: 1, signal })) return true
    return true
  } catch (error) {
    if (isKubeError(error, 'notFound')) return false
    throw error
  }
}

async function readPriorities(kube: Kube, names: readonly string[], signal: AbortSignal): Promise<PriorityValues> {
  const found = await Promise.all(
    names.map(async (name) => {
      const priorityClass = await unlessNotFound(kube.get(priorityClasses, { name }, { signal }))
      return [name, priorityClass?.value] as const
    }),
  )
  return new Map(found)
}
