import type { CaseNode, CasePod } from '../case.ts'
import { zone } from '../cases/parts.ts'
import type { Draw } from './deschedule-draws.ts'
import type { Dice } from './dice.ts'
import { drawApps } from './draw-apps.ts'
import { drawNodes } from './draw-nodes.ts'
import { drawAnchors, drawPods } from './draw-pods.ts'
import { drawAnyLimits, drawEvictor, drawSelection } from './draw-policy.ts'

/** It lists every pod before the first one leaves. Which of several is the original is random, so nodes are counted. */
export const duplicates: Draw = (dice) => {
  const nodes = drawNodes(dice, { room: 'any' })
  const apps = drawApps(dice, { count: dice.integer(2, 3), twoOwners: false })
  return {
    nodes,
    pods: [...drawAnchors(dice, nodes), ...drawPods(dice, { apps, nodes, count: dice.integer(12, 40), over: 0.05 })],
    compare: 'perNode',
    policy: {
      evictor: drawEvictor(dice, { minReplicas: true }),
      plugin: 'RemoveDuplicates',
      point: 'balance',
      args: {
        ...drawSelection(dice, { labels: false }),
        ...dice.maybe(0.15, () => ({ excludeOwnerKinds: ['Job'] })),
      },
    },
  }
}

const gpu = 'example.com/gpu'

/**
 * Usage decides here, so each node has room for what it has on it and somewhat more, or less. With nodeFit every pod fits
 * a node beside them, or none at all.
 */
function measured(dice: Dice): { readonly nodes: readonly CaseNode[]; readonly pods: readonly CasePod[] } {
  const withGpu = dice.chance(0.25)
  const bare = drawNodes(dice, { room: 'plentyOrNone', tainted: 0.15 })
  const specOf = () => ({
    ...dice.maybe(0.3, () => ({ nodeSelector: dice.pick<object>([{ pool: 'x' }, { no: 'where' }]) })),
    ...dice.maybe(0.15, () => ({ overhead: { cpu: '50m', memory: '7Mi' } })),
  })
  const more = () => ({
    // So that no two nodes use the same: upstream sorts them by what they use.
    memory: `${dice.integer(40_000, 140_000)}Ki`,
    limits: withGpu && dice.chance(0.5) ? { [gpu]: '1' } : {},
  })
  const apps = drawApps(dice, { count: dice.integer(2, 6), specOf })
  const pods = drawPods(dice, { apps, nodes: bare, count: dice.integer(12, 40), over: 0.05, ranked: true, more })
  const nodes = bare.map((node, index) => {
    const room = drawAllocatable(
      dice,
      pods.filter((pod) => pod.node === node.name),
      index === 0,
    )
    return resized(node, withGpu && dice.chance(0.9) ? Object.assign(room, { [gpu]: '8' }) : room)
  })
  return { nodes: [...nodes, spare], pods }
}

const resized = (node: CaseNode, allocatable: Readonly<Record<string, string>>): CaseNode => ({ ...node, allocatable })

const spare: CaseNode = {
  name: 'spare',
  labels: { pool: 'x' },
  unselected: true,
  allocatable: { cpu: '999', memory: '9Ti', pods: '999', [gpu]: '999' },
}

function drawAllocatable(dice: Dice, pods: readonly CasePod[], isFull: boolean): Readonly<Record<string, string>> {
  const percent = isFull
    ? dice.integer(60, 95)
    : dice.pick([dice.integer(5, 25), dice.integer(20, 60), dice.integer(50, 110)])
  const roomFor = (used: number) => Math.ceil((Math.max(used, 1) * 100) / (percent + dice.integer(-4, 4)))
  const sumOf = (amount: (pod: CasePod) => string | undefined) =>
    pods.reduce((sum, pod) => sum + Number.parseInt(amount(pod) ?? '0', 10), 0)
  return {
    cpu: `${roomFor(sumOf(({ cpu }) => cpu))}m`,
    memory: `${roomFor(sumOf(({ memory }) => memory))}Ki`,
    pods: String(roomFor(pods.length)),
  }
}

const resources = ['cpu', 'memory', 'pods', gpu] as const

/** Rarely of the gpu: nodes without it have no room for it, and then no pod leaves. */
function drawThresholds(dice: Dice, minimum: number, maximum: number): Readonly<Record<string, number>> {
  const some = resources.filter((name) => dice.chance(name === gpu ? 0.07 : 0.5))
  const chosen = some.length === 0 ? (['cpu'] as const) : some
  return Object.fromEntries(chosen.map((name) => [name, dice.integer(minimum, maximum)]))
}

export const lowNodeUtilization: Draw = (dice) => {
  const useDeviationThresholds = dice.chance(0.3)
  const thresholds = useDeviationThresholds ? drawThresholds(dice, 0, 15) : drawThresholds(dice, 22, 45)
  const more = useDeviationThresholds ? [0, 10] : [0, 20]
  const targetThresholds = Object.fromEntries(
    Object.entries(thresholds).map(([name, value]) => [name, value + dice.integer(more[0] ?? 0, more[1] ?? 0)]),
  )
  return {
    ...measured(dice),
    policy: {
      top: drawAnyLimits(dice),
      evictor: drawEvictor(dice, {}),
      plugin: 'LowNodeUtilization',
      point: 'balance',
      args: {
        thresholds,
        targetThresholds,
        ...(useDeviationThresholds ? { useDeviationThresholds } : {}),
        ...dice.maybe(0.15, () => ({ numberOfNodes: dice.integer(0, 1) })),
        ...dice.maybe(0.15, () => ({ evictableNamespaces: { exclude: ['NS-other'] } })),
        ...dice.maybe(0.2, () => ({ evictionLimits: { node: dice.integer(0, 3) } })),
      },
    },
  }
}

export const highNodeUtilization: Draw = (dice) => ({
  ...measured(dice),
  policy: {
    top: drawAnyLimits(dice),
    evictor: drawEvictor(dice, {}),
    plugin: 'HighNodeUtilization',
    point: 'balance',
    args: {
      thresholds: drawThresholds(dice, 20, 50),
      ...dice.maybe(0.15, () => ({ numberOfNodes: dice.integer(0, 1) })),
      ...dice.maybe(0.15, () => ({ evictableNamespaces: { exclude: ['NS-other'] } })),
      ...dice.maybe(0.3, () => ({ evictionModes: ['OnlyThresholdingResources'] })),
    },
  },
})

/**
 * Of domains with the same size upstream takes any, and of pods with the same rank. So with two domains pods are
 * compared, and with more only how many of each app leave, whose pods are all alike.
 */
export const topologySpread: Draw = (dice) => {
  const hasTwoDomains = dice.chance(0.5)
  const drawn = drawNodes(dice, {
    room: 'plentyOrNone',
    zones: hasTwoDomains ? ['a', 'b'] : ['a', 'b', 'c', 'd'],
    tainted: 0.15,
  })
  // It looks for room before the first pod leaves.
  const nodes = drawn.map((node) => resized(node, { cpu: dice.pick(['500m', '64', '64', '64']) }))
  const specOf = (usual: object, name: string) => ({
    ...usual,
    topologySpreadConstraints: [drawConstraint(dice, name)],
  })
  const apps = drawApps(dice, { count: dice.integer(1, 2), avoidsAnchors: false, bound: 0.1, specOf })
  return {
    nodes,
    pods: drawPods(dice, { apps, nodes, count: dice.integer(12, 40), over: 0.05, ranked: hasTwoDomains }),
    compare: hasTwoDomains ? 'pods' : 'perOwner',
    policy: {
      evictor: drawEvictor(dice, { nodeFit: false }),
      plugin: 'RemovePodsViolatingTopologySpreadConstraint',
      point: 'balance',
      args: {
        ...drawSelection(dice),
        ...dice.maybe(0.5, () => ({ constraints: ['DoNotSchedule', 'ScheduleAnyway'] })),
        ...dice.maybe(0.4, () => ({ topologyBalanceNodeFit: dice.chance(0.3) })),
      },
    },
  }
}

function drawConstraint(dice: Dice, app: string): object {
  return {
    maxSkew: dice.pick([1, 1, 1, 2, 3]),
    topologyKey: zone,
    whenUnsatisfiable: dice.pick(['DoNotSchedule', 'DoNotSchedule', 'ScheduleAnyway']),
    labelSelector: { matchLabels: { app } },
    ...dice.maybe(0.3, () => ({ nodeAffinityPolicy: dice.pick(['Honor', 'Ignore']) })),
    ...dice.maybe(0.3, () => ({ nodeTaintsPolicy: dice.pick(['Honor', 'Ignore']) })),
    ...dice.maybe(0.2, () => ({ matchLabelKeys: ['tier'] })),
    ...dice.maybe(0.1, () => ({ minDomains: 3 })),
  }
}
