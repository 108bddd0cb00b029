import type { New } from '../../api/kubernetes/meta.ts'
import type { ControllerParts } from './controller.ts'
import type { ControllerRevision, DaemonSet, PodTemplate, StatefulSet } from './objects.ts'
import { listObjects } from './typed-store.ts'
import { ignoring } from './outcome.ts'
import { controllerOf, controllerReference, nameOf } from './ownership.ts'
import { templateHash } from './template-hash.ts'

export const revisionLabel = 'controller-revision-hash'
const resource = 'controllerrevisions.apps'

export type Revised = DaemonSet | StatefulSet

/** The templates that a DaemonSet or StatefulSet has had, newest last. */
export function revisionsOf({ store }: ControllerParts, { metadata }: Revised): ControllerRevision[] {
  return listObjects(store, resource, metadata.namespace)
    .filter((revision) => controllerOf(revision.metadata)?.uid === metadata.uid)
    .toSorted((one, other) => (one.revision ?? 0) - (other.revision ?? 0))
}

export function hashOf(owner: Revised): string {
  return templateHash(
    owner.spec?.template,
    (owner.status as { collisionCount?: number } | undefined)?.collisionCount ?? 0,
  )
}

export function revisionName(owner: Revised): string {
  return `${owner.metadata.name}-${hashOf(owner)}`
}

/** The template that a revision holds. */
export function templateOfRevision(revision: ControllerRevision | undefined): PodTemplate | undefined {
  const data = revision?.data as { spec?: { template?: PodTemplate & { $patch?: string } } } | undefined
  if (data?.spec?.template === undefined) return undefined
  const { $patch: _, ...template } = data.spec.template
  return template
}

/** Writes the present template down, or moves it to the front if it was there before: that is a rollback. */
export async function syncRevision(
  parts: ControllerParts,
  kind: { readonly apiVersion: string; readonly kind: string },
  owner: Revised,
): Promise<void> {
  const revisions = revisionsOf(parts, owner)
  const name = revisionName(owner)
  const known = revisions.find(({ metadata }) => metadata.name === name)
  const latest = revisions.at(-1)?.revision ?? 0
  if (known === undefined) {
    const refusals = ['AlreadyExists', 'Forbidden', 'NotFound']
    await ignoring(refusals, parts.api.create(resource, buildRevision(kind, owner, latest + 1)))
  } else if ((known.revision ?? 0) < latest) {
    await ignoring(
      ['Conflict', 'NotFound'],
      parts.api.mergePatch(resource, nameOf(known.metadata), { revision: latest + 1 }),
    )
  }
  await forgetOld(parts, owner, new Set([name]))
}

function buildRevision(
  kind: { readonly apiVersion: string; readonly kind: string },
  owner: Revised,
  revision: number,
): New<ControllerRevision> {
  const { metadata, spec } = owner
  return {
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: {
      name: revisionName(owner),
      namespace: metadata.namespace,
      labels: { ...spec?.template?.metadata?.labels, [revisionLabel]: hashOf(owner) },
      ownerReferences: [controllerReference(kind, metadata)],
    },
    data: { spec: { template: { ...spec?.template, $patch: 'replace' } } },
    revision,
  }
}

async function forgetOld(parts: ControllerParts, owner: Revised, kept: ReadonlySet<string>): Promise<void> {
  const limit = owner.spec?.revisionHistoryLimit ?? 10
  const { currentRevision = '' } = (owner.status ?? {}) as { currentRevision?: string }
  const old = revisionsOf(parts, owner).filter(({ metadata: { name } }) => !kept.has(name) && name !== currentRevision)
  for (const { metadata } of old.slice(0, Math.max(0, old.length - limit))) {
    const options = { preconditions: { uid: metadata.uid } }
    await ignoring(['NotFound', 'Conflict'], parts.api.delete(resource, nameOf(metadata), options))
  }
}
