import type { OwnerReference } from '../../../api/kubernetes/meta.ts'
import type { Stored } from '../../server/store.ts'
import { collectorFinalizers } from '../../server/verbs/delete.ts'

/** What the collector sees of an object: whether its owners are there, and what it owns itself. */
export interface CollectionView {
  readonly object: Stored
  /** The owner as it is now; undefined: gone, or another UID has its name. */
  readonly ownerOf: (reference: Readonly<OwnerReference>) => Stored | undefined
  /** Whether the server has the kind of the owner. If not, the collector cannot know that the owner is gone. */
  readonly isServed: (reference: Readonly<OwnerReference>) => boolean
  readonly dependents: readonly Stored[]
}

export type CollectionDecision =
  | { readonly kind: 'nothing' }
  /** All its owners are gone. */
  | { readonly kind: 'delete' }
  /** Some owners are gone and others are not: it keeps those that are. */
  | { readonly kind: 'keepOwners'; readonly owners: readonly Readonly<OwnerReference>[] }
  /** It may go now, as far as the collector is concerned. */
  | { readonly kind: 'dropFinalizer'; readonly finalizer: string }
  /** Its dependents lose it as an owner before it goes. */
  | { readonly kind: 'orphan'; readonly dependents: readonly Stored[] }
  | { readonly kind: 'deleteDependents'; readonly dependents: readonly Stored[] }

export function decideCollection(view: CollectionView): CollectionDecision {
  const { object } = view
  const isGoing = object.metadata.deletionTimestamp !== undefined
  const finalizers = object.metadata.finalizers ?? []
  if (isGoing && finalizers.includes(collectorFinalizers.orphan)) return decideOrphaning(view)
  if (isGoing && finalizers.includes(collectorFinalizers.foreground)) return decideForeground(view)
  return isGoing ? { kind: 'nothing' } : decideByOwners(view)
}

function decideOrphaning({ dependents }: CollectionView): CollectionDecision {
  if (dependents.length > 0) return { kind: 'orphan', dependents }
  return { kind: 'dropFinalizer', finalizer: collectorFinalizers.orphan }
}

/** An owner in the foreground waits for the dependents that block it; all of them are deleted. */
function decideForeground({ object, dependents }: CollectionView): CollectionDecision {
  const { uid } = object.metadata
  const toDelete = dependents.filter(({ metadata }) => metadata.deletionTimestamp === undefined)
  if (toDelete.length > 0) return { kind: 'deleteDependents', dependents: toDelete }
  const blocks = ({ metadata }: Stored) =>
    metadata.ownerReferences?.some((owner) => owner.uid === uid && owner.blockOwnerDeletion === true)
  if (dependents.some(blocks)) return { kind: 'nothing' }
  return { kind: 'dropFinalizer', finalizer: collectorFinalizers.foreground }
}

function decideByOwners({ object, ownerOf, isServed }: CollectionView): CollectionDecision {
  const owners = object.metadata.ownerReferences ?? []
  if (owners.length === 0 || !owners.every(isServed)) return { kind: 'nothing' }
  const present = owners.filter((owner) => ownerOf(owner) !== undefined)
  if (present.length === owners.length) return { kind: 'nothing' }
  if (present.length > 0) return { kind: 'keepOwners', owners: present }
  return { kind: 'delete' }
}
