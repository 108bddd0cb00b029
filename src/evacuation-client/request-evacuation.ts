import { evacuations, type Evacuation } from '../api/evacuation/evacuation.ts'
import { holdsOf, instigatorFinalizer, withoutFinalizer } from '../api/evacuation/instigator-finalizers.ts'
import { pods } from '../api/kubernetes/resources.ts'
import { dnsSubdomainPattern } from '../api/schema/schema.ts'
import { keyOf, type Kube } from '../kube/client/client.ts'
import { isKubeError, type KubeError, unlessNotFound } from '../kube/client/errors.ts'
import { buildEvacuation, joiningPatch, type EvacuationRequest, type EvacuationWish } from './build-evacuation.ts'
import { evacuationKeyOf } from './evacuation-key.ts'

export type RequestOutcome =
  /** The Evacuation is there, and carries the finalizer of the instigator. */
  | { readonly kind: 'requested'; readonly evacuation: Evacuation }
  /** There is nothing to evacuate: the pod does not exist, or another one has its name. */
  | { readonly kind: 'podGone' }
  /**
   * The Evacuation of the pod was deleted, and things are being put back. It does not carry the finalizer of the
   * instigator any more: ask again once it is gone.
   */
  | { readonly kind: 'beingCancelled'; readonly evacuation: Evacuation }
  | { readonly kind: 'refused'; readonly message: string; readonly error?: KubeError }

/** `absent`: there was no such finalizer, or no Evacuation. */
export type WithdrawOutcome = { readonly kind: 'withdrawn' } | { readonly kind: 'absent' }

/** What of the client these need. */
export type EvacuationKube = Pick<Kube, 'create' | 'get' | 'patch'>

const attemptsMax = 10

/** Wants a pod gone: creates its Evacuation, or joins the one that is there. As often as one likes. */
export function requestEvacuation(kube: EvacuationKube, request: EvacuationRequest): Promise<RequestOutcome> {
  return joinOrCreate(kube, request, { whenNew: async () => request })
}

/**
 * The same where most requests join: `known` is the Evacuation, if it was just read, and what only a new one needs is
 * asked for if there is to be one.
 */
export async function joinOrCreate(
  kube: EvacuationKube,
  wish: EvacuationWish,
  { known, whenNew }: { readonly known?: Evacuation | undefined; readonly whenNew: () => Promise<EvacuationRequest> },
): Promise<RequestOutcome> {
  if (!new RegExp(dnsSubdomainPattern).test(wish.instigator)) {
    const message = `instigator is "${wish.instigator}": it must be a DNS subdomain, such as descheduler.example.com`
    return { kind: 'refused', message }
  }
  let existing = known
  for (let attempts = 1; attempts <= attemptsMax; attempts++) {
    const outcome =
      existing === undefined
        ? await createEvacuation(kube, await whenNew())
        : await joinEvacuation(kube, wish, existing)
    if (outcome !== undefined) return outcome
    existing = await find(kube, wish)
  }
  return { kind: 'refused', message: `the Evacuation changed ${attemptsMax} times while it was written` }
}

/** No longer wants it. Takes away its own finalizer only: others may still want the pod gone. */
export async function withdrawEvacuation(kube: EvacuationKube, wish: EvacuationWish): Promise<WithdrawOutcome> {
  const finalizer = instigatorFinalizer(wish.instigator)
  for (let attempts = 1; ; attempts++) {
    const evacuation = await find(kube, wish)
    if (evacuation?.metadata.finalizers?.includes(finalizer) !== true) return { kind: 'absent' }
    const { finalizers, resourceVersion } = evacuation.metadata
    const body = { metadata: { resourceVersion, finalizers: withoutFinalizer(finalizers, finalizer) } }
    try {
      await kube.patch(evacuations, keyOf(evacuation), { type: 'merge', body }, { signal: wish.signal })
      return { kind: 'withdrawn' }
    } catch (error) {
      if (!isKubeError(error, 'conflict', 'notFound') || attempts >= attemptsMax) throw error
    }
  }
}

/** Whether the API server would take this Evacuation; rejects with what it says if it would not. */
export async function rehearseEvacuation(kube: Pick<Kube, 'create'>, request: EvacuationRequest): Promise<void> {
  await kube.create(evacuations, buildEvacuation(request), { dryRun: true, signal: request.signal })
}

/** Undefined: there is one already. */
async function createEvacuation(kube: EvacuationKube, request: EvacuationRequest): Promise<RequestOutcome | undefined> {
  try {
    const evacuation = await kube.create(evacuations, buildEvacuation(request), { signal: request.signal })
    return await unlessMistaken(kube, evacuation, request)
  } catch (error) {
    if (isKubeError(error, 'alreadyExists')) return undefined
    if (isKubeError(error, 'invalid', 'forbidden', 'notFound', 'badRequest')) return whyRefused(kube, request, error)
    throw error
  }
}

/** Undefined: another client was faster, or it is gone by now. */
async function joinEvacuation(
  kube: EvacuationKube,
  request: EvacuationWish,
  evacuation: Evacuation,
): Promise<RequestOutcome | undefined> {
  if (evacuation.metadata.deletionTimestamp !== undefined) {
    // It would keep the object, and with it the pod, for good.
    const isHeld = evacuation.metadata.finalizers?.includes(instigatorFinalizer(request.instigator)) === true
    if (isHeld) await withdrawEvacuation(kube, request)
    return { kind: 'beingCancelled', evacuation }
  }
  const body = joiningPatch(evacuation, request)
  if (body === undefined) return unlessMistaken(kube, evacuation, request)
  try {
    const options = { signal: request.signal }
    const joined = await kube.patch(evacuations, keyOf(evacuation), { type: 'merge', body }, options)
    return await unlessMistaken(kube, joined, request)
  } catch (error) {
    if (isKubeError(error, 'conflict', 'notFound')) return undefined
    if (isKubeError(error, 'invalid', 'forbidden')) return { kind: 'refused', message: error.message, error }
    throw error
  }
}

/** A finalizer that bears the class of an evacuator is that evacuator's hold: it would not count as a wish. */
async function unlessMistaken(
  kube: EvacuationKube,
  evacuation: Evacuation,
  request: EvacuationWish,
): Promise<RequestOutcome> {
  const { instigator } = request
  if (!holdsOf(evacuation).includes(instigatorFinalizer(instigator))) return { kind: 'requested', evacuation }
  await withdrawEvacuation(kube, request)
  const message = `instigator is "${instigator}": it must not be the class of an evacuator of the pod`
  return { kind: 'refused', message }
}

async function whyRefused(
  kube: EvacuationKube,
  { pod, signal }: EvacuationRequest,
  error: KubeError,
): Promise<RequestOutcome> {
  const refused = { kind: 'refused', message: error.message, error } as const
  try {
    const found = await kube.get(pods, pod, { signal })
    return found.metadata.uid === pod.uid ? refused : { kind: 'podGone' }
  } catch (podError) {
    return isKubeError(podError, 'notFound') ? { kind: 'podGone' } : refused
  }
}

async function find(kube: EvacuationKube, { pod, signal }: EvacuationWish): Promise<Evacuation | undefined> {
  return unlessNotFound(kube.get(evacuations, evacuationKeyOf(pod), { signal }))
}
