import { ConcurrencyLimit } from '../../src/runtime/concurrency-limit.ts'

/** An object, and where the API server looks for it. */
export interface StoredObject {
  readonly key: string
  readonly object: object
}

/**
 * Writes objects to etcd itself, past the API server. They come at once with their status, and with whatever the API
 * server would decide for them: how old they are, since when they are being deleted, their priority.
 *
 * Each has a request of its own. Objects of one transaction have the same resourceVersion, and a watch that begins
 * between two of them never tells of the second one.
 */
export class EtcdWriter {
  readonly #server: string
  readonly #limit = new ConcurrencyLimit(8)

  constructor(server: string) {
    this.#server = server
  }

  async put(objects: readonly StoredObject[]): Promise<void> {
    await Promise.all(
      objects.map(({ key, object }) =>
        this.#write('put', { key: encoded(key), value: encoded(JSON.stringify(object)) }),
      ),
    )
  }

  /** All that begin so. */
  async remove(prefixes: readonly string[]): Promise<void> {
    await Promise.all(
      prefixes.map((prefix) => this.#write('deleterange', { key: encoded(prefix), range_end: encoded(endOf(prefix)) })),
    )
  }

  async #write(action: 'put' | 'deleterange', request: object): Promise<void> {
    await this.#limit.run(async () => {
      const body = JSON.stringify(request)
      const answer = await fetch(`${this.#server}/v3/kv/${action}`, { method: 'POST', body })
      const text = await answer.text()
      if (!answer.ok) throw new Error(`etcd says ${answer.status}: ${text.slice(0, 500)}`)
    })
  }
}

/** The first key that no longer begins with the prefix. */
const endOf = (prefix: string) =>
  prefix.slice(0, -1) + String.fromCodePoint((prefix.codePointAt(prefix.length - 1) ?? 0) + 1)

const encoded = (text: string) => Buffer.from(text).toString('base64')
