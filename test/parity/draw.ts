import { seededRandom } from '../../src/runtime/random.ts'
import type { ParityCase } from './case.ts'
import { duplicates, highNodeUtilization, lowNodeUtilization, topologySpread } from './draw/balance-draws.ts'
import {
  failedPods,
  interPodAntiAffinity,
  nodeAffinity,
  nodeTaints,
  podLifeTime,
  tooManyRestarts,
  type Draw,
} from './draw/deschedule-draws.ts'
import { Dice } from './draw/dice.ts'

// Random clusters and policies. What upstream leaves to chance, or to a race between its evictions and its copy of the
// cluster, is not drawn or only counted; each draw says how.

const draws: readonly [Draw, ...Draw[]] = [
  podLifeTime,
  failedPods,
  tooManyRestarts,
  nodeTaints,
  nodeAffinity,
  interPodAntiAffinity,
  duplicates,
  lowNodeUtilization,
  highNodeUtilization,
  topologySpread,
]

/** The same seed draws the same case. Seeds in a row take the plugins in turn. */
export function drawCase(seed: number): ParityCase {
  const dice = new Dice(seededRandom(seed).stream('parity'))
  const draw = draws[seed % draws.length] ?? draws[0]
  const drawn = draw(dice)
  return {
    name: `${drawn.policy.plugin}, seed ${seed}`,
    ...drawn,
    namespaceLabels: dice.chance(0.9) ? { team: 'blue' } : {},
    budgets: dice.chance(0.9) ? [{ name: 'front', matchLabels: { tier: 'front' } }] : [],
    claims: [
      { name: 'fast', storageClass: 'fast' },
      { name: 'slow', storageClass: 'slow' },
    ],
  }
}
