import type { DeepReadonly, KubernetesObject } from '../../api/kubernetes/meta.ts'
import type { Resource } from '../../api/kubernetes/resources.ts'
import type { Change } from '../../kube/object-cache.ts'
import { ownersOf, placeText, type Place } from './workload-caches.ts'

type Predicate = { readonly place: string; readonly matches: (object: DeepReadonly<KubernetesObject>) => boolean }

/** What one look at the world was about. */
export class Interest {
  readonly #keys = new Set<string>()
  readonly #predicates: Predicate[] = []

  inName(place: Place, name: string): void {
    this.#keys.add(nameKey(placeText(place), name))
  }

  inOwner(place: Place, uid: string): void {
    this.#keys.add(ownerKey(placeText(place), uid))
  }

  inMatching<T extends KubernetesObject>(
    place: Place & { readonly resource: Resource<T> },
    matches: (object: DeepReadonly<T>) => boolean,
  ): void {
    this.#predicates.push({ place: placeText(place), matches: matches as Predicate['matches'] })
  }

  isAbout(at: Place, object: DeepReadonly<KubernetesObject>): boolean {
    const place = placeText(at)
    return (
      this.#keys.has(nameKey(place, object.metadata.name ?? '')) ||
      ownersOf(object).some((uid) => this.#keys.has(ownerKey(place, uid))) ||
      this.#predicates.some((predicate) => predicate.place === place && predicate.matches(object))
    )
  }
}

/** Who looked at what: a change wakes those who would see something else now. */
export class Interests {
  readonly #settled = new Map<string, Interest>()
  readonly #looking = new Map<string, Interest>()

  /** Counts at once, beside the last one: something may change while it looks. */
  begin(id: string): Interest {
    const interest = new Interest()
    this.#looking.set(id, interest)
    return interest
  }

  /** The one that began last counts, and no earlier one. */
  settle(id: string): void {
    const interest = this.#looking.get(id)
    this.#looking.delete(id)
    if (interest !== undefined) this.#settled.set(id, interest)
  }

  forget(id: string): void {
    this.#settled.delete(id)
    this.#looking.delete(id)
  }

  wokenBy(change: Change<KubernetesObject>, place: Place): string[] {
    const seen = change.kind === 'updated' ? [change.object, change.previous] : [change.object]
    const all = [...this.#settled, ...this.#looking]
    const woken = all.filter(([, interest]) => seen.some((object) => interest.isAbout(place, object)))
    return [...new Set(woken.map(([id]) => id))]
  }
}

function nameKey(place: string, name: string): string {
  return `${place} name ${name}`
}

function ownerKey(place: string, uid: string): string {
  return `${place} owner ${uid}`
}
