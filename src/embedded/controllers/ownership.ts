import { keyOf, type Stored } from '../server/store.ts'
import { ownKey } from './control-loop.ts'
import type { LabelSelector, NamespacedMeta, ObjectMeta, OwnerReference } from '../../api/kubernetes/meta.ts'
import { matchesLabelSelector } from '../../api/kubernetes/label-selector.ts'
import type { ControllerParts, ObjectName } from './controller.ts'
import { ignoring } from './outcome.ts'

type Owned = { readonly metadata: ObjectMeta }

export function controllerOf(metadata: ObjectMeta): OwnerReference | undefined {
  return metadata.ownerReferences?.find(({ controller }) => controller === true)
}

/** The group that an index keeps an object in: its controller's, or that of the orphans of its namespace. */
export function ownerGroup(metadata: NamespacedMeta): string {
  return controllerOf(metadata)?.uid ?? orphansOf(metadata.namespace)
}

/** The same for who looks at objects of one kind of controller, and at orphans. */
export function ownerGroupsOf(kind: string): (object: { readonly metadata: NamespacedMeta }) => string[] {
  return ({ metadata }) => {
    const controller = controllerOf(metadata)
    return controller === undefined || controller.kind === kind ? [ownerGroup(metadata)] : []
  }
}

/** What `controllerOf` and `ownerGroup` depend on. */
export function ownerReferencesOf({ metadata }: Owned): unknown {
  return metadata.ownerReferences
}

export function orphansOf(namespace: string): string {
  return `orphans of ${namespace}`
}

export function controllerReference(
  owner: { readonly apiVersion: string; readonly kind: string },
  metadata: ObjectMeta,
): OwnerReference {
  const { name, uid } = metadata
  return { ...owner, name, uid, controller: true, blockOwnerDeletion: true }
}

export interface Claims<T extends Owned> {
  readonly owned: readonly T[]
  readonly adopt: readonly T[]
  readonly release: readonly T[]
}

/** What an owner has, takes and lets go. One that is being deleted takes and lets go of nothing. */
export function planClaims<T extends Owned>(
  owner: Owned,
  selector: LabelSelector,
  candidates: readonly T[],
): Claims<T> {
  const isLeaving = owner.metadata.deletionTimestamp !== undefined
  const owned: T[] = []
  const adopt: T[] = []
  const release: T[] = []
  for (const candidate of candidates) {
    const { metadata } = candidate
    const controller = controllerOf(metadata)
    const matches = matchesLabelSelector(selector, metadata.labels)
    if (controller !== undefined) {
      if (controller.uid !== owner.metadata.uid) continue
      if (matches) owned.push(candidate)
      else if (!isLeaving && metadata.deletionTimestamp === undefined) release.push(candidate)
    } else if (matches && !isLeaving && metadata.deletionTimestamp === undefined) {
      adopt.push(candidate)
    }
  }
  return { owned, adopt, release }
}

/** Carries claims out. Someone else's change in between wakes the owner again, so a conflict is no failure. */
export async function applyClaims(
  { api }: ControllerParts,
  resource: string,
  { adopt, release }: Claims<Owned>,
  reference: OwnerReference,
): Promise<void> {
  for (const { metadata } of adopt) {
    const ownerReferences = [...(metadata.ownerReferences ?? []), reference]
    await ignoring(
      ['Conflict', 'NotFound', 'Invalid'],
      api.mergePatch(resource, nameOf(metadata), ownersPatch(metadata, ownerReferences)),
    )
  }
  for (const { metadata } of release) {
    const ownerReferences = (metadata.ownerReferences ?? []).filter(({ uid }) => uid !== reference.uid)
    await ignoring(
      ['Conflict', 'NotFound', 'Invalid'],
      api.mergePatch(resource, nameOf(metadata), ownersPatch(metadata, ownerReferences)),
    )
  }
}

export function nameOf({ namespace, name }: ObjectMeta): ObjectName {
  return namespace === undefined ? { name } : { namespace, name }
}

function ownersPatch({ uid, resourceVersion }: ObjectMeta, ownerReferences: readonly OwnerReference[]): unknown {
  return { metadata: { uid, resourceVersion, ownerReferences: ownerReferences.length === 0 ? null : ownerReferences } }
}

/** A workload that takes orphans which its selector matches. */
interface Taker {
  readonly metadata: NamespacedMeta
  readonly spec?: { readonly selector?: LabelSelector }
}

/** Whom a change of an object concerns: the one who has it, the one who had it, and those who might take an orphan. */
export function ownersConcerned(
  kind: string,
  object: Stored,
  previous: Stored | undefined,
  takersIn: (namespace: string) => readonly Taker[],
): string[] {
  const { namespace } = object.metadata
  const owners = [object, previous].flatMap((state) => {
    const controller = state === undefined ? undefined : controllerOf(state.metadata)
    return controller?.kind === kind ? [keyOf({ namespace, name: controller.name })] : []
  })
  if (controllerOf(object.metadata) !== undefined || namespace === undefined) return owners
  const takers = takersIn(namespace).filter(
    ({ spec }) => spec?.selector !== undefined && matchesLabelSelector(spec.selector, object.metadata.labels),
  )
  return [...owners, ...takers.flatMap(ownKey)]
}
