import type { Comparable } from '../case.ts'
import type { Dice } from './dice.ts'

export interface EvictorOptions {
  readonly nodeFit?: boolean
  /** It counts pods, and whether one that left still counts is a race wherever upstream looks between two evictions. */
  readonly minReplicas?: boolean
}

const disabled = ['PodsWithLocalStorage', 'DaemonSetPods', 'SystemCriticalPods', 'FailedBarePods'] as const
const extra = ['PodsWithPVC', 'PodsWithoutPDB', 'PodsWithResourceClaims'] as const

/** At most two restrictions: a draw in which nothing leaves says little. */
export function drawEvictor(dice: Dice, { nodeFit = true, minReplicas = false }: EvictorOptions): object {
  const restrictions: readonly [object, ...object[]] = [
    { labelSelector: drawSelector(dice) },
    { priorityThreshold: { value: dice.pick([50, 100, 1_000, 1_000]) } },
    { minPodAge: dice.pick(['2m', '2m', '30m0s', '1h20m']) },
    { noEvictionPolicy: dice.pick(['Mandatory', 'Preferred']) },
    { namespaceLabelSelector: { matchLabels: { team: 'blue' } } },
    ...(minReplicas ? [{ minReplicas: dice.integer(2, 5) }] : []),
  ]
  return {
    ...drawProtections(dice),
    ...dice.maybe(nodeFit ? 0.4 : 0, () => ({ nodeFit: true })),
    ...dice.maybe(0.5, () => dice.pick(restrictions)),
    ...dice.maybe(0.2, () => dice.pick(restrictions)),
  }
}

function drawProtections(dice: Dice): object {
  if (dice.chance(0.4)) return {}
  if (dice.chance(0.5)) {
    const switches = ['evictLocalStoragePods', 'evictDaemonSetPods', 'evictSystemCriticalPods', 'evictFailedBarePods']
    const on = [...dice.some(switches, 0.5), ...dice.some(['ignorePvcPods'], 0.3)]
    return Object.fromEntries([...on, ...dice.some(['ignorePodsWithoutPDB'], 0.2)].map((name) => [name, true]))
  }
  const extraEnabled = extra.filter((name) => dice.chance(name === 'PodsWithoutPDB' ? 0.2 : 0.4))
  const withClasses = { config: { PodsWithPVC: { protectedStorageClasses: [{ name: 'fast' }] } } }
  const config = extraEnabled.includes('PodsWithPVC') ? dice.maybe(0.5, () => withClasses) : {}
  return { podProtections: { defaultDisabled: dice.some(disabled, 0.4), extraEnabled, ...config } }
}

function drawSelector(dice: Dice): object {
  return dice.pick<object>([
    { matchLabels: { tier: 'front' } },
    { matchExpressions: [{ key: 'app', operator: 'NotIn', values: ['app-0'] }] },
    { matchExpressions: [{ key: 'app', operator: 'In', values: ['app-0', 'app-1'] }] },
    { matchExpressions: [{ key: 'tier', operator: 'Exists' }] },
  ])
}

/** Which pods a plugin lists. */
export function drawSelection(dice: Dice, { labels = true } = {}): object {
  return {
    ...dice.maybe(0.15, () => ({
      namespaces: dice.pick<object>([{ include: ['NS'] }, { include: ['NS', 'NS-other'] }, { exclude: ['NS-other'] }]),
    })),
    ...dice.maybe(labels ? 0.1 : 0, () => ({ labelSelector: drawSelector(dice) })),
  }
}

export interface DrawnLimits {
  readonly top?: object
  /** Which pods are cut is random, how many is not. */
  readonly compare?: Comparable
}

/** One kind of limit at a time: of two, the order in which upstream happens to meet pods decides which one cuts. */
export function drawLimits(dice: Dice): DrawnLimits {
  if (dice.chance(0.75)) return {}
  return dice.pick<DrawnLimits>([
    { top: { maxNoOfPodsToEvictTotal: dice.integer(1, 6) }, compare: 'count' },
    { top: { maxNoOfPodsToEvictPerNode: dice.integer(1, 3) }, compare: 'perNode' },
    { top: { maxNoOfPodsToEvictPerNamespace: dice.integer(1, 5) }, compare: 'perNamespace' },
  ])
}

/** For plugins whose order is known, so that limits cut the same pods. */
export function drawAnyLimits(dice: Dice): object {
  return {
    ...dice.maybe(0.15, () => ({ maxNoOfPodsToEvictTotal: dice.pick([0, 1, 2, 4, 8]) })),
    ...dice.maybe(0.15, () => ({ maxNoOfPodsToEvictPerNode: dice.integer(1, 4) })),
    ...dice.maybe(0.15, () => ({ maxNoOfPodsToEvictPerNamespace: dice.integer(1, 6) })),
  }
}
