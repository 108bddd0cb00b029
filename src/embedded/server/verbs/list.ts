import { resourceId, type ResourceDefinition } from '../definition.ts'
import { badRequest, expired } from '../failure.ts'
import { parseFieldSelector } from '../field-selector.ts'
import { parseLabelSelector } from '../label-selector.ts'
import type { Store, Stored } from '../store.ts'
import type { ResourceRequest } from './context.ts'

export type ObjectMatcher = (object: Stored) => boolean

export interface ObjectList {
  readonly items: readonly Stored[]
  readonly metadata: {
    readonly resourceVersion: string
    readonly continue?: string
    readonly remainingItemCount?: number
  }
}

interface Snapshot {
  readonly items: readonly Stored[]
  readonly revision: number
}

/** Lists that a client is in the middle of reading. Older ones are forgotten, and their readers begin again. */
const snapshotsMax = 32

const tooOld =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter.'

/** Answers lists, in pages where asked: all pages of a list show the same version. */
export class Lister {
  readonly #store: Store
  readonly #snapshots = new Map<string, Snapshot>()
  #next = 0

  constructor(store: Store) {
    this.#store = store
  }

  list(target: ResourceRequest): ObjectList {
    const { limit: limitText, continue: token } = target.request.query
    const limit = limitText === undefined ? 0 : Number(limitText)
    if (!Number.isInteger(limit) || limit < 0)
      throw badRequest(`limit: Invalid value: "${limitText}": must be a number of at least 0`)
    if (token !== undefined && token !== '') return this.#nextPage(token, limit)
    const matches = matcherOf(target)
    const all = this.#store.list(resourceId(target.definition), target.namespace)
    const items = matches === undefined ? all : all.filter(matches)
    return this.#page({ items, revision: this.#store.revision }, 0, limit, undefined)
  }

  /** As etcd does on compaction: a client that has not finished reading must begin again. */
  forgetSnapshots(): void {
    this.#snapshots.clear()
  }

  #nextPage(token: string, limit: number): ObjectList {
    const illegal = token.search(/[^\w-]/)
    if (illegal !== -1)
      throw badRequest(
        `invalid continue token: continue key is not valid: illegal base64 data at input byte ${illegal}`,
      )
    const [name, offset] = Buffer.from(token, 'base64url').toString('utf8').split('/')
    const start = Number(offset)
    if (!Number.isInteger(start))
      throw badRequest('invalid continue token: continue key is not valid: it was not given out by this server')
    const snapshot = name === undefined ? undefined : this.#snapshots.get(name)
    if (snapshot === undefined) throw expired(tooOld)
    return this.#page(snapshot, start, limit, name)
  }

  #page(snapshot: Snapshot, start: number, limit: number, name: string | undefined): ObjectList {
    const resourceVersion = String(snapshot.revision)
    const end = limit === 0 ? snapshot.items.length : start + limit
    const items = start === 0 && end >= snapshot.items.length ? snapshot.items : snapshot.items.slice(start, end)
    const remainingItemCount = snapshot.items.length - end
    if (remainingItemCount <= 0) {
      if (name !== undefined) this.#snapshots.delete(name)
      return { items, metadata: { resourceVersion } }
    }
    const token = Buffer.from(`${name ?? this.#keep(snapshot)}/${end}`).toString('base64url')
    return { items, metadata: { resourceVersion, continue: token, remainingItemCount } }
  }

  #keep(snapshot: Snapshot): string {
    const name = String(++this.#next)
    this.#snapshots.set(name, snapshot)
    const [oldest] = this.#snapshots.keys()
    if (this.#snapshots.size > snapshotsMax && oldest !== undefined) this.#snapshots.delete(oldest)
    return name
  }
}

/** Undefined: everything matches. */
export function matcherOf({ request: { query }, definition, name }: ResourceRequest): ObjectMatcher | undefined {
  const matchers: ObjectMatcher[] = []
  if (name !== undefined) matchers.push(({ metadata }) => metadata.name === name)
  matchers.push(...selectorMatchers(query, definition))
  return matchers.length === 0 ? undefined : (object) => matchers.every((matches) => matches(object))
}

function selectorMatchers(query: Readonly<Record<string, string>>, definition: ResourceDefinition): ObjectMatcher[] {
  const { labelSelector = '', fieldSelector = '' } = query
  const byLabels = labelSelector === '' ? undefined : parseLabelSelector(labelSelector)
  return [
    ...(byLabels === undefined ? [] : [({ metadata }: Stored) => byLabels(metadata.labels ?? {})]),
    ...(fieldSelector === '' ? [] : [parseFieldSelector(fieldSelector, definition)]),
  ]
}
