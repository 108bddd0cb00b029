import type { CaseNode, CasePod } from '../case.ts'
import { deschedulerAnnotation, endedWith, restarted, waitingFor } from '../cases/parts.ts'
import { anchorLabel, type App } from './draw-apps.ts'
import type { Dice } from './dice.ts'

export interface PodOptions {
  readonly apps: readonly App[]
  readonly nodes: readonly CaseNode[]
  readonly count: number
  /** Shares of pods that are over, beside Pending and Running ones. */
  readonly over?: number
  /** Each pod has a priority of its own: where upstream sorts, equals come in any order. */
  readonly ranked?: boolean
  /** In place of what is usual. */
  readonly more?: () => Partial<CasePod>
}

const phases = ['Pending', 'Running', 'Running', 'Running'] as const
const overPhases = ['Succeeded', 'Failed', 'Failed'] as const

export function drawPods(dice: Dice, options: PodOptions): readonly CasePod[] {
  const { apps, nodes, count, over = 0.15, ranked = false, more = () => ({}) } = options
  const ranks = dice.shuffled(Array.from({ length: count }, (_, index) => index * 7))
  return Array.from({ length: count }, (_, index): CasePod => {
    const app = apps[dice.integer(0, apps.length - 1)]
    if (app === undefined) throw new Error('there are no apps')
    const { name, cpu, owners, labels, images, tolerations, spec, other } = app
    const priority = ranked ? ranks[index] : drawPriority(dice)
    return {
      name: `${name}-${index}`,
      node: drawNode(dice, nodes),
      cpu,
      owners,
      labels,
      images,
      tolerations,
      spec,
      other,
      // Ages differ, because PodLifeTime sorts by them. None is near what a policy asks for.
      ageSeconds: dice.pick([30, 300, 3_000, 7_200, 100_000]) + index,
      phase: dice.chance(over) ? dice.pick(overPhases) : dice.pick(phases),
      annotations: drawAnnotations(dice),
      status: drawStatus(dice),
      ...(priority === undefined ? {} : { priority }),
      ...dice.maybe(0.15, () => ({ limits: { cpu, memory: '64Mi' } })),
      ...dice.maybe(0.03, () => ({ terminating: true })),
      ...more(),
    }
  })
}

function drawNode(dice: Dice, nodes: readonly CaseNode[]): string {
  // The first is the fullest.
  const index = dice.chance(0.4) ? 0 : dice.integer(0, nodes.length - 1)
  return nodes[index]?.name ?? 'n1'
}

function drawPriority(dice: Dice): number | undefined {
  return dice.pick([undefined, undefined, 0, 0, 50, 100, 1_000, dice.chance(0.3) ? 2_000_001_000 : 10])
}

function drawAnnotations(dice: Dice): Readonly<Record<string, string>> {
  return {
    ...dice.maybe(0.06, () => deschedulerAnnotation('evict')),
    ...dice.maybe(0.1, () => deschedulerAnnotation('prefer-no-eviction')),
    ...dice.maybe(0.02, () => ({ 'kubernetes.io/config.mirror': 'x' })),
    ...dice.maybe(0.04, () => ({ 'kubernetes.io/config.source': dice.pick(['api', 'file']) })),
  }
}

function drawStatus(dice: Dice): object {
  return {
    ...dice.maybe(0.7, () => ({ containerStatuses: [drawContainer(dice)] })),
    ...dice.maybe(0.2, () => ({ initContainerStatuses: [drawContainer(dice)] })),
    ...dice.maybe(0.1, () => ({ ephemeralContainerStatuses: [drawContainer(dice)] })),
    ...dice.maybe(0.15, () => ({ reason: dice.pick(['Evicted', 'NodeLost', 'Shutdown']) })),
    ...dice.maybe(0.4, () => ({ conditions: [drawCondition(dice)] })),
    ...dice.maybe(0.03, () => ({ startTime: null })),
    ...dice.maybe(0.3, () => ({ qosClass: dice.pick(['BestEffort', 'Burstable', 'Guaranteed']) })),
  }
}

function drawContainer(dice: Dice): object {
  const state = dice.pick([
    restarted(0),
    restarted(0),
    waitingFor(dice.pick(['CrashLoopBackOff', 'ImagePullBackOff', 'CreateContainerConfigError'])),
    endedWith(dice.pick(['Error', 'OOMKilled', 'Completed']), dice.integer(0, 3)),
  ])
  return { ...state, restartCount: dice.pick([0, 1, 2, 4, 7, 12]) }
}

function drawCondition(dice: Dice): object {
  return {
    type: dice.pick(['Ready', 'PodScheduled']),
    status: dice.pick(['True', 'False', 'False']),
    reason: dice.pick(['ContainersNotReady', 'Unschedulable']),
    lastTransitionTime: dice.pick(['@-60', '@-600', '@-7200']),
  }
}

/** Bare pods that stay, and keep others from their nodes. */
export function drawAnchors(dice: Dice, nodes: readonly CaseNode[]): readonly CasePod[] {
  return dice
    .some(nodes, 0.3)
    .map(({ name }) => ({ name: `anchor-${name}`, node: name, owners: [], labels: { app: anchorLabel }, cpu: '20m' }))
}
