import type { KubernetesObject } from '../../api/kubernetes/meta.ts'
import type { Resource } from '../../api/kubernetes/resources.ts'
import type { Change } from '../../kube/watch/object-cache.ts'
import { mayMatchAnew } from './selected-names.ts'
import { placeText, type Place } from './workload-caches.ts'
import { ownersOf } from './workload-pools.ts'

type Predicate = { readonly place: string; readonly matches: (object: KubernetesObject) => boolean }

/** What one look at the world was about. */
export class Interest {
  readonly id: string
  readonly #index: InterestIndex
  readonly #entries: Entry[] = []
  readonly #predicates: Predicate[] = []

  constructor(id: string, index: InterestIndex) {
    this.id = id
    this.#index = index
  }

  inName(place: Place, name: string): void {
    this.#note(nameKey(placeText(place), name))
  }

  inOwner(place: Place, uid: string): void {
    this.#note(ownerKey(placeText(place), uid))
  }

  inMatching<T extends KubernetesObject>(
    place: Place & { readonly resource: Resource<T> },
    matches: (object: T) => boolean,
  ): void {
    this.#predicates.push({ place: placeText(place), matches: matches as Predicate['matches'] })
    this.#note(anyKey(placeText(place)))
  }

  matches(place: string, object: KubernetesObject): boolean {
    return this.#predicates.some((predicate) => predicate.place === place && predicate.matches(object))
  }

  end(): void {
    for (const entry of this.#entries) this.#index.remove(entry, this)
    this.#entries.length = 0
  }

  #note(key: string): void {
    this.#entries.push(this.#index.add(key, this))
  }
}

/** Found by what they are about: a busy namespace has hundreds of them, and each change concerns a few. */
class InterestIndex {
  readonly #entries = new Map<string, Entry>()

  add(key: string, interest: Interest): Entry {
    let entry = this.#entries.get(key)
    if (entry === undefined) this.#entries.set(key, (entry = { key, only: interest, all: undefined }))
    else if (entry.all !== undefined) entry.all.add(interest)
    else if (entry.only !== interest) entry.all = new Set([...interestsOf(entry), interest])
    return entry
  }

  remove(entry: Entry, interest: Interest): void {
    entry.all?.delete(interest)
    if (entry.only === interest) entry.only = undefined
    const isEmpty = entry.all === undefined ? entry.only === undefined : entry.all.size === 0
    if (isEmpty && this.#entries.get(entry.key) === entry) this.#entries.delete(entry.key)
  }

  get(key: string): Iterable<Interest> {
    const entry = this.#entries.get(key)
    return entry === undefined ? [] : interestsOf(entry)
  }
}

/** In a large drain there are a hundred thousand, and most are of a single look: a set for each would cost as much as all else. */
interface Entry {
  readonly key: string
  /** Counts while there is no set. */
  only: Interest | undefined
  all: Set<Interest> | undefined
}

function interestsOf({ only, all }: Entry): Iterable<Interest> {
  return all ?? (only === undefined ? [] : [only])
}

/** Who looked at what: a change wakes those who would see something else now. */
export class Interests {
  readonly #index = new InterestIndex()
  readonly #settled = new Map<string, Interest>()
  readonly #looking = new Map<string, Interest>()

  /** Counts at once, beside the last one: something may change while it looks. */
  begin(id: string): Interest {
    this.#looking.get(id)?.end()
    const interest = new Interest(id, this.#index)
    this.#looking.set(id, interest)
    return interest
  }

  /** The one that began last counts, and no earlier one. */
  settle(id: string): void {
    const interest = this.#looking.get(id)
    this.#looking.delete(id)
    if (interest === undefined) return
    this.#settled.get(id)?.end()
    this.#settled.set(id, interest)
  }

  forget(id: string): void {
    this.#settled.get(id)?.end()
    this.#looking.get(id)?.end()
    this.#settled.delete(id)
    this.#looking.delete(id)
  }

  wokenBy(change: Change<KubernetesObject>, at: Place): string[] {
    const place = placeText(at)
    const woken = new Set<string>()
    const seen = change.kind === 'updated' ? [change.object, change.previous] : [change.object]
    for (const object of seen) {
      const keys = [nameKey(place, object.metadata.name), ...ownersOf(object).map((uid) => ownerKey(place, uid))]
      for (const key of keys) for (const { id } of this.#index.get(key)) woken.add(id)
      // Who matched it before is interested in its name.
      if (!mayMatchAnew(change)) continue
      for (const interest of this.#index.get(anyKey(place))) {
        if (!woken.has(interest.id) && interest.matches(place, object)) woken.add(interest.id)
      }
    }
    return [...woken]
  }
}

function anyKey(place: string): string {
  return `${place} any`
}

function nameKey(place: string, name: string): string {
  return `${place} name ${name}`
}

function ownerKey(place: string, uid: string): string {
  return `${place} owner ${uid}`
}
