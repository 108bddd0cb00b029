import type { KeyPair } from '../../runtime/certificates.ts'
import { sleep, type Clock } from '../../runtime/clock.ts'
import { acceptedSecrets, secretInUse } from './path-secret.ts'
import {
  caBundleOf,
  decideRenewal,
  makeMaterial,
  nextRenewalMs,
  renewMaterial,
  type ServingNames,
} from './serving-material.ts'

/** The certificate of the webhook listener: as it is now, and kept fresh. */
export interface ServingCertificate {
  serving(): KeyPair
  /** Base64, as webhook configurations have it. */
  caBundle(): string
  /** The secret component of the paths that webhook configurations should have by now. */
  pathSecret(): string
  /** Those that the listener lets in by now. */
  acceptedPathSecrets(): readonly string[]
  /** Renews in time until the signal aborts, then resolves; calls back whenever one of the above has changed. */
  keepFresh(signal: AbortSignal, changed: () => void): Promise<void>
}

/** One that lives and dies with this process: for a Lifeboat that runs outside of its cluster. */
export function makeServingCertificate({
  clock,
  names,
}: {
  readonly clock: Clock
  readonly names: ServingNames
}): ServingCertificate {
  let material = makeMaterial(names, clock.nowMs())
  return {
    serving: () => material.serving,
    caBundle: () => caBundleOf(material),
    pathSecret: () => secretInUse(material.pathSecrets, clock.nowMs()),
    acceptedPathSecrets: () => acceptedSecrets(material.pathSecrets, clock.nowMs()),
    keepFresh: async (signal, changed) => {
      while (await waited(clock, nextRenewalMs(material) - clock.nowMs(), signal)) {
        const renewal = decideRenewal(material, names, clock.nowMs())
        if (renewal === 'none') continue
        material = renewMaterial(material, names, renewal, clock.nowMs())
        changed()
      }
    },
  }
}

/** No timer of months: the machine may sleep, or its clock be set. */
const lookMs = { min: 1_000, max: 24 * 60 * 60 * 1_000 }

/** False: the signal has aborted. */
export async function waited(clock: Clock, delayMs: number, signal: AbortSignal): Promise<boolean> {
  try {
    await sleep(clock, Math.min(Math.max(delayMs, lookMs.min), lookMs.max), signal)
    return true
  } catch (error) {
    if (signal.aborted) return false
    throw error
  }
}
