// the plan of 20 overlapping maintenances over 5,000 nodes and 150,000 pods, resolved whole and after one change
import { withDefaultDrainPlan } from '../src/api/maintenance/drain-plan.ts'
import type { Node, Pod } from '../src/api/kubernetes/core.ts'
import { matchesNodeSelector, type NodeSelector } from '../src/api/kubernetes/node-selector.ts'
import { resolve, type Resolution } from '../src/maintenance/plan/plan.ts'
import { noAgents, sortPods } from '../src/maintenance/plan/pods.ts'
import { byAge, type DrainingMaintenance, type NodeTally } from '../src/maintenance/plan/standing.ts'
import { tallyNode } from '../src/maintenance/plan/pods.ts'
import { noTargets, type Targets } from '../src/maintenance/plan/targets.ts'
import { stored } from '../test/build/stored.ts'
import { printLine, renderFigure } from './report.ts'

const size = { nodes: 5_000, podsPerNode: 30, maintenances: 20, racks: 40, racksEach: 12 }
const rounds = { full: 5, incremental: 200 }
const limits = { fullMs: 1_000, incrementalMs: 10 }
const applications = ['shop', 'cart', 'search', 'mail', 'batch']
const priorities = [0, 0, 0, 1_000, 5_000, 10_000, 2_000_000_000]

interface World {
  readonly nodes: readonly Node[]
  readonly pods: ReadonlyMap<string, Pod[]>
  readonly maintenances: readonly { readonly selector: NodeSelector; readonly draining: DrainingMaintenance }[]
}

function buildPod(node: string, at: number): Pod {
  const isOfDaemonSet = at % 10 === 0
  const owner = {
    apiVersion: 'apps/v1',
    kind: isOfDaemonSet ? 'DaemonSet' : 'ReplicaSet',
    name: 'owner',
    uid: 'owner',
    controller: true,
  }
  return {
    metadata: {
      name: `pod-${at}-of-${node}`,
      namespace: 'default',
      uid: `${node}/${at}`,
      resourceVersion: '1',
      labels: { app: applications[at % applications.length] ?? '' },
      ownerReferences: [owner],
    },
    spec: { nodeName: node, priority: priorities[at % priorities.length] ?? 0, containers: [] },
  }
}

/** Every node is in several maintenances, and all of them hang together. */
function buildWorld(): World {
  const nodes = Array.from({ length: size.nodes }, (_, at) =>
    stored<Node>({ metadata: { name: `node-${at}`, labels: { rack: `rack-${at % size.racks}` } } }),
  )
  const pods = new Map(
    nodes.map(({ metadata: { name } }) => [
      name,
      Array.from({ length: size.podsPerNode }, (_, at) => buildPod(name, at)),
    ]),
  )
  const maintenances = Array.from({ length: size.maintenances }, (_, at) => {
    const first = at * (size.racks / size.maintenances)
    const values = Array.from({ length: size.racksEach }, (_value, rack) => `rack-${(first + rack) % size.racks}`)
    const selector: NodeSelector = {
      nodeSelectorTerms: [{ matchExpressions: [{ key: 'rack', operator: 'In', values }] }],
    }
    const app = applications[at % applications.length] ?? ''
    const plan = withDefaultDrainPlan([
      { podPriority: 0, podType: 'Default', podSelector: { matchLabels: { app } } },
      { podPriority: 1_000 * (1 + (at % 3)), podType: 'Default' },
      { podPriority: 10_000, podType: 'Default', podSelector: { matchLabels: { app } } },
    ])
    return { selector, draining: { name: `maintenance-${at}`, createdMs: at, plan } }
  })
  return { nodes, pods, maintenances }
}

const knowledge = { isEvacuating: () => false, daemonSetsLeave: true, agents: noAgents }

/** From objects as they are in caches: which maintenances a node has, what its pods are, and then the plan. */
class Planner {
  readonly #world: World
  readonly #reached = new Map<string, Targets>()
  readonly #tallies = new Map<string, NodeTally>()
  /** Nodes with the same maintenances share the list. */
  readonly #lists = new Map<string, readonly DrainingMaintenance[]>()

  constructor(world: World) {
    this.#world = world
  }

  resolveAll(): Resolution {
    this.#tallies.clear()
    for (const node of this.#world.nodes) this.#tally(node)
    return this.#resolve()
  }

  resolveOne(node: Node): Resolution {
    this.#tally(node)
    return this.#resolve()
  }

  /** Nodes go on to the targets of the resolution, as their annotations would. */
  reach({ nodes }: Resolution): void {
    for (const [name, { targets }] of nodes) this.#reached.set(name, targets)
  }

  #resolve(): Resolution {
    return resolve(this.#tallies.values())
  }

  #tally(node: Node): void {
    const name = node.metadata.name
    const pods = sortPods(this.#world.pods.get(name) ?? [], knowledge)
    const reached = this.#reached.get(name) ?? noTargets
    this.#tallies.set(name, tallyNode({ name, maintenances: this.#maintenancesOf(node), reached, pods }))
  }

  #maintenancesOf(node: Node): readonly DrainingMaintenance[] {
    const own = this.#world.maintenances
      .filter(({ selector }) => matchesNodeSelector(selector, node))
      .map(({ draining }) => draining)
    const key = own.map(({ name }) => name).join(' ')
    const known = this.#lists.get(key) ?? own.toSorted(byAge)
    this.#lists.set(key, known)
    return known
  }
}

/** How long the resolution took. What nodes reach by it is noted afterwards, as it is by those who write it down. */
function timed(work: () => Resolution): number {
  const startedMs = performance.now()
  const resolution = work()
  const ms = performance.now() - startedMs
  planner.reach(resolution)
  return ms
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}

const world = buildWorld()
const planner = new Planner(world)
const nodeAt = (at: number) => world.nodes[(at * 7_919) % size.nodes] as Node

/** The first time is what a controller that has just started sees: nothing of this code has run before. */
const fullMs = Array.from({ length: rounds.full }, () => timed(() => planner.resolveAll()))
const goneMs = Array.from({ length: rounds.incremental }, (_, at) => {
  const node = nodeAt(at)
  world.pods.get(node.metadata.name)?.pop()
  return timed(() => planner.resolveOne(node))
})
const changedMs = Array.from({ length: rounds.incremental }, (_, at) => {
  const { metadata } = nodeAt(at)
  const rack = `rack-${(at + 1) % size.racks}`
  return timed(() => planner.resolveOne({ metadata: { ...metadata, labels: { rack } } }))
})

console.log(
  `${size.nodes} nodes, ${size.nodes * size.podsPerNode} pods, ${size.maintenances} maintenances, ${(size.racksEach * size.maintenances) / size.racks} of them on each node`,
)
const unit = 'ms'
printLine(renderFigure({ what: 'full resolution, the first', unit, value: fullMs[0] ?? 0, max: limits.fullMs }))
printLine(renderFigure({ what: 'full resolution, median', unit, value: median(fullMs), max: limits.fullMs }))
for (const [what, ms] of Object.entries({ 'one pod gone': goneMs, 'one node changed': changedMs })) {
  const max = limits.incrementalMs
  printLine(renderFigure({ what: `${what}, median of ${ms.length}`, unit, value: median(ms), max }))
  printLine(renderFigure({ what: `${what}, worst of ${ms.length}`, unit, value: Math.max(...ms), max }))
}
