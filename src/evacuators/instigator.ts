import { evacuationName } from '../api/evacuation/evacuation-name.ts'
import { evacuationLimits, evacuations, type Evacuation } from '../api/evacuation/evacuation.ts'
import type { Evacuator } from '../api/evacuation/evacuator.ts'
import {
  holdsOf,
  instigatorFinalizer,
  withFinalizer,
  withoutFinalizer,
} from '../api/evacuation/instigator-finalizers.ts'
import { pods } from '../api/kubernetes/resources.ts'
import { annotations } from '../api/names.ts'
import type { PodRef } from '../api/evacuation/pod-reference.ts'
import { dnsSubdomainPattern } from '../api/schema/schema.ts'
import { keyOf, type Kube } from '../kube/client/client.ts'
import { isKubeError, type KubeError, unlessNotFound } from '../kube/client/errors.ts'

export interface EvacuationWish {
  /** DNS subdomain of who wants the pod gone, such as descheduler.example.com. Not the class of an evacuator. */
  readonly instigator: string
  readonly pod: PodRef
  readonly signal?: AbortSignal
}

export interface EvacuationRequest extends EvacuationWish {
  /** How long an evacuator may be silent: 600 to 21600, 1800 if left out. Counts only where the Evacuation is new. */
  readonly progressDeadlineSeconds?: number
  /** Beside those of the pod. Counts only where the Evacuation is new. */
  readonly evacuators?: readonly Evacuator[]
  /** Beside those of the pod. Counts only where the Evacuation is new. */
  readonly labels?: Readonly<Record<string, string>>
  /** Where the pod is. Counts only where the Evacuation is new. */
  readonly node?: string
  /** Counts only where the Evacuation is new. */
  readonly annotations?: Readonly<Record<string, string>>
  /** The evacuator that will begin, for who knows that it takes a hold first: it has it then. Counts only as above. */
  readonly heldBy?: string
}

export type RequestOutcome =
  /** The Evacuation is there, and carries the finalizer of the instigator. */
  | { readonly kind: 'requested'; readonly evacuation: Evacuation }
  /** There is nothing to evacuate: the pod does not exist, or another one has its name. */
  | { readonly kind: 'podGone' }
  /**
   * Somebody deleted the Evacuation of the pod, and things are being put back. It does not carry the finalizer of the
   * instigator any more: ask again once it is gone.
   */
  | { readonly kind: 'beingCancelled'; readonly evacuation: Evacuation }
  | { readonly kind: 'refused'; readonly message: string }

/** `absent`: there was no such finalizer, or no Evacuation. */
export type WithdrawOutcome = { readonly kind: 'withdrawn' } | { readonly kind: 'absent' }

const attemptsMax = 10

/** Wants a pod gone: creates its Evacuation, or joins the one that is there. As often as one likes. */
export async function requestEvacuation(kube: Kube, request: EvacuationRequest): Promise<RequestOutcome> {
  if (!new RegExp(dnsSubdomainPattern).test(request.instigator)) {
    const message = `instigator is "${request.instigator}": it must be a DNS subdomain, such as descheduler.example.com`
    return { kind: 'refused', message }
  }
  for (let attempts = 1; ; attempts++) {
    const outcome = (await createEvacuation(kube, request)) ?? (await joinEvacuation(kube, request))
    if (outcome !== undefined) return outcome
    if (attempts >= attemptsMax) {
      return { kind: 'refused', message: `the Evacuation changed ${attemptsMax} times while it was written` }
    }
  }
}

/** No longer wants it. Takes away its own finalizer only: others may still want the pod gone. */
export async function withdrawEvacuation(kube: Kube, wish: EvacuationWish): Promise<WithdrawOutcome> {
  for (let attempts = 1; ; attempts++) {
    const evacuation = await find(kube, wish)
    const finalizer = instigatorFinalizer(wish.instigator)
    if (evacuation?.metadata.finalizers?.includes(finalizer) !== true) return { kind: 'absent' }
    try {
      await setFinalizers(kube, evacuation, withoutFinalizer(evacuation.metadata.finalizers, finalizer), wish)
      return { kind: 'withdrawn' }
    } catch (error) {
      if (!isKubeError(error, 'conflict', 'notFound') || attempts >= attemptsMax) throw error
    }
  }
}

/** The Evacuation by which an instigator asks for a pod to leave. */
export function buildEvacuation(request: EvacuationRequest): Evacuation {
  const { instigator, pod, progressDeadlineSeconds, evacuators, labels, heldBy, node } = request
  return {
    metadata: {
      namespace: pod.namespace,
      name: evacuationName(pod),
      finalizers: [instigator, ...(heldBy === undefined ? [] : [heldBy])].map(instigatorFinalizer),
      ...(labels === undefined ? {} : { labels: { ...labels } }),
      ...(node === undefined && request.annotations === undefined
        ? {}
        : {
            annotations: {
              ...request.annotations,
              ...(node === undefined ? {} : { [annotations.evacuatedFrom]: node }),
            },
          }),
    },
    spec: {
      podRef: { name: pod.name, uid: pod.uid },
      progressDeadlineSeconds: progressDeadlineSeconds ?? evacuationLimits.progressDeadlineSecondsDefault,
      ...(evacuators === undefined ? {} : { evacuators: [...evacuators] }),
    },
  }
}

/** Undefined: there is one already. */
async function createEvacuation(kube: Kube, request: EvacuationRequest): Promise<RequestOutcome | undefined> {
  try {
    const evacuation = await kube.create(evacuations, buildEvacuation(request), { signal: request.signal })
    return await unlessMistaken(kube, evacuation, request)
  } catch (error) {
    if (isKubeError(error, 'alreadyExists')) return undefined
    if (isKubeError(error, 'invalid', 'forbidden', 'notFound', 'badRequest')) return whyRefused(kube, request, error)
    throw error
  }
}

/** Undefined: somebody else was faster, or it is gone by now. */
async function joinEvacuation(kube: Kube, request: EvacuationRequest): Promise<RequestOutcome | undefined> {
  const evacuation = await find(kube, request)
  if (evacuation === undefined) return undefined
  const finalizer = instigatorFinalizer(request.instigator)
  if (evacuation.metadata.deletionTimestamp !== undefined) {
    // It would keep the object, and with it the pod, for good.
    if (evacuation.metadata.finalizers?.includes(finalizer) === true) await withdrawEvacuation(kube, request)
    return { kind: 'beingCancelled', evacuation }
  }
  if (evacuation.metadata.finalizers?.includes(finalizer) === true) return unlessMistaken(kube, evacuation, request)
  try {
    const all = withFinalizer(evacuation.metadata.finalizers, finalizer)
    return await unlessMistaken(kube, await setFinalizers(kube, evacuation, all, request), request)
  } catch (error) {
    if (isKubeError(error, 'conflict', 'notFound')) return undefined
    if (isKubeError(error, 'invalid', 'forbidden')) return { kind: 'refused', message: error.message }
    throw error
  }
}

/** A finalizer that bears the class of an evacuator is that evacuator's hold: nobody would take it for a wish. */
async function unlessMistaken(kube: Kube, evacuation: Evacuation, request: EvacuationRequest): Promise<RequestOutcome> {
  const { instigator } = request
  if (!holdsOf(evacuation).includes(instigatorFinalizer(instigator))) return { kind: 'requested', evacuation }
  await withdrawEvacuation(kube, request)
  const message = `instigator is "${instigator}": it must not be the class of an evacuator of the pod`
  return { kind: 'refused', message }
}

async function whyRefused(kube: Kube, { pod, signal }: EvacuationRequest, error: KubeError): Promise<RequestOutcome> {
  const refused = { kind: 'refused', message: error.message } as const
  try {
    const found = await kube.get(pods, pod, { signal })
    return found.metadata.uid === pod.uid ? refused : { kind: 'podGone' }
  } catch (podError) {
    return isKubeError(podError, 'notFound') ? { kind: 'podGone' } : refused
  }
}

async function find(kube: Kube, { pod, signal }: EvacuationWish): Promise<Evacuation | undefined> {
  return unlessNotFound(kube.get(evacuations, { namespace: pod.namespace, name: evacuationName(pod) }, { signal }))
}

function setFinalizers(
  kube: Kube,
  evacuation: Evacuation,
  finalizers: readonly string[],
  { signal }: EvacuationWish,
): Promise<Evacuation> {
  const { resourceVersion } = evacuation.metadata
  const body = { metadata: { resourceVersion, finalizers } }
  return kube.patch(evacuations, keyOf(evacuation), { type: 'merge', body }, { signal })
}
