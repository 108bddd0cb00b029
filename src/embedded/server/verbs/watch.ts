import type { Clock } from '../../../runtime/clock.ts'
import { resourceId, type ResourceDefinition } from '../definition.ts'
import { ApiFailure, expired } from '../failure.ts'
import type { WatchSink } from '../request.ts'
import { CompactedError, type Store, type StoreEvent, type Stored } from '../store.ts'
import type { ResourceRequest } from './context.ts'
import { matcherOf, type ObjectMatcher } from './list.ts'

const bookmarkIntervalMs = 60_000
/** The real server picks a time between this and twice as much when the client does not ask for one. */
const timeoutSecondsDefault = 1_800

/** Prepares a watch: what is wrong with it is thrown now, the rest is sent to the sink once it is opened. */
export function prepareWatch(
  parts: { readonly store: Store; readonly clock: Clock },
  target: ResourceRequest,
): (sink: WatchSink) => Disposable {
  const { query } = target.request
  const matches = matcherOf(target) ?? (() => true)
  const timeoutSeconds = Number(query['timeoutSeconds'] ?? timeoutSecondsDefault) || timeoutSecondsDefault
  const from = parseVersion(query['resourceVersion'] ?? '')
  if (from !== undefined && from > parts.store.revision) throw tooLargeVersion(from, parts.store.revision)
  const plan = {
    definition: target.definition,
    namespace: target.namespace,
    matches,
    from,
    timeoutMs: timeoutSeconds * 1_000,
    bookmarks: query['allowWatchBookmarks'] === 'true' || query['allowWatchBookmarks'] === '1',
    // Asked for explicitly, or the old way of beginning a watch with what is there.
    initial:
      query['sendInitialEvents'] === 'true' ||
      ((from === undefined || from === 0) && query['sendInitialEvents'] === undefined),
    marksInitialEnd: query['sendInitialEvents'] === 'true',
  }
  return (sink) => new Watcher(parts, plan, sink)
}

interface WatchPlan {
  readonly definition: ResourceDefinition
  readonly namespace: string | undefined
  readonly matches: ObjectMatcher
  readonly from: number | undefined
  readonly timeoutMs: number
  readonly bookmarks: boolean
  readonly initial: boolean
  readonly marksInitialEnd: boolean
}

class Watcher implements Disposable {
  readonly #plan: WatchPlan
  readonly #sink: WatchSink
  readonly #store: Store
  readonly #clock: Clock
  readonly #open = new DisposableStack()
  #bookmarkTimer: Disposable | undefined
  #closed = false

  constructor({ store, clock }: { store: Store; clock: Clock }, plan: WatchPlan, sink: WatchSink) {
    this.#plan = plan
    this.#sink = sink
    this.#store = store
    this.#clock = clock
    this.#begin()
  }

  [Symbol.dispose](): void {
    this.#closed = true
    this.#bookmarkTimer?.[Symbol.dispose]()
    this.#open.dispose()
  }

  #begin(): void {
    const { definition, from, initial, timeoutMs, bookmarks } = this.#plan
    const id = resourceId(definition)
    try {
      if (initial) this.#tellInitial(id)
      else for (const event of this.#store.since(id, from ?? this.#store.revision)) this.#tell(event)
    } catch (error) {
      if (!(error instanceof CompactedError)) throw error
      const failure = expired(`too old resource version: ${from} (${this.#store.revision})`)
      this.#sink.event({ type: 'ERROR', object: failure.toStatus() })
      this.#end()
      return
    }
    this.#open.use(this.#store.subscribe((event) => this.#tell(event), id))
    this.#open.use(this.#clock.timer(timeoutMs, () => this.#end()))
    if (bookmarks) this.#scheduleBookmark()
  }

  #tellInitial(id: string): void {
    const { namespace, matches, marksInitialEnd } = this.#plan
    for (const object of this.#store.list(id, namespace)) {
      if (matches(object)) this.#sink.event({ type: 'ADDED', object })
    }
    if (marksInitialEnd) this.#bookmark({ 'k8s.io/initial-events-end': 'true' })
  }

  /** A selector sees an object come when it begins to match, and go when it no longer does. */
  #tell({ type, object, previous }: StoreEvent): void {
    if (this.#closed) return
    const matchesNow = type !== 'DELETED' && this.#selects(object)
    const matchedBefore = previous !== undefined && this.#selects(previous)
    if (matchesNow) this.#sink.event({ type: matchedBefore ? 'MODIFIED' : 'ADDED', object })
    else if (matchedBefore)
      this.#sink.event({ type: 'DELETED', object: type === 'DELETED' ? object : asLastSeen(previous, object) })
  }

  #selects(object: Stored): boolean {
    const { namespace, matches } = this.#plan
    return (namespace === undefined || object.metadata.namespace === namespace) && matches(object)
  }

  #scheduleBookmark(): void {
    this.#bookmarkTimer = this.#clock.timer(bookmarkIntervalMs, () => {
      this.#bookmark()
      this.#scheduleBookmark()
    })
  }

  #bookmark(annotations?: Readonly<Record<string, string>>): void {
    const { group, version, kind } = this.#plan.definition
    const metadata = {
      resourceVersion: String(this.#store.revision),
      creationTimestamp: null,
      ...(annotations === undefined ? {} : { annotations }),
    }
    this.#sink.event({
      type: 'BOOKMARK',
      object: { kind, apiVersion: group === '' ? version : `${group}/${version}`, metadata },
    })
  }

  #end(): void {
    if (this.#closed) return
    this[Symbol.dispose]()
    this.#sink.close()
  }
}

/** What left the selection is shown as it was when it was last in it, with the version that took it out. */
function asLastSeen(previous: Stored, now: Stored): Stored {
  const { resourceVersion } = now.metadata
  return { ...previous, metadata: { ...previous.metadata, resourceVersion } }
}

function parseVersion(text: string): number | undefined {
  if (text === '') return undefined
  if (!/^\d+$/.test(text))
    throw new ApiFailure(
      500,
      '',
      `resourceVersion: Invalid value: "${text}": strconv.ParseUint: parsing "${text}": invalid syntax`,
    )
  return Number(text)
}

function tooLargeVersion(wanted: number, current: number): ApiFailure {
  const message = `Too large resource version: ${wanted}, current: ${current}`
  const causes = [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }]
  return new ApiFailure(504, 'Timeout', `Timeout: ${message}`, { causes, retryAfterSeconds: 1 })
}
