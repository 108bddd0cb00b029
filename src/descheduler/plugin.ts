import type { Amounts } from '../api/kubernetes/pod-requests.ts'
import type { PluginArgs, PluginName } from './policy/policy.ts'
import type { Labels, MetricsView, NodeView, PodView } from './view.ts'

// A plugin is a synchronous generator: it names one pod after the other and is told what became of each. It knows no
// clock, no client, and none of the limits.

/** What became of a pod that a plugin named. */
export type Outcome =
  /** It leaves, or has been leaving for a while: usage and domains count without it. */
  | 'leaves'
  /** Not this one. Another may. */
  | 'refused'
  | 'nodeLimit'
  | 'namespaceLimit'
  | 'totalLimit'

/** Gives others a turn of the event loop. A plugin yields it wherever much may be computed between two pods. */
export const breath = Symbol('breath')

/** Work that is done in steps, with breaths in between. */
export type InBreaths<Result> = Generator<typeof breath, Result, unknown>

/** All of it at once, where no other work waits. */
export function atOnce<Result>(work: InBreaths<Result>): Result {
  let next = work.next()
  while (next.done !== true) next = work.next()
  return next.value
}

export type Nominations = Generator<PodView | typeof breath, void, Outcome>

/** Why a pod may not be asked to leave; undefined: it may. */
export type Refusal = string | undefined

/** DefaultEvictor with the args of a profile. */
export interface Evictor {
  /** Upstream's `filter`: who is protected whatever the plugin wants. */
  filter(pod: PodView): Refusal
  /** Upstream's `preEvictionFilter`: nodeFit, and the labels of the namespace. */
  preEvictionFilter(pod: PodView): Refusal
  /** Looks at the whole cluster before the first question. Without it the first one does. */
  prepare?(): InBreaths<void>
  /** Finds out what preEvictionFilter asks for about a pod, which may take long. Without it that one does. */
  consider?(pod: PodView): InBreaths<void>
}

/** The cluster as it is in the middle of a cycle: without the pods that plugins before have sent away. */
export interface PluginWorld {
  readonly nowMs: number
  /** Ready, and selected by the policy; by name. */
  readonly nodes: readonly NodeView[]
  /** On one of those nodes, in every phase (upstream's "list all"), by namespace and name. */
  podsOn(node: string): readonly PodView[]
  /** What the pods of a node that are neither Succeeded nor Failed request together, and their number as `pods`. */
  usedOn(node: string): Amounts
  readonly namespaces: ReadonlyMap<string, Labels>
  readonly metrics: MetricsView
  readonly evictor: Evictor
  /** Pods with a lower rank come first in every order: 0 is leaving already, 1 is usual, 2 is to be left alone a while. */
  rankOf(pod: PodView): number
}

export interface Plugin<Name extends PluginName = PluginName> {
  readonly name: Name
  readonly extensionPoint: 'deschedule' | 'balance'
  /** May throw a PluginFailure: the rest of the cycle continues without this plugin. */
  nominate(world: PluginWorld, args: PluginArgs[Name]): Nominations
}

/** What keeps one plugin from its work, in words for the log and the report. */
export class PluginFailure extends Error {
  override readonly name = 'PluginFailure'
}
