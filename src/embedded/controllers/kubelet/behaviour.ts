import { isDeepStrictEqual } from 'node:util'
import type { KubernetesObject } from '../../../api/kubernetes/meta.ts'

/** How a pod is to behave, as its annotations say: the same that the test cluster's stages read. */
export interface Behaviour {
  readonly readyAfterMs: number | undefined
  readonly completeAfterMs: number
  readonly terminateAfterMs: number | undefined
  readonly neverReady: boolean
  readonly crashes: boolean
  readonly fails: boolean
  readonly imagePullFails: boolean
}

const prefix = 'lifeboat.test/'
const unitsMs: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000 }
const completeAfterDefaultMs = 1_000

export function behaviourOf({ metadata }: KubernetesObject): Behaviour {
  const annotation = (name: string) => metadata.annotations?.[`${prefix}${name}`]
  return {
    readyAfterMs: parseDurationMs(annotation('ready-after')),
    completeAfterMs: parseDurationMs(annotation('complete-after')) ?? completeAfterDefaultMs,
    terminateAfterMs: parseDurationMs(annotation('terminate-after')),
    neverReady: annotation('never-ready') === 'true',
    crashes: annotation('crash') === 'true',
    fails: annotation('fails') === 'true',
    imagePullFails: annotation('image-pull') === 'fails',
  }
}

/** Whether two versions of a pod behave alike. */
export function areSameBehaviours(one: KubernetesObject, other: KubernetesObject): boolean {
  return (
    one.metadata.annotations === other.metadata.annotations || isDeepStrictEqual(behaviourOf(one), behaviourOf(other))
  )
}

/** `500ms`, `5s`, `1m`; anything else is as if it were not there. */
export function parseDurationMs(text: string | undefined): number | undefined {
  const [, count, unit = ''] = /^([0-9.]+)(ms|s|m)$/.exec(text ?? '') ?? []
  const factor = unitsMs[unit]
  const value = Number(count)
  return factor === undefined || !Number.isFinite(value) ? undefined : value * factor
}
