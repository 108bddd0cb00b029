import type { Manifest } from '../../api/kubernetes/meta.ts'
import { keyOf } from '../../kube/client/client.ts'
import { applyObject, nameOf, readObject, removeObject, type ApplyParts } from '../install/apply.ts'
import { findEvictTimeBy } from './find-evict-time-by.ts'
import { resourceOf } from '../manifests/resources.ts'
import { isContained } from '../install/plan-apply.ts'
import { formerConfigurations } from '../../admission/serving/webhook-configurations.ts'
import {
  isOurs,
  isPolicyBinding,
  limitsOwnAccount,
  pointToTheSame,
  switchedOff,
  type AdmissionObjects,
  type EvictTimeBy,
} from './admission-objects.ts'

/**
 * `createAndDelete`: with an admin's rights, as `run` has them. `updateOnly`: within a cluster the objects come with the
 * installation, and Lifeboat's own account can change those, by name, but make no others.
 */
export type RegistrarRights = 'createAndDelete' | 'updateOnly'

export interface RegistrationOptions {
  readonly rights: RegistrarRights
  /** As of now: the certificates in it change. */
  readonly objects: (evictTimeBy: readonly EvictTimeBy[]) => AdmissionObjects
}

/** What the API server knows of our webhooks and policies. */
export class Registration {
  readonly #options: RegistrationOptions
  #hasPolicy = false

  constructor(options: RegistrationOptions) {
    this.#options = options
  }

  /** Makes it what the gates say: puts in what is wanted, takes out what an earlier start left. Names what it lacks. */
  async establish(parts: ApplyParts, how: { readonly onlyWhereItDiffers: boolean }): Promise<string[]> {
    const { wanted, unwanted } = this.#objects(await this.#findEvictTimeBy(parts))
    const missing: string[] = []
    for (const object of wanted) {
      if (!(await this.#put(parts, object, how.onlyWhereItDiffers)))
        missing.push(`${object.kind} ${object.metadata.name}`)
    }
    // A binding comes after its policy, so the other way round on the way out.
    for (const object of unwanted.toReversed()) await this.#takeOut(parts, object)
    // Last, so that webhooks are there all the time. Lifeboat does not make them again, so once is enough.
    if (!how.onlyWhereItDiffers) await removeFormer(parts)
    return missing
  }

  /** Whether the API server was told to come here, by any process: the last that is put in says it for all. */
  async isTold(parts: ApplyParts): Promise<boolean> {
    const last = this.#objects('webhook').wanted.at(-1)
    if (last === undefined) return true
    const existing = await readExisting(parts, last)
    return existing !== undefined && isContained(last, existing)
  }

  /** Takes out the webhooks that lead here; those of another Lifeboat that took over stay. */
  async withdraw(parts: ApplyParts): Promise<void> {
    if (this.#options.rights === 'updateOnly') return
    for (const object of this.#options.objects(['webhook']).wanted) {
      if (!('webhooks' in object)) continue
      const existing = await readExisting(parts, object)
      if (existing === undefined || !isOurs(existing) || !pointToTheSame(existing, object)) continue
      await removeObject(parts, resourceOf(object), existing)
    }
  }

  /** Asked until there is a policy: it may be put in after the replicas, or the API server learn the kind. */
  async #findEvictTimeBy(parts: ApplyParts): Promise<EvictTimeBy> {
    this.#hasPolicy ||= (await findEvictTimeBy(parts, this.#options.rights)) === 'policy'
    return this.#hasPolicy ? 'policy' : 'webhook'
  }

  /**
   * Within a cluster there is no right to see bindings, which say nothing that ever changes, and none to change the
   * policy that limits this very account. Labels are those of the installer: Helm has its own there, and would find
   * them changed at each upgrade.
   */
  #objects(evictTimeBy: EvictTimeBy): AdmissionObjects {
    const objects = this.#options.objects([evictTimeBy])
    if (this.#options.rights === 'createAndDelete') return objects
    const changed = (some: AdmissionObjects['wanted']) =>
      some.filter((object) => !isPolicyBinding(object) && !limitsOwnAccount(object)).map(withoutLabels)
    return { wanted: changed(objects.wanted), unwanted: changed(objects.unwanted) }
  }

  /** False: there is nothing to put it into. */
  async #put(parts: ApplyParts, wanted: Manifest, onlyWhereItDiffers: boolean): Promise<boolean> {
    const mayCreate = this.#options.rights === 'createAndDelete'
    if (!mayCreate || onlyWhereItDiffers) {
      const existing = await readExisting(parts, wanted)
      if (existing === undefined && !mayCreate) return false
      if (onlyWhereItDiffers && existing !== undefined && isContained(wanted, existing)) return true
    }
    await applyObject(parts, wanted)
    return true
  }

  async #takeOut(parts: ApplyParts, unwanted: Manifest): Promise<void> {
    const existing = await readExisting(parts, unwanted)
    if (existing === undefined || !isOurs(existing)) return
    if (this.#options.rights === 'createAndDelete') {
      await removeObject(parts, resourceOf(unwanted), existing)
      return
    }
    const off = switchedOff(unwanted)
    if (off !== undefined && !isContained(off, existing)) await applyObject(parts, off)
  }
}

/** Configurations that a former release left: its replicas are gone, and requests would be refused for their sake. */
export async function removeFormer(parts: ApplyParts): Promise<string[]> {
  const removed: string[] = []
  for (const object of formerConfigurations()) {
    const resource = resourceOf(object)
    const existing = await readExisting(parts, object)
    if (existing === undefined || !isOurs(existing)) continue
    if (await removeObject(parts, resource, existing)) removed.push(nameOf(resource, existing))
  }
  return removed
}

function withoutLabels(object: Manifest): Manifest {
  const { labels: _labels, ...metadata } = object.metadata
  return { ...object, metadata }
}

function readExisting(parts: ApplyParts, object: Manifest) {
  return readObject(parts, resourceOf(object), keyOf(object))
}
