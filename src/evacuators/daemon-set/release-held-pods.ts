import type { Pod } from '../../api/kubernetes/core.ts'
import { pods } from '../../api/kubernetes/resources.ts'
import { heldLabel, isHeld, releasingPatch } from '../../api/maintenance/maintenance-hold.ts'
import { keyOf, type Kube } from '../../kube/client/client.ts'
import { isKubeError, unlessNotFound } from '../../kube/client/errors.ts'
import { sleep, type Clock } from '../../runtime/clock.ts'
import type { Controller } from '../../runtime/controller.ts'
import type { Log } from '../../runtime/log.ts'
import { untilAborted } from '../../runtime/until-aborted.ts'

const limits = { atOnce: 10, conflictsMax: 5, sweepEveryMs: 30_000 }

/** Lets every held pod go, whatever is said of its node; resolves to how many there were. */
export async function releaseHeldPods(kube: Kube, signal?: AbortSignal): Promise<number> {
  // By the gate and not by the label, which a user may have taken off: a pod with a gate has no node.
  const { items } = await kube.list(pods, { fieldSelector: 'spec.nodeName=', signal })
  const held = items.filter((pod) => isHeld(pod) || pod.metadata.labels?.[heldLabel.key] !== undefined)
  for (let from = 0; from < held.length; from += limits.atOnce) {
    await Promise.all(held.slice(from, from + limits.atOnce).map((pod) => releaseOne(kube, pod, signal)))
  }
  return held.length
}

async function releaseOne(kube: Kube, listed: Pod, signal: AbortSignal | undefined): Promise<void> {
  let pod = listed
  for (let conflicts = 0; ; conflicts++) {
    try {
      await kube.patch(pods, keyOf(pod), { type: 'merge', body: releasingPatch(pod) }, { signal })
      return
    } catch (error) {
      if (isKubeError(error, 'notFound')) return
      if (!isKubeError(error, 'conflict') || conflicts >= limits.conflictsMax) throw error
    }
    const again = await unlessNotFound(kube.get(pods, keyOf(pod), { signal }))
    if (again === undefined || again.metadata.uid !== listed.metadata.uid) return
    pod = again
  }
}

/** With its gate off Lifeboat holds no pods, and this lets go of those that were held before. Follows nothing. */
export class FormerlyHeldPods implements Controller {
  readonly name = 'daemon-set/formerly-held-pods'
  readonly #options: { readonly kube: Kube; readonly clock: Clock; readonly log: Log }

  constructor(options: { readonly kube: Kube; readonly clock: Clock; readonly log: Log }) {
    this.#options = options
  }

  follow(signal: AbortSignal): Promise<void> {
    return untilAborted(signal)
  }

  async synced(): Promise<void> {}

  async lead(signal: AbortSignal): Promise<void> {
    const { kube, clock, log } = this.#options
    // The webhook of an earlier start may be asked for some seconds yet: it is over when twice there was nothing.
    let nothing = 0
    while (!signal.aborted && nothing < 2) {
      try {
        const released = await releaseHeldPods(kube, signal)
        nothing = released === 0 ? nothing + 1 : 0
        if (released > 0) log.info({ released }, 'DaemonSet pods may go back to their nodes')
      } catch (error) {
        if (!signal.aborted) log.warn({ err: error }, 'cannot release held DaemonSet pods, trying again')
      }
      if (nothing < 2) await sleep(clock, limits.sweepEveryMs, signal).catch(() => {})
    }
    await untilAborted(signal)
  }
}
