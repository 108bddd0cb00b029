import { CycleState } from './cycle-state.ts'
import { readyNodes } from '../fit/node-fit.ts'
import { OwnerShare } from './owner-share.ts'
import {
  breath,
  PluginFailure,
  type Evictor,
  type Nominations,
  type Outcome,
  type Plugin,
  type PluginWorld,
} from '../plugin.ts'
import type { EnabledPlugin, PluginName, Policy, Profile } from '../policy/policy.ts'
import { StrategyRecord, type StrategyReport } from '../report/report.ts'
import { rankIn, type Standing } from './standing.ts'
import { Tally, type LimitReached } from './tally.ts'
import type { ClusterView, NodeView, PodView } from '../view.ts'

// One cycle: a frozen view in, pods that are to leave out. The caller asks for each, and then reports to the cycle what
// became of the request: the limits and the next plugin depend on it.

export type PluginTable = { readonly [Name in PluginName]: Plugin<Name> }

export interface CycleParts {
  readonly view: ClusterView
  readonly policy: Policy
  readonly standing: Standing
  readonly plugins: PluginTable
  readonly evictorFor: (profile: Profile, state: CycleState) => Evictor
}

export interface Strategy {
  readonly profile: string
  readonly strategy: PluginName
}

export type CycleStep =
  | typeof breath
  | ({ readonly kind: 'begins' } & Strategy)
  | ({ readonly kind: 'asks'; readonly pod: PodView } & Strategy)

/** What became of a request. */
export type Answer =
  | { readonly kind: 'requested' }
  | { readonly kind: 'refused'; readonly reason: string }
  /** Others have asked for pods since the view was frozen, and this one would be too many now. */
  | { readonly kind: 'limit'; readonly limit: LimitReached }

export interface CycleReport {
  /** Why there was nothing to do at all. */
  readonly skipped?: string
  readonly strategies: readonly StrategyReport[]
}

export type Cycle = Generator<CycleStep, CycleReport, Answer | undefined>

const nodesMin = 2

export function* runCycle(parts: CycleParts): Cycle {
  const { view, policy } = parts
  const nodes = readyNodes(view.nodes, policy.nodeSelector)
  if (nodes.length < nodesMin) {
    const found = nodes.length === 1 ? 'one node is' : 'no node is'
    return { skipped: `${found} ready and selected by the policy; it takes two`, strategies: [] }
  }
  const course = new Course(parts, nodes, yield* CycleState.build(view))
  const strategies: StrategyReport[] = []
  for (const point of ['deschedule', 'balance'] as const) {
    for (const profile of policy.profiles) {
      for (const enabled of profile[point]) strategies.push(yield* course.run(profile, enabled))
    }
  }
  return { strategies }
}

/** What plugins of one cycle have in common. */
class Course {
  readonly #parts: CycleParts
  readonly #nodes: readonly NodeView[]
  readonly #state: CycleState
  readonly #tally: Tally
  readonly #share: OwnerShare
  readonly #evictors = new Map<Profile, Evictor>()

  constructor(parts: CycleParts, nodes: readonly NodeView[], state: CycleState) {
    const { view, policy, standing } = parts
    this.#parts = parts
    this.#nodes = nodes
    this.#state = state
    const leaving = view.pods.filter(({ uid }) => standing.leaving.has(uid))
    this.#tally = new Tally(policy.limits, leaving)
    this.#share = new OwnerShare(policy.lifeboat.maxPercentPerOwner, state, leaving)
  }

  *run(profile: Profile, enabled: EnabledPlugin): Generator<CycleStep, StrategyReport, Answer | undefined> {
    const strategy = { profile: profile.name, strategy: enabled.name }
    const record = new StrategyRecord(strategy)
    yield { kind: 'begins', ...strategy }
    const prepare = this.#evictorOf(profile).prepare?.()
    if (prepare !== undefined) yield* prepare
    try {
      const nominations = nominationsOf(this.#parts.plugins, enabled, this.#worldFor(profile, record))
      for (let next = nominations.next(); next.done !== true;) {
        if (next.value === breath) {
          yield breath
          // A plugin takes no notice of what follows a breath.
          next = nominations.next('refused')
        } else {
          next = nominations.next(yield* this.#ask(next.value, strategy, record))
        }
      }
    } catch (error) {
      if (!(error instanceof PluginFailure)) throw error
      record.fail(error.message)
    }
    return record.close()
  }

  *#ask(pod: PodView, strategy: Strategy, record: StrategyRecord): Generator<CycleStep, Outcome, Answer | undefined> {
    const { standing, view } = this.#parts
    if (standing.leaving.has(pod.uid)) {
      record.isLeaving(pod)
      this.#state.sendAway(pod)
      return 'leaves'
    }
    const limit = this.#tally.limitFor(pod)
    if (limit !== undefined) return record.isCut(pod, limit)
    const refusal = patienceWith(pod, standing, view.nowMs) ?? this.#share.refusalFor(pod)
    const answer = refusal === undefined ? yield { kind: 'asks', pod, ...strategy } : refused(refusal)
    if (answer?.kind === 'limit') return record.isCut(pod, answer.limit)
    if (answer?.kind !== 'requested') {
      record.isRefused(pod, answer?.reason ?? 'there was no answer')
      return 'refused'
    }
    this.#tally.add(pod)
    this.#share.add(pod)
    this.#state.sendAway(pod)
    record.leaves(pod)
    return 'leaves'
  }

  #worldFor(profile: Profile, record: StrategyRecord): PluginWorld {
    const { view, standing } = this.#parts
    const state = this.#state
    const evictor = this.#evictorOf(profile)
    return {
      nowMs: view.nowMs,
      nodes: this.#nodes,
      podsOn: (node) => state.podsOn(node),
      usedOn: (node) => state.usedOn(node),
      namespaces: view.namespaces,
      metrics: view.metrics,
      evictor: {
        ...evictor,
        filter: (pod) => record.noteSpared(pod, evictor.filter(pod)),
        preEvictionFilter: (pod) => record.noteSpared(pod, evictor.preEvictionFilter(pod)),
      },
      rankOf: (pod) => rankIn(standing, pod),
    }
  }

  #evictorOf(profile: Profile): Evictor {
    const known = this.#evictors.get(profile)
    if (known !== undefined) return known
    const evictor = this.#parts.evictorFor(profile, this.#state)
    this.#evictors.set(profile, evictor)
    return evictor
  }
}

/** Why a pod is left alone for now. */
function patienceWith({ uid }: PodView, { takenBack, leftAloneUntilMs }: Standing, nowMs: number): string | undefined {
  if (takenBack.has(uid)) return 'a request for it has just been taken back'
  const untilMs = leftAloneUntilMs.get(uid) ?? 0
  if (untilMs <= nowMs) return undefined
  return `it came back to its node: it is left alone until ${new Date(untilMs).toISOString()}`
}

const refused = (reason: string): Answer => ({ kind: 'refused', reason })

/** A plugin with its own args: the table has the same name on both sides. */
function nominationsOf<Name extends PluginName>(
  plugins: PluginTable,
  { name, args }: Extract<EnabledPlugin, { name: Name }>,
  world: PluginWorld,
): Nominations {
  const plugin: Plugin<Name> = plugins[name]
  return plugin.nominate(world, args as never)
}
