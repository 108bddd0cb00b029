import type { ParityCase } from '../case.ts'
import { hostname, zone } from '../cases/parts.ts'
import type { Dice } from './dice.ts'
import { drawApps } from './draw-apps.ts'
import { drawNodes } from './draw-nodes.ts'
import { drawAnchors, drawPods } from './draw-pods.ts'
import { drawAnyLimits, drawEvictor, drawLimits, drawSelection } from './draw-policy.ts'

/** A case but for what every draw has. */
export type Draw = (dice: Dice) => Pick<ParityCase, 'nodes' | 'pods' | 'policy' | 'compare'>

/** It lists every pod before the first one leaves, and sorts by age: room may be scarce and limits may cut. */
export const podLifeTime: Draw = (dice) => {
  const nodes = drawNodes(dice, { room: 'any' })
  const apps = drawApps(dice)
  const by = dice.integer(0, 4)
  return {
    nodes,
    pods: [...drawAnchors(dice, nodes), ...drawPods(dice, { apps, nodes, count: dice.integer(8, 40) })],
    policy: {
      top: drawAnyLimits(dice),
      evictor: drawEvictor(dice, { minReplicas: true }),
      plugin: 'PodLifeTime',
      args: {
        ...drawSelection(dice),
        ...(by < 3 || dice.chance(0.3) ? { maxPodLifeTimeSeconds: dice.pick([0, 100, 100, 1_000, 5_000]) } : {}),
        ...(by === 3 || dice.chance(0.15) ? { states: drawStates(dice) } : {}),
        ...(by === 4 ? { conditions: drawConditions(dice) } : {}),
        ...dice.maybe(0.08, () => ({ exitCodes: [dice.integer(0, 3), 1] })),
        ...dice.maybe(0.3, () => ({ includingInitContainers: dice.chance(0.7) })),
        ...dice.maybe(0.3, () => ({ includingEphemeralContainers: dice.chance(0.7) })),
        ...dice.maybe(0.15, () => ({
          ownerKinds: dice.pick<object>([{ include: ['ReplicaSet', 'Job'] }, { exclude: ['Job', 'StatefulSet'] }]),
        })),
      },
    },
  }
}

function drawStates(dice: Dice): readonly string[] {
  const all = ['Pending', 'Running', 'Succeeded', 'Failed', 'Shutdown', 'CrashLoopBackOff', 'OOMKilled', 'Error']
  return [dice.pick(['Running', 'CrashLoopBackOff', 'Failed']), ...dice.some(all, 0.2)]
}

function drawConditions(dice: Dice): readonly object[] {
  return Array.from({ length: dice.integer(1, 2) }, () => ({
    status: dice.pick(['True', 'False']),
    ...dice.maybe(0.4, () => ({ type: dice.pick(['Ready', 'PodScheduled']) })),
    ...dice.maybe(0.3, () => ({ reason: 'Unschedulable' })),
    ...dice.maybe(0.5, () => ({ minTimeSinceLastTransitionSeconds: dice.pick([0, 300, 3_600]) })),
  }))
}

/** Failed pods hold no room, so none is made. */
export const failedPods: Draw = (dice) => {
  const nodes = drawNodes(dice, { room: 'any' })
  const apps = drawApps(dice)
  const { top = {}, ...limits } = drawLimits(dice)
  return {
    nodes,
    pods: [...drawAnchors(dice, nodes), ...drawPods(dice, { apps, nodes, count: dice.integer(8, 40), over: 0.8 })],
    ...limits,
    policy: {
      top,
      evictor: drawEvictor(dice, {}),
      plugin: 'RemoveFailedPods',
      args: {
        ...drawSelection(dice),
        ...dice.maybe(0.8, () => ({ minPodLifetimeSeconds: dice.pick([0, 0, 100, 5_000]) })),
        ...dice.maybe(0.15, () => ({ excludeOwnerKinds: [dice.pick(['Job', 'ReplicaSet'])] })),
        ...dice.maybe(0.25, () => ({ reasons: dice.some(['Error', 'OOMKilled', 'Evicted', 'CrashLoopBackOff'], 0.6) })),
        ...dice.maybe(0.15, () => ({ exitCodes: [1, dice.integer(0, 3)] })),
        ...dice.maybe(0.4, () => ({ includingInitContainers: dice.chance(0.8) })),
      },
    },
  }
}

/** A plugin that goes from node to node. Whether it names a pod does not depend on the pods that left before. */
function nodeByNode(plugin: string, argsOf: (dice: Dice) => object, { tainted = 0.25, bound = 0.2 } = {}): Draw {
  return (dice) => {
    const nodes = drawNodes(dice, { room: 'plentyOrNone', tainted })
    const apps = drawApps(dice, { count: dice.integer(2, 8), bound })
    const { top = {}, ...limits } = drawLimits(dice)
    return {
      nodes,
      pods: [...drawAnchors(dice, nodes), ...drawPods(dice, { apps, nodes, count: dice.integer(8, 40) })],
      ...limits,
      policy: { top, evictor: drawEvictor(dice, {}), plugin, args: { ...drawSelection(dice), ...argsOf(dice) } },
    }
  }
}

export const tooManyRestarts = nodeByNode('RemovePodsHavingTooManyRestarts', (dice) => ({
  podRestartThreshold: dice.pick([1, 2, 4, 8]),
  ...dice.maybe(0.5, () => ({ includingInitContainers: dice.chance(0.8) })),
  ...dice.maybe(0.3, () => ({ states: [dice.pick(['Running', 'CrashLoopBackOff'])] })),
}))

export const nodeTaints = nodeByNode(
  'RemovePodsViolatingNodeTaints',
  (dice) => ({
    ...dice.maybe(0.4, () => ({ includePreferNoSchedule: true })),
    ...dice.pick<object>([
      {},
      {},
      { excludedTaints: dice.some(['dedicated=a', 'level', 'soft'], 0.5) },
      { includedTaints: ['dedicated', ...dice.some(['level=5', 'soft'], 0.5)] },
    ]),
  }),
  { tainted: 0.7 },
)

export const nodeAffinity = nodeByNode(
  'RemovePodsViolatingNodeAffinity',
  (dice) => ({
    nodeAffinityType: dice.pick([
      ['requiredDuringSchedulingIgnoredDuringExecution'],
      ['preferredDuringSchedulingIgnoredDuringExecution'],
      ['requiredDuringSchedulingIgnoredDuringExecution', 'preferredDuringSchedulingIgnoredDuringExecution'],
    ]),
  }),
  { bound: 0.7 },
)

/**
 * Each pod that leaves frees others, so its order decides, and upstream takes nodes in any order. So pods compete on one
 * node alone, each with a rank of its own; across nodes they avoid only pods without a rule.
 */
export const interPodAntiAffinity: Draw = (dice) => {
  const nodes = drawNodes(dice, { room: 'plentyOrNone' })
  const apps = drawApps(dice, { count: dice.integer(2, 4), avoidsAnchors: false, specOf: rivaling(dice) })
  return {
    nodes,
    pods: [...drawAnchors(dice, nodes), ...drawPods(dice, { apps, nodes, count: dice.integer(8, 40), ranked: true })],
    policy: {
      evictor: drawEvictor(dice, { nodeFit: false }),
      plugin: 'RemovePodsViolatingInterPodAntiAffinity',
      args: drawSelection(dice),
    },
  }
}

function rivaling(dice: Dice): (usual: object) => object {
  return (usual) => {
    const rivals = dice.some(['app-0', 'app-1', 'app-2', 'app-3'], 0.4)
    const terms = [
      ...rivals.map((rival) => termOn(rival, hostname, dice)),
      ...dice.some([termOn('anchor', zone, dice), termOn('anchor', hostname, dice)], 0.25),
    ]
    const podAntiAffinity = { requiredDuringSchedulingIgnoredDuringExecution: terms }
    return terms.length === 0 ? usual : { ...usual, affinity: { podAntiAffinity } }
  }
}

function termOn(app: string, topologyKey: string, dice: Dice): object {
  return {
    labelSelector: { matchLabels: { app } },
    topologyKey,
    ...dice.maybe(0.4, () => ({ namespaces: ['NS', ...dice.some(['NS-other'], 0.7)] })),
  }
}
