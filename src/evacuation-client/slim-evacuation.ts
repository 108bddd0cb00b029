import type { Evacuation } from '../api/evacuation/evacuation.ts'
import { finishedMark, isMarkedFinished } from '../api/evacuation/finished-mark.ts'
import { TextPool } from '../runtime/text-pool.ts'

/** In these fields no other Evacuation says the same. */
const own: ReadonlySet<string> = new Set(['name', 'uid', 'resourceVersion'])

/**
 * What is kept of an Evacuation. Its labels are those of its pod, for users to select by; and most of its texts, classes
 * and messages and finalizers, are those of thousands of others in a large drain.
 */
export class EvacuationSlimmer {
  readonly #texts = new TextPool()

  slim({ metadata, ...evacuation }: Evacuation): Evacuation {
    const { labels: _labels, ...kept } = metadata
    const labels = isMarkedFinished({ metadata, ...evacuation }) ? { labels: finishedMark } : {}
    return this.#sharing({ ...evacuation, metadata: { ...kept, ...labels } }) as Evacuation
  }

  #sharing(value: unknown): unknown {
    if (typeof value === 'string') return this.#texts.share(value)
    if (typeof value !== 'object' || value === null) return value
    if (Array.isArray(value)) return value.map((item) => this.#sharing(item))
    return Object.fromEntries(Object.entries(value).map(([name, of]) => [name, own.has(name) ? of : this.#sharing(of)]))
  }
}
