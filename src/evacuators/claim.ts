import type { Evacuator as Registration } from '../api/evacuation/evacuator.ts'
import { renderEvacuatorAnnotations, validateEvacuatorAnnotations } from '../api/evacuation/evacuator-annotations.ts'
import { renderFieldProblem } from '../api/schema/field-problem.ts'
import type { Pod } from '../api/kubernetes/core.ts'
import { pods } from '../api/kubernetes/resources.ts'
import { annotations } from '../api/names.ts'
import type { PodRef } from '../api/evacuation/pod-reference.ts'
import type { Kube } from '../kube/client/client.ts'
import { isKubeError, unlessNotFound } from '../kube/client/errors.ts'

export type ClaimOutcome =
  /** The pod carries the annotations, now or already before. */
  { readonly kind: 'claimed' } | { readonly kind: 'podGone' } | { readonly kind: 'refused'; readonly message: string }

export type UnclaimOutcome = { readonly kind: 'unclaimed' } | { readonly kind: 'podGone' }

interface Options {
  readonly signal?: AbortSignal
}

type Annotations = Readonly<Record<string, string>>
/** Null takes an annotation away, as in a merge patch. */
type AnnotationChange = Readonly<Record<string, string | null>>

/** For the template of pods that are claimed from birth. Throws what is wrong with the registration. */
export function evacuatorAnnotations(registration: Readonly<Registration>): Record<string, string> {
  const rendered = renderEvacuatorAnnotations(registration)
  const [problem] = validateEvacuatorAnnotations(rendered)
  if (problem !== undefined) throw new TypeError(renderFieldProblem(problem))
  return rendered
}

/** Registers an evacuator on a pod, or changes its priority and role. Evacuations created from then on list it. */
export async function claimPod(
  kube: Kube,
  pod: PodRef,
  registration: Readonly<Registration>,
  options: Options = {},
): Promise<ClaimOutcome> {
  const found = await find(kube, pod, options)
  if (found === undefined) return { kind: 'podGone' }
  const change = claimChange(found.metadata.annotations, registration)
  const problem = problemOf(found.metadata.annotations, change)
  if (problem !== undefined) return { kind: 'refused', message: problem }
  return (await annotate(kube, pod, change, options)) ?? { kind: 'claimed' }
}

/** Takes the registration away. Evacuations that list the evacuator already continue to do so. */
export async function unclaimPod(
  kube: Kube,
  pod: PodRef,
  { evacuatorClass }: Pick<Registration, 'evacuatorClass'>,
  options: Options = {},
): Promise<UnclaimOutcome> {
  const found = await find(kube, pod, options)
  if (found === undefined) return { kind: 'podGone' }
  const change = Object.fromEntries(keysOf(found.metadata.annotations, evacuatorClass).map((key) => [key, null]))
  const outcome = await annotate(kube, pod, change, options)
  if (outcome?.kind === 'refused') throw new Error(outcome.message)
  return outcome ?? { kind: 'unclaimed' }
}

/** What to change so that the class is registered once, whatever hash others have used for it. */
export function claimChange(present: Annotations = {}, registration: Readonly<Registration>): AnnotationChange {
  const wanted = renderEvacuatorAnnotations(registration)
  const outdated = keysOf(present, registration.evacuatorClass).filter((key) => !Object.hasOwn(wanted, key))
  const missing = Object.entries(wanted).filter(([key, value]) => present[key] !== value)
  return Object.fromEntries([...outdated.map((key) => [key, null] as const), ...missing])
}

/** The keys under which a pod registers the class: its own, or a hash with the key that explains it. */
function keysOf(present: Annotations = {}, evacuatorClass: string): string[] {
  const hashKeys = Object.keys(present).filter(
    (key) => key.startsWith(annotations.evacuatorHashPrefix) && present[key] === evacuatorClass,
  )
  const hashes = hashKeys.map((key) => key.slice(annotations.evacuatorHashPrefix.length))
  const priorityKeys = [evacuatorClass, ...hashes].map((name) => `${annotations.evacuatorPriorityPrefix}${name}`)
  return [...hashKeys, ...priorityKeys].filter((key) => Object.hasOwn(present, key))
}

/** What is wrong after the change and was not before: others' mistakes are not ours. */
function problemOf(present: Annotations = {}, change: AnnotationChange): string | undefined {
  const after = Object.entries({ ...present, ...change }).filter(
    (entry): entry is [string, string] => entry[1] !== null,
  )
  const before = new Set(validateEvacuatorAnnotations(present).map(renderFieldProblem))
  const problems = validateEvacuatorAnnotations(Object.fromEntries(after)).map(renderFieldProblem)
  return problems.find((problem) => !before.has(problem))
}

async function annotate(
  kube: Kube,
  pod: PodRef,
  change: AnnotationChange,
  options: Options,
): Promise<Exclude<ClaimOutcome, { kind: 'claimed' }> | undefined> {
  if (Object.keys(change).length === 0) return undefined
  const body = { metadata: { uid: pod.uid, annotations: change } }
  try {
    await kube.patch(pods, pod, { type: 'merge', body }, { signal: options.signal })
    return undefined
  } catch (error) {
    if (!isKubeError(error, 'notFound', 'conflict', 'invalid', 'forbidden')) throw error
    // A UID that is not the pod's makes the patch invalid, and so do other things.
    const isThere = error.kind !== 'notFound' && (await find(kube, pod, options)) !== undefined
    return isThere ? { kind: 'refused', message: error.message } : { kind: 'podGone' }
  }
}

async function find(kube: Kube, pod: PodRef, { signal }: Options): Promise<Pod | undefined> {
  const found = await unlessNotFound(kube.get(pods, pod, { signal }))
  return found?.metadata.uid === pod.uid ? found : undefined
}
