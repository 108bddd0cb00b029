import type { CycleReport, Strategy } from '../cycle/cycle.ts'
import type { Cut, Spared, StrategyReport } from './report.ts'
import type { LimitReached } from '../cycle/tally.ts'
import type { PodView } from '../view.ts'

// What a cycle did, or would do: as lines for people, and as data for programs. Lines are few however many pods there
// are; data has them all.

export interface ReportedPod extends Strategy {
  readonly namespace: string
  readonly name: string
  readonly node: string
}

export interface ReportData {
  /** In the order in which strategies named them. */
  readonly evictions: readonly ReportedPod[]
  readonly alreadyLeaving: readonly ReportedPod[]
  readonly protected: readonly (ReportedPod & { readonly reason: string })[]
  readonly refused: readonly (ReportedPod & { readonly reason: string })[]
  readonly cut: readonly (ReportedPod & { readonly limit: 'total' | 'node' | 'namespace' })[]
  readonly failures: readonly (Strategy & { readonly message: string })[]
  /** Why there was no cycle; null: there was one. */
  readonly skipped: string | null
}

/** What `--output json` prints. */
export function reportData({ skipped, strategies }: CycleReport): ReportData {
  return {
    evictions: strategies.flatMap((each) => each.left.map((pod) => reported(pod, each))),
    alreadyLeaving: strategies.flatMap((each) => each.leaving.map((pod) => reported(pod, each))),
    protected: strategies.flatMap((each) => each.spared.map(({ pod, reason }) => ({ ...reported(pod, each), reason }))),
    refused: strategies.flatMap((each) => each.refused.map(({ pod, reason }) => ({ ...reported(pod, each), reason }))),
    cut: strategies.flatMap((each) =>
      each.cut.map(({ pod, limit }) => ({ ...reported(pod, each), limit: limitWords[limit].limit })),
    ),
    failures: strategies.flatMap(({ profile, strategy, failure }) =>
      failure === undefined ? [] : [{ profile, strategy, message: failure }],
    ),
    skipped: skipped ?? null,
  }
}

const reported = ({ namespace, name, nodeName }: PodView, { strategy, profile }: Strategy): ReportedPod => ({
  namespace,
  name,
  node: nodeName,
  strategy,
  profile,
})

const limits = { nodesMax: 20, podsPerNodeMax: 5, reasonsMax: 10, placesMax: 10, examplesMax: 3, textLengthMax: 300 }

const restIsInData = '--output json has all'

export interface RenderOptions {
  readonly isDryRun: boolean
}

/** The report as lines for people. */
export function renderReport({ skipped, strategies }: CycleReport, options: RenderOptions): string[] {
  if (skipped !== undefined) return [plain(`The cycle was skipped: ${skipped}`)]
  if (strategies.length === 0) return ['The policy enables no strategy: there is nothing to do']
  return [...strategies.flatMap((each) => [...renderStrategy(each, options), '']), renderSum(strategies, options)]
}

/** One line a strategy, for a log: what it did, and the most frequent of what kept it from more. */
export function renderBriefly({ skipped, strategies }: CycleReport, options: RenderOptions): string[] {
  if (skipped !== undefined) return [plain(`The cycle was skipped: ${skipped}`)]
  return strategies.map((report) => {
    const { profile, strategy, left, leaving, cut, refused, spared, failure } = report
    const reasonsOf = (group: readonly Spared[]) => Map.groupBy(group, ({ reason }) => reason)
    const parts = [
      `${whoGoes(left.length, options)}${left.length === 0 ? '' : `: ${examples(left, onNode)}`}`,
      ...(leaving.length === 0 ? [] : [`${leaving.length} already leaving`]),
      ...briefly(`${cut.length} stopped by a limit`, 'place', Map.groupBy(cut, placeOf)),
      ...briefly(`${refused.length} refused`, 'reason', reasonsOf(refused)),
      ...briefly(`${spared.length} protected`, 'reason', reasonsOf(spared)),
      ...(failure === undefined ? [] : [`ended early: ${plain(failure)}`]),
    ]
    return `${plain(`${profile}/${strategy}`)}: ${parts.join('; ')}`
  })
}

function briefly(what: string, kind: string, groups: ReadonlyMap<string, readonly unknown[]>): string[] {
  const [most, ...others] = largestFirst(groups)
  if (most === undefined) return []
  const more = others.length === 0 ? '' : `, and ${counting(others.length, `other ${kind}`)}`
  return [`${what}: ${plain(most[0])}${more}`]
}

function renderStrategy(report: StrategyReport, options: RenderOptions): string[] {
  const { profile, strategy, left, leaving, spared, refused, cut, failure } = report
  const counts = { left, leaving, cut, refused, spared }
  const ending = failure === undefined ? [] : ['failed']
  return [
    plain(`${profile}/${strategy}: ${[whoGoes(left.length, options), ...othersOf(counts), ...ending].join(', ')}`),
    ...(failure === undefined ? [] : [`  ended early: ${plain(failure)}`]),
    ...renderNodes(left),
    ...(leaving.length === 0 ? [] : [`  already leaving: ${examples(leaving, onNode)}`]),
    ...renderLimits(cut),
    ...renderReasons('refused', refused),
    ...renderReasons('protected', spared),
  ]
}

function whoGoes(count: number, { isDryRun }: RenderOptions): string {
  const pods = count === 0 ? 'no pod' : counting(count, 'pod')
  if (isDryRun) return `${pods} would go`
  return `${pods} ${count > 1 ? 'were' : 'was'} asked to leave`
}

type Counted = 'leaving' | 'cut' | 'refused' | 'spared'

function othersOf(counts: Readonly<Record<Counted, { readonly length: number }>>): string[] {
  const words = [
    [counts.leaving, 'already leaving'],
    [counts.cut, 'stopped by a limit'],
    [counts.refused, 'refused'],
    [counts.spared, 'protected'],
  ] as const
  return words.filter(([{ length }]) => length > 0).map(([{ length }, word]) => `${length} ${word}`)
}

/** Who goes from where; nodes that lose most come first. */
function renderNodes(left: readonly PodView[]): string[] {
  const nodes = largestFirst(Map.groupBy(left, ({ nodeName }) => nodeName))
  const hidden = nodes.slice(limits.nodesMax)
  return [
    ...nodes.slice(0, limits.nodesMax).map(([node, pods]) => `  ${node}: ${renderPods(pods)}`),
    ...(hidden.length === 0
      ? []
      : [`  … and ${sizeOf(hidden)} more on ${counting(hidden.length, 'other node')}; ${restIsInData}`]),
  ]
}

function renderPods(pods: readonly PodView[]): string {
  const shown = pods.slice(0, limits.podsPerNodeMax).map(nameOf).join(', ')
  const more = pods.length - limits.podsPerNodeMax
  return more > 0 ? `${shown}, … and ${more} more; ${restIsInData}` : shown
}

/** Pods with the same reason together; the most frequent reason comes first. */
function renderReasons(word: 'protected' | 'refused', spared: readonly Spared[]): string[] {
  const reasons = largestFirst(Map.groupBy(spared, ({ reason }) => reason))
  const hidden = reasons.slice(limits.reasonsMax)
  return [
    ...reasons.slice(0, limits.reasonsMax).flatMap(([reason, group]) => [
      `  ${group.length} ${word}: ${plain(reason)}`,
      `    ${examples(
        group.map(({ pod }) => pod),
        nameOf,
      )}`,
    ]),
    ...(hidden.length === 0
      ? []
      : [`  … and ${sizeOf(hidden)} more ${word} for ${counting(hidden.length, 'other reason')}; ${restIsInData}`]),
  ]
}

interface LimitWords {
  readonly limit: ReportData['cut'][number]['limit']
  /** Of the policy: what an admin would change. */
  readonly field: string
  readonly where: (pod: PodView) => string
  /** A strategy may stop looking once it has met this limit: more pods may be concerned. */
  readonly atLeast: string
}

const limitWords: Readonly<Record<LimitReached, LimitWords>> = {
  totalLimit: { limit: 'total', field: 'maxNoOfPodsToEvictTotal', where: () => '', atLeast: 'at least ' },
  nodeLimit: {
    limit: 'node',
    field: 'maxNoOfPodsToEvictPerNode',
    where: ({ nodeName }) => ` on ${nodeName}`,
    atLeast: 'at least ',
  },
  namespaceLimit: {
    limit: 'namespace',
    field: 'maxNoOfPodsToEvictPerNamespace',
    where: ({ namespace }) => ` in ${namespace}`,
    atLeast: '',
  },
}

const placeOf = ({ pod, limit }: Cut): string => `${limitWords[limit].field} is reached${limitWords[limit].where(pod)}`

function renderLimits(cut: readonly Cut[]): string[] {
  const places = largestFirst(Map.groupBy(cut, placeOf))
  const hidden = places.slice(limits.placesMax)
  return [
    ...places.slice(0, limits.placesMax).map(([place, group]) => {
      const atLeast = group.map(({ limit }) => limitWords[limit].atLeast)[0] ?? ''
      return `  ${atLeast}${group.length} more: ${place}`
    }),
    ...(hidden.length === 0
      ? []
      : [`  … and ${sizeOf(hidden)} more in ${counting(hidden.length, 'other place')}; ${restIsInData}`]),
  ]
}

/** Each pod once, although several strategies may have wanted it: what moves it counts before what keeps it. */
function renderSum(strategies: readonly StrategyReport[], options: RenderOptions): string {
  const seen = new Set<string>()
  const count = (podsOf: (report: StrategyReport) => readonly PodView[]) => {
    const before = seen.size
    for (const report of strategies) for (const { uid } of podsOf(report)) seen.add(uid)
    return { length: seen.size - before }
  }
  const left = count((report) => report.left)
  // The order of these lines is the order of precedence.
  const counts = {
    leaving: count((report) => report.leaving),
    cut: count((report) => report.cut.map(({ pod }) => pod)),
    refused: count((report) => report.refused.map(({ pod }) => pod)),
    spared: count((report) => report.spared.map(({ pod }) => pod)),
  }
  const nodes = new Set(strategies.flatMap((report) => report.left.map(({ nodeName }) => nodeName))).size
  const failed = strategies.filter(({ failure }) => failure !== undefined).length
  const where = nodes === 0 ? '' : `${options.isDryRun ? ' from' : ''} ${counting(nodes, 'node')}`
  return [
    `In all: ${whoGoes(left.length, options)}${where}`,
    ...othersOf(counts),
    ...(failed === 0 ? [] : [`${failed} of ${counting(strategies.length, 'strategy', 'strategies')} failed`]),
  ].join(', ')
}

/** The largest groups say most where a list is cut short. */
function largestFirst<Member>(groups: ReadonlyMap<string, readonly Member[]>): [string, readonly Member[]][] {
  return [...groups].toSorted(
    ([one, some], [other, others]) => others.length - some.length || (one < other ? -1 : Number(one > other)),
  )
}

function sizeOf(groups: readonly (readonly [string, readonly unknown[]])[]): number {
  return groups.reduce((size, [, members]) => size + members.length, 0)
}

function examples(pods: readonly PodView[], wordOf: (pod: PodView) => string): string {
  const more = pods.length - limits.examplesMax
  return `${pods.slice(0, limits.examplesMax).map(wordOf).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

const nameOf = ({ namespace, name }: PodView): string => `${namespace}/${name}`
const onNode = (pod: PodView): string => `${nameOf(pod)} on ${pod.nodeName}`

function counting(count: number, what: string, many = `${what}s`): string {
  return `${count} ${count === 1 ? what : many}`
}

/** Some of it comes from webhooks: a terminal would obey what is not text, and a page of it would hide the rest. */
function plain(text: string): string {
  const line = text.replaceAll(/\p{Cc}+/gu, ' ').trim()
  return line.length > limits.textLengthMax ? `${line.slice(0, limits.textLengthMax).toWellFormed()}…` : line
}
