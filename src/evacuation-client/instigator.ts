import type { Evacuator } from '../api/evacuation/evacuator.ts'
import type { PodRef } from '../api/evacuation/pod-reference.ts'
import type { Pod } from '../api/kubernetes/core.ts'
import type { Kube } from '../kube/client/client.ts'
import { requestForPod } from './build-evacuation.ts'
import {
  requestEvacuation,
  withdrawEvacuation,
  type RequestOutcome,
  type WithdrawOutcome,
} from './request-evacuation.ts'

/** The built-in evacuators that claim a pod. The manager knows them. `isFresh`: not from what was read a moment ago. */
export type ClaimsLookup = (
  pod: Pod,
  options: { readonly isFresh: boolean; readonly signal: AbortSignal },
) => Promise<readonly Evacuator[]>

export interface InstigatorOptions {
  readonly kube: Kube
  readonly claims: ClaimsLookup
  /** Whether this evacuator takes its hold before anything else: it has it from the start then, for one write less. */
  readonly takesHold: (evacuatorClass: string) => boolean
}

/**
 * Wants pods gone in one name, by Lifeboat's own account. Its writes skip its webhook, so what that would put into an
 * Evacuation is in it from the start: the same evacuators by the same function, the labels of the pod, and its node.
 */
export class Instigator {
  readonly #name: string
  readonly #options: InstigatorOptions

  constructor(name: string, options: InstigatorOptions) {
    this.#name = name
    this.#options = options
  }

  /** Takes the pod as it is in the cluster, not a reduced view of it. */
  async request(
    pod: Pod,
    signal: AbortSignal,
    annotations: Readonly<Record<string, string>> = {},
  ): Promise<RequestOutcome> {
    const { kube, claims, takesHold } = this.#options
    const request = requestForPod(pod, await claims(pod, { isFresh: false, signal }))
    const beginner = request.evacuators[0]?.evacuatorClass
    const heldBy = beginner !== undefined && takesHold(beginner) ? { heldBy: beginner } : {}
    return requestEvacuation(kube, { ...request, ...heldBy, instigator: this.#name, annotations, signal })
  }

  withdraw(pod: PodRef, signal: AbortSignal): Promise<WithdrawOutcome> {
    return withdrawEvacuation(this.#options.kube, { instigator: this.#name, pod, signal })
  }
}
