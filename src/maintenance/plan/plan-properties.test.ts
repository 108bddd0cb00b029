import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { drawCount } from '../../../test/draw-count.ts'
import { byDrainOrder, type DrainPlanEntry } from '../../api/maintenance/drain-plan.ts'
import { matchesDrainTarget, matchesDrainTargets } from '../../api/maintenance/drain-targets.ts'
import type { Pod } from '../../api/kubernetes/core.ts'
import { parseMaintenanceStatus, renderMaintenanceStatus } from '../../api/maintenance/maintenance-status.ts'
import { annotations } from '../../api/names.ts'
import { podTypes, type PodType } from '../../api/maintenance/pod-type.ts'
import { resolve, type Resolution } from './plan.ts'
import { noAgents, sortPods } from './pods.ts'
import { byAge, type DrainingMaintenance } from './standing.ts'
import { tallyNode } from './pods.ts'
import { covers, noTargets, type Targets } from './targets.ts'

// Any maintenances, nodes and pods, and anything that may happen to them while they are drained. What the plan says is
// held against a model that goes through all pods every time and knows nothing of how the plan is resolved.

const seed = process.env['CI'] === undefined ? undefined : 7_001
const runs = { stories: drawCount(8_000), orders: drawCount(2_000) }
const most = 4

interface World {
  readonly maintenances: Map<string, { readonly maintenance: DrainingMaintenance; readonly nodes: Set<string> }>
  readonly pods: Map<string, { readonly pod: Pod; readonly node: string; isEvacuating: boolean }>
  readonly reached: Map<string, Targets>
  /** Nodes under the same maintenances share one list, as in the controller: by that the plan knows its groups. */
  readonly covers: Map<string, DrainingMaintenance[]>
}

type Happening =
  | { readonly kind: 'maintain'; readonly plan: DrainPlanEntry[]; readonly nodes: readonly number[] }
  | { readonly kind: 'complete' | 'leave'; readonly which: number }
  | { readonly kind: 'select'; readonly which: number; readonly node: number }
  | { readonly kind: 'appear'; readonly node: number; readonly pod: DrawnPod }
  | { readonly kind: 'vanish'; readonly node: number }
  | { readonly kind: 'restart' }

interface DrawnPod {
  readonly priority: number
  readonly podType: PodType
  readonly app: string
}

const apps = ['web', 'mail']
const node = fc.integer({ min: 0, max: most - 1 })
const drawnPod: fc.Arbitrary<DrawnPod> = fc.record({
  priority: fc.integer({ min: 0, max: most }),
  podType: fc.constantFrom(...podTypes),
  app: fc.constantFrom(...apps),
})
const entryOf = (withSelectors: boolean) =>
  fc
    .record({
      podPriority: fc.integer({ min: 0, max: most }),
      podType: fc.constantFrom(...podTypes),
      app: withSelectors ? fc.option(fc.constantFrom(...apps), { nil: undefined }) : fc.constant(undefined),
    })
    .map(({ app, podPriority, podType }): DrainPlanEntry =>
      app === undefined ? { podPriority, podType } : { podPriority, podType, podSelector: { matchLabels: { app } } },
    )
const everything = podTypes.map((podType) => ({ podType, podPriority: most }))
const planOf = (withSelectors: boolean) =>
  fc
    .array(entryOf(withSelectors), { maxLength: 4 })
    .map((own) =>
      [...new Map([...own, ...everything].map((entry) => [JSON.stringify(entry), entry])).values()].toSorted(
        byDrainOrder,
      ),
    )

const happeningOf = (withSelectors: boolean): fc.Arbitrary<Happening> =>
  fc.oneof(
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant('maintain' as const),
        plan: planOf(withSelectors),
        nodes: fc.uniqueArray(node, { minLength: 1 }),
      }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('complete' as const), which: fc.nat() }) },
    { weight: 6, arbitrary: fc.record({ kind: fc.constant('leave' as const), which: fc.nat() }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('select' as const), which: fc.nat(), node }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('appear' as const), node, pod: drawnPod }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('vanish' as const), node }) },
    { weight: 1, arbitrary: fc.constant({ kind: 'restart' as const }) },
  )

const storyOf = (withSelectors: boolean) =>
  fc.record({
    pods: fc.array(fc.record({ node, pod: drawnPod }), { maxLength: 10 }),
    first: fc.array(
      fc.record({
        kind: fc.constant('maintain' as const),
        plan: planOf(withSelectors),
        nodes: fc.uniqueArray(node, { minLength: 1 }),
      }),
      { minLength: 1, maxLength: 3 },
    ),
    happenings: fc.array(happeningOf(withSelectors), { maxLength: 15 }),
  })

const nameOf = (index: number) => `node-${index}`
const nodeNames = Array.from({ length: most }, (_, index) => nameOf(index))

function buildPod({ priority, podType, app }: DrawnPod, name: string): Pod {
  const owner = { apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'logs', uid: '1', controller: true }
  // A static pod that an agent claims: one that nobody takes away is no part of a plan.
  const mirror = { [annotations.mirrorPod]: 'x', [`${annotations.evacuatorPriorityPrefix}kubelet.k8s.io`]: '10000' }
  return {
    metadata: {
      namespace: 'shop',
      name,
      uid: name,
      resourceVersion: '1',
      labels: { app },
      ...(podType === 'DaemonSet' ? { ownerReferences: [owner] } : {}),
      ...(podType === 'Static' ? { annotations: mirror } : {}),
    },
    spec: { containers: [], priority },
  }
}

let drawn = 0

function happen(world: World, happening: Happening): void {
  const all = [...world.maintenances.values()]
  switch (happening.kind) {
    case 'maintain': {
      const name = `maintenance-${drawn++}`
      const maintenance = { name, createdMs: world.maintenances.size, plan: happening.plan }
      world.maintenances.set(name, { maintenance, nodes: new Set(happening.nodes.map(nameOf)) })
      return
    }
    case 'complete': {
      const { maintenance } = all[happening.which % all.length] ?? {}
      if (maintenance !== undefined) world.maintenances.delete(maintenance.name)
      return
    }
    case 'select': {
      const { nodes } = all[happening.which % all.length] ?? {}
      const name = nameOf(happening.node)
      if (nodes?.delete(name) === false) nodes.add(name)
      return
    }
    case 'appear': {
      const name = `pod-${drawn++}`
      world.pods.set(name, { pod: buildPod(happening.pod, name), node: nameOf(happening.node), isEvacuating: false })
      return
    }
    case 'leave': {
      const going = [...world.pods].filter(([, { isEvacuating }]) => isEvacuating)
      const [name] = going[happening.which % Math.max(1, going.length)] ?? []
      if (name !== undefined) world.pods.delete(name)
      return
    }
    case 'vanish': {
      for (const [name, { node: on }] of world.pods) if (on === nameOf(happening.node)) world.pods.delete(name)
      world.reached.delete(nameOf(happening.node))
      return
    }
    case 'restart':
      // Nothing is kept but what is written on the nodes.
      world.covers.clear()
      for (const [name, targets] of world.reached) world.reached.set(name, readBack(targets))
      return
    default:
      return happening satisfies never
  }
}

function coverOf(world: World, name: string): DrainingMaintenance[] {
  const cover = [...world.maintenances.values()]
    .filter(({ nodes }) => nodes.has(name))
    .map(({ maintenance }) => maintenance)
    .toSorted(byAge)
  const key = cover.map((maintenance) => maintenance.name).join(' ')
  const known = world.covers.get(key) ?? cover
  world.covers.set(key, known)
  return known
}

/** As the next start finds them in the annotation of the node. */
function readBack(targets: Targets): Targets {
  const counts = { drainMessage: '', podsPendingEvacuation: 0, podsEvacuating: 0 }
  const parsed = parseMaintenanceStatus(renderMaintenanceStatus({ drainTargets: targets, ...counts }))
  if (parsed.kind !== 'parsed') throw new Error(`cannot be read back: ${JSON.stringify(parsed)}`)
  return parsed.status.drainTargets
}

const podsOn = (world: World, name: string) => [...world.pods.values()].filter(({ node: on }) => on === name)

function talliesOf(world: World) {
  const evacuating = new Set([...world.pods.values()].filter(({ isEvacuating }) => isEvacuating).map(({ pod }) => pod))
  return nodeNames
    .filter((name) => coverOf(world, name).length > 0)
    .map((name) => {
      const pods = sortPods(
        podsOn(world, name).map(({ pod }) => pod),
        { isEvacuating: (pod) => evacuating.has(pod), daemonSetsLeave: true, agents: noAgents },
      )
      return tallyNode({
        name,
        maintenances: coverOf(world, name),
        reached: world.reached.get(name) ?? noTargets,
        pods,
      })
    })
}

/** Resolves, and does what follows: targets are kept, and the pods within them are evacuated. */
function step(world: World): Resolution {
  for (const name of nodeNames) {
    if (coverOf(world, name).length > 0) continue
    world.reached.delete(name)
    for (const entry of podsOn(world, name)) entry.isEvacuating = false
  }
  const resolution = resolve(talliesOf(world))
  for (const [name, { targets }] of resolution.nodes) {
    world.reached.set(name, targets)
    for (const entry of podsOn(world, name)) entry.isEvacuating ||= matchesDrainTargets(entry.pod, targets)
  }
  return resolution
}

/** The entry of a plan whose turn it is for a pod. */
const turnOf = ({ plan }: DrainingMaintenance, pod: Pod) => plan.findIndex((entry) => matchesDrainTarget(pod, entry))

/** Where a maintenance stands: the first turn of any pod that is left. */
function positionOf(world: World, { name }: DrainingMaintenance): number {
  const { maintenance, nodes } = world.maintenances.get(name) ?? {}
  if (maintenance === undefined || nodes === undefined) throw new Error(`${name} is there`)
  const turns = [...nodes].flatMap((on) => podsOn(world, on)).map(({ pod }) => turnOf(maintenance, pod))
  return Math.min(maintenance.plan.length, ...turns)
}

/** All that hang together with a node by shared nodes. */
function togetherWith(world: World, name: string): { names: Set<string>; maintenances: DrainingMaintenance[] } {
  const names = new Set([name])
  const found = new Set<DrainingMaintenance>()
  for (const on of names) {
    for (const maintenance of coverOf(world, on)) {
      found.add(maintenance)
      for (const other of world.maintenances.get(maintenance.name)?.nodes ?? []) names.add(other)
    }
  }
  return { names, maintenances: [...found].toSorted(byAge) }
}

function hasBusyNeighbour(world: World, { name }: DrainingMaintenance, reached: ReadonlyMap<string, Targets>): boolean {
  const nodesOf = (maintenance: string) => [...(world.maintenances.get(maintenance)?.nodes ?? [])]
  const neighbours = nodesOf(name)
    .flatMap((on) => coverOf(world, on))
    .filter((other) => other.name !== name)
  // Also with what it is about to begin with.
  const isAtWork = (on: string, pod: Pod) =>
    matchesDrainTargets(pod, reached.get(on) ?? noTargets) ||
    coverOf(world, on).every((maintenance) => turnOf(maintenance, pod) === 0)
  return neighbours.some((neighbour) =>
    nodesOf(neighbour.name).some((on) => podsOn(world, on).some(({ pod }) => isAtWork(on, pod))),
  )
}

function checkStep(world: World): void {
  const before = new Map(world.reached)
  const positions = new Map(
    [...world.maintenances.values()].map(({ maintenance }) => [maintenance.name, positionOf(world, maintenance)]),
  )
  const covered = new Set(nodeNames.filter((name) => coverOf(world, name).length > 0))
  const resolution = step(world)
  for (const name of covered) {
    const cover = coverOf(world, name)
    const old = before.get(name) ?? noTargets
    const targets = resolution.nodes.get(name)?.targets ?? noTargets
    expect(covers(targets, old)).toBe(true)
    const grown = podsOn(world, name).filter(
      ({ pod }) => matchesDrainTargets(pod, targets) && !matchesDrainTargets(pod, old),
    )
    for (const { pod } of grown) {
      // The first entry may begin at any time, the next ones when the neighbours have done what they were at.
      const isTurn = (maintenance: DrainingMaintenance) =>
        turnOf(maintenance, pod) <= (positions.get(maintenance.name) ?? -1) &&
        (turnOf(maintenance, pod) === 0 || !hasBusyNeighbour(world, maintenance, before))
      if (cover.every(isTurn)) continue
      // Only where plans contradict one another, so that nothing at all would leave: then the oldest goes its way.
      const { names, maintenances } = togetherWith(world, name)
      const wasMoving = [...names].some((on) =>
        podsOn(world, on).some((each) => matchesDrainTargets(each.pod, before.get(on) ?? noTargets)),
      )
      const eldest = maintenances.find((each) => (positions.get(each.name) ?? 0) < each.plan.length)
      expect({ wasMoving, isTurnOfEldest: eldest !== undefined && cover.includes(eldest) && isTurn(eldest) }).toEqual({
        wasMoving: false,
        isTurnOfEldest: true,
      })
      expect(maintenances.some(({ plan }) => plan.some(({ podSelector }) => podSelector !== undefined))).toBe(true)
    }
  }
}

function begin({
  pods,
  first,
}: {
  pods: readonly { node: number; pod: DrawnPod }[]
  first: readonly Happening[]
}): World {
  const world: World = { maintenances: new Map(), pods: new Map(), reached: new Map(), covers: new Map() }
  for (const one of pods) happen(world, { kind: 'appear', ...one })
  for (const one of first) happen(world, one)
  return world
}

describe('whatever happens', () => {
  test('targets never go back, the least powerful plan rules, and no pod leaves before its turn; and all end', () => {
    fc.assert(
      fc.property(storyOf(true), (story) => {
        const world = begin(story)
        checkStep(world)
        for (const happening of story.happenings) {
          happen(world, happening)
          checkStep(world)
        }
        // From now on nothing comes: all that is evacuated goes, until nothing is left.
        const rest = () =>
          nodeNames.filter((name) => coverOf(world, name).length > 0).flatMap((name) => podsOn(world, name))
        for (let rounds = rest().length + 1; rest().length > 0; rounds--) {
          expect(rounds).toBeGreaterThan(0)
          for (const { pod, isEvacuating } of rest()) if (isEvacuating) world.pods.delete(pod.metadata.name)
          checkStep(world)
        }
        const { nodes, maintenances } = resolve(talliesOf(world))
        for (const { message } of nodes.values()) expect(message).toBe('Drained')
        for (const { isDrained } of maintenances.values()) expect(isDrained).toBe(true)
      }),
      { numRuns: runs.stories, ...(seed === undefined ? {} : { seed }) },
    )
  }, 120_000)

  test('the order in which nodes are looked at, and in which pods go, does not change what comes of it', () => {
    fc.assert(
      fc.property(storyOf(false), fc.infiniteStream(fc.nat()), (story, draws) => {
        const world = begin(story)
        step(world)
        const tallies = talliesOf(world)
        expect(plain(resolve(tallies.toReversed()))).toEqual(plain(resolve(tallies)))
        const going = [...world.pods].filter(([, { isEvacuating }]) => isEvacuating).map(([name]) => name)
        const shuffled = going
          .map((name) => ({ name, draw: draws.next().value ?? 0 }))
          .toSorted((a, b) => a.draw - b.draw)
          .map(({ name }) => name)
        expect(outcomeOf(world, shuffled)).toEqual(outcomeOf(world, going))
      }),
      { numRuns: runs.orders, ...(seed === undefined ? {} : { seed }) },
    )
  }, 120_000)
})

/** They go one after the other, and each time it is looked what follows; in the end, until nothing does. */
function outcomeOf(from: World, going: readonly string[]): object {
  const world: World = {
    maintenances: from.maintenances,
    pods: new Map([...from.pods].map(([name, entry]) => [name, { ...entry }])),
    reached: new Map(from.reached),
    covers: new Map(),
  }
  for (const name of going) {
    world.pods.delete(name)
    step(world)
  }
  let before = ''
  for (;;) {
    const now = JSON.stringify([...world.reached])
    if (now === before) return plain(step(world))
    before = now
    step(world)
  }
}

function plain({ nodes, maintenances }: Resolution): object {
  const sorted = <T>(map: ReadonlyMap<string, T>) => [...map].toSorted(([a], [b]) => (a < b ? -1 : 1))
  return {
    nodes: sorted(nodes).map(([name, { targets, message, tally }]) => ({
      name,
      targets,
      message,
      pending: tally.pending,
      evacuating: tally.evacuating,
    })),
    maintenances: sorted(maintenances),
  }
}
