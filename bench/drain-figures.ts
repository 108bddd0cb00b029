import { requestLines } from './drain-purposes.ts'
import { ofKubectl, ofLifeboat, type Drain } from './drain-round.ts'
import type { World } from './drain-world.ts'
import { printLine, renderComparison, renderFigure, type Comparison, type Figure } from './report.ts'
import type { SeenRequest } from './request-log.ts'

// What is wanted stands here, beside what is measured.

type Value = (drain: Drain) => number
type Limits = Pick<Figure, 'min' | 'max'>
type RequestsOf = (drain: Drain) => readonly SeenRequest[]

const wantedOfBoth: Readonly<
  Record<World['name'], { readonly wall: number; readonly requests?: number; readonly processor?: number }>
> = {
  storm: { wall: 1, requests: 6.5, processor: 1.15 },
  real: { wall: 0.6 },
}
const wanted = {
  evictionCalls: 1.03,
  ownProcessor: 12,
  peakMegabytes: 200,
  interceptedRequests: 8,
  quickReviews: 0.99,
  slowRequests: 7,
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other)
  const middle = sorted.length / 2
  const around = [sorted[Math.ceil(middle) - 1] ?? Number.NaN, sorted[Math.floor(middle)] ?? Number.NaN]
  return around.reduce((sum, value) => sum + value, 0) / around.length
}

const perPod =
  (of: (drain: Drain) => number): Value =>
  (drain) =>
    of(drain) / drain.observed.moved
const evictions = (requestsOf: RequestsOf) => (drain: Drain) =>
  requestsOf(drain).filter(({ verb, resource }) => verb === 'create' && resource === 'pods/eviction').length
const refused = (requestsOf: RequestsOf) => (drain: Drain) =>
  requestsOf(drain).filter(({ resource, code }) => resource === 'pods/eviction' && code === 429).length
const allProcessorMs = ({ processorMs }: Drain) => [...processorMs.values()].reduce((sum, ms) => sum + ms, 0)

/** Both drainers, each with its median. */
export function printBoth(world: World, ours: readonly Drain[], theirs: readonly Drain[]): void {
  const compare = (
    what: string,
    unit: string,
    of: Value | { ours: Value; theirs: Value },
    goal?: Comparison['wanted'],
  ) => {
    const values = typeof of === 'function' ? { ours: of, theirs: of } : of
    const [our, their] = [median(ours.map(values.ours)), median(theirs.map(values.theirs))]
    printLine(
      renderComparison({ what, unit, ours: our, theirs: their, ...(goal === undefined ? {} : { wanted: goal }) }),
    )
  }
  const asking = (value: (requestsOf: RequestsOf) => Value) => ({ ours: value(ofLifeboat), theirs: value(ofKubectl) })
  const goals = wantedOfBoth[world.name]
  console.log(
    `${world.name}: ours is one NodeMaintenance, theirs ${world.drained} kubectl drain at once on as many nodes`,
  )
  compare('wall time', 's', ({ seconds }) => seconds, { ratioMax: goals.wall })
  compare('pods moved', 'pods', ({ observed }) => observed.moved)
  compare('pod-seconds below wanted', 'pod-seconds', ({ observed }) => observed.pods.podSeconds, { oursMax: 0 })
  compare('lowest number of ready pods', `of ${world.replicas}`, ({ observed }) => observed.pods.lowest)
  compare('pod-seconds below, as Deployments say', 'pod-seconds', ({ observed }) => observed.deployments.podSeconds)
  const requestGoal = goals.requests === undefined ? undefined : { oursMax: goals.requests }
  compare(
    'API requests',
    'a pod',
    asking((of) => perPod((drain) => of(drain).length)),
    requestGoal,
  )
  compare(
    'eviction calls',
    'a pod',
    asking((of) => perPod(evictions(of))),
    { oursMax: wanted.evictionCalls },
  )
  compare('refused evictions', 'evictions', asking(refused))
  const processorGoal = goals.processor === undefined ? undefined : { ratioMax: goals.processor }
  compare('core-ms of all', 'a pod', perPod(allProcessorMs), processorGoal)
  for (const name of ours[0]?.processorMs.keys() ?? []) {
    if (name === 'lifeboat') continue
    compare(
      `core-ms of ${name}`,
      'a pod',
      perPod(({ processorMs }) => processorMs.get(name) ?? 0),
    )
  }
  const drainer = (name: string) => perPod(({ processorMs }) => processorMs.get(name) ?? 0)
  compare(
    'core-ms of who drains',
    'a pod',
    { ours: drainer('lifeboat'), theirs: drainer('kubectl') },
    { oursMax: wanted.ownProcessor },
  )
  printOwn(ours)
  printRequests('Lifeboat', ours, ofLifeboat)
  printRequests('kubectl', theirs, ofKubectl)
}

function printOwn(drains: readonly Drain[]): void {
  printFigure('last pod gone to Drained', 's', median(drains.map(({ lagSeconds }) => lagSeconds)))
  const peak = median(drains.map(({ peakMegabytes }) => peakMegabytes))
  printFigure('highest resident memory', 'MB', peak, { max: wanted.peakMegabytes })
}

/** kubectl drain with Lifeboat in between. */
export function printIntercepted(drain: Drain, reviews: { readonly reviewMs: number; readonly share: number }): void {
  const { observed } = drain
  printFigure('wall time', 's', drain.seconds)
  printFigure('pods moved', 'pods', observed.moved)
  printFigure('pod-seconds below wanted', 'pod-seconds', observed.pods.podSeconds, { max: 0 })
  const own = perPod((each) => ofLifeboat(each).length)(drain)
  printFigure("Lifeboat's requests", 'a pod', own, { max: wanted.interceptedRequests })
  printFigure('evictions that kubectl asked for', 'a pod', perPod(evictions(ofKubectl))(drain))
  printFigure(`reviews within ${reviews.reviewMs} ms`, 'of 1', reviews.share, { min: wanted.quickReviews })
  printFigure('core-ms of Lifeboat', 'a pod', perPod(({ processorMs }) => processorMs.get('lifeboat') ?? 0)(drain))
  printRequests('Lifeboat', [drain], ofLifeboat)
}

/** An API server that is far away and busy. */
export function printSlow(world: World, drain: Drain): void {
  printFigure('wall time', 's', drain.seconds)
  printFigure('pods moved', `pods of ${world.drained} nodes`, drain.observed.moved)
  printFigure('pod-seconds below wanted', 'pod-seconds', drain.observed.pods.podSeconds, { max: 0 })
  const requests = perPod((each) => ofLifeboat(each).length)(drain)
  printFigure("Lifeboat's requests", 'a pod', requests, { max: wanted.slowRequests })
  printRequests('Lifeboat', [drain], ofLifeboat)
}

function printFigure(what: string, unit: string, value: number, limits: Limits = {}): void {
  printLine(renderFigure({ what, unit, value, ...limits }))
}

function printRequests(who: string, drains: readonly Drain[], requestsOf: RequestsOf): void {
  const requests = drains.flatMap(requestsOf)
  const moved = drains.reduce((sum, { observed }) => sum + observed.moved, 0)
  console.log(`what ${who} asked for, requests a pod`)
  for (const { what, perPod: value } of requestLines(requests, moved)) console.log(`  ${value.toFixed(3)}  ${what}`)
}
