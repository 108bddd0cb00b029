import type { Toleration } from '../../../src/api/kubernetes/scheduling.ts'
import { avoids, hostname, requiresNodes, zone } from '../cases/parts.ts'
import type { Dice } from './dice.ts'

/** What pods of one owner have in common. */
export interface App {
  readonly name: string
  readonly owners: readonly string[]
  readonly labels: Readonly<Record<string, string>>
  readonly images: readonly string[]
  readonly cpu: string
  readonly tolerations: readonly Toleration[]
  readonly spec: object
  readonly other: boolean
}

export interface AppOptions {
  readonly count?: number
  /** What an app has in place of the usual spec. */
  readonly specOf?: (usual: object, name: string) => object
  /** Of apps with a required, and of those with a preferred node affinity. */
  readonly bound?: number
  /** A second owner makes RemoveDuplicates meet a pod twice, and what leaves then is random. */
  readonly twoOwners?: boolean
  /** Against pods that stay: with nodeFit, whether a pod that left is still in the way is a race. */
  readonly avoidsAnchors?: boolean
}

/** Bare pods with this label stay, and nothing else has it. */
export const anchorLabel = 'anchor'

const tolerationChoices: readonly [Toleration, ...Toleration[]] = [
  { key: 'dedicated', operator: 'Equal', value: 'a', effect: 'NoSchedule' },
  { key: 'dedicated', operator: 'Exists' },
  { key: 'level', operator: 'Gt', value: '3' },
  { key: 'level', operator: 'Lt', value: '3' },
  { key: 'soft', operator: 'Exists' },
  { key: 'hard', operator: 'Exists', effect: 'NoExecute' },
  { operator: 'Exists' },
]

const kinds = ['ReplicaSet', 'ReplicaSet', 'StatefulSet', 'Job'] as const

export function drawApps(dice: Dice, options: AppOptions = {}): readonly App[] {
  return Array.from({ length: options.count ?? dice.integer(2, 5) }, (_, index): App => {
    const name = `app-${index}`
    // The first one has nothing that protects its pods, so that something leaves.
    const isPlain = index === 0
    const owner = `${!isPlain && dice.chance(0.08) ? 'DaemonSet' : dice.pick(kinds)}/${name}`
    const isBare = !isPlain && dice.chance(0.08)
    const isShared = options.twoOwners !== false && dice.chance(0.06)
    const usual = { ...drawPlaces(dice, options), ...(isPlain ? {} : drawExtras(dice)) }
    return {
      name,
      owners: isBare ? [] : isShared ? [owner, `${dice.pick(['DaemonSet', 'Job'])}/second`] : [owner],
      labels: { app: name, tier: isPlain ? 'front' : dice.pick(['front', 'back']) },
      images: dice.pick([['web:1'], ['web:1'], ['web:1', 'proxy:1'], ['proxy:1', 'web:1']]),
      cpu: dice.pick(['50m', '100m', '200m', '400m']),
      tolerations: dice.chance(0.5) ? dice.some(tolerationChoices, 0.3) : [],
      spec: options.specOf?.(usual, name) ?? usual,
      other: !isPlain && dice.chance(0.3),
    }
  })
}

/** Where the pods may be, and where they would rather be. */
function drawPlaces(dice: Dice, { avoidsAnchors = true, bound = 0.2 }: AppOptions): object {
  const nodeSelector = dice.maybe(0.15, () => ({ nodeSelector: { pool: dice.pick(['x', 'x', 'y', 'none']) } }))
  const required = dice.maybe(
    bound,
    () => requiresNodes(zone, dice.pick(['a', 'b', 'c']), dice.pick(['a', 'b'])).affinity.nodeAffinity,
  )
  const preferred = dice.maybe(bound, () => drawPreferences(dice))
  const avoided = dice.maybe(
    avoidsAnchors ? 0.2 : 0,
    () => avoids(anchorLabel, dice.pick([hostname, zone, 'rack'])).affinity,
  )
  const nodeAffinity = { ...required, ...preferred }
  const affinity = { ...(Object.keys(nodeAffinity).length === 0 ? {} : { nodeAffinity }), ...avoided }
  return { ...nodeSelector, affinity }
}

export function drawPreferences(dice: Dice): object {
  return {
    preferredDuringSchedulingIgnoredDuringExecution: Array.from({ length: dice.integer(1, 3) }, () => ({
      weight: dice.integer(1, 10),
      preference: {
        matchExpressions: [
          dice.pick([
            { key: zone, operator: 'In', values: [dice.pick(['a', 'b', 'c'])] },
            { key: 'pool', operator: 'NotIn', values: ['x'] },
            { key: zone, operator: 'Exists' },
          ]),
        ],
      },
    })),
  }
}

function drawExtras(dice: Dice): object {
  return {
    ...dice.maybe(0.25, () => ({
      volumes: [
        dice.pick<object>([
          { name: 'v', emptyDir: {} },
          { name: 'v', hostPath: { path: '/data' } },
          { name: 'v', persistentVolumeClaim: { claimName: 'fast' } },
          { name: 'v', persistentVolumeClaim: { claimName: 'slow' } },
          { name: 'v', persistentVolumeClaim: { claimName: 'missing' } },
          { name: 'v', ephemeral: { volumeClaimTemplate: { spec: {} } } },
        ]),
      ],
    })),
    ...dice.maybe(0.05, () => ({ resourceClaims: [{ name: 'device', resourceClaimName: 'device' }] })),
    ...dice.maybe(0.1, () => ({
      initContainers: [{ name: 'i0', image: 'init:1', resources: { requests: { cpu: dice.pick(['50m', '300m']) } } }],
    })),
    ...dice.maybe(0.05, () => ({ overhead: { cpu: '50m' } })),
  }
}
