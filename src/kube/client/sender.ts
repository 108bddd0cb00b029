import type { KubernetesObject } from '../../api/kubernetes/meta.ts'
import type { Resource } from '../../api/kubernetes/resources.ts'
import { sleep, type Clock } from '../../runtime/clock.ts'
import type { ConcurrencyLimit } from '../../runtime/concurrency-limit.ts'
import type { Random, RandomStream } from '../../runtime/random.ts'
import type { TokenBucket } from '../../runtime/token-bucket.ts'
import { errorFromResponse, KubeError } from './errors.ts'
import type { KubeMetrics } from '../metrics.ts'
import { namespaceOfPath } from './paths.ts'
import { retryDelayMs } from './retry.ts'
import { TransportError, type RawWatchEvent, type Transport, type TransportRequest } from './transport.ts'

export interface SenderOptions {
  readonly transport: Transport
  readonly clock: Clock
  readonly random: Random
  readonly concurrency: ConcurrencyLimit
  readonly rate: TokenBucket
  readonly metrics: KubeMetrics
}

/** What a request is called in metrics: `{ verb: 'list', resource: 'pods' }`. */
export interface RequestLabel {
  readonly verb: string
  readonly resource: string
}

/** Sends requests within the limits, repeats what is safe to repeat, and turns answers into values or KubeErrors. */
export class Sender {
  readonly #options: SenderOptions
  readonly #jitter: RandomStream

  constructor(options: SenderOptions) {
    this.#options = options
    this.#jitter = options.random.stream('kube/retry')
  }

  async send(request: TransportRequest, label: RequestLabel, options: { repeat: boolean }): Promise<unknown> {
    for (let attempts = 1; ; attempts++) {
      try {
        return await this.#attempt(request, label)
      } catch (error) {
        if (!(error instanceof KubeError) || !options.repeat) throw error
        const delayMs = retryDelayMs({ method: request.method, error, attempts }, this.#jitter)
        if (delayMs === undefined) throw error
        await sleep(this.#options.clock, delayMs, request.signal)
      }
    }
  }

  /** A watch holds no place among the concurrent requests: it would keep it for minutes. */
  async watch(request: TransportRequest, label: RequestLabel): Promise<AsyncIterable<RawWatchEvent>> {
    const { transport, rate, metrics } = this.#options
    await rate.take(request.signal)
    try {
      const answer = await transport.watch(request)
      if (answer.kind === 'stream') {
        metrics.answered(label, 200, 0)
        return answer.events
      }
      metrics.answered(label, answer.status, 0)
      throw errorFromResponse(`${request.method} ${request.path}`, answer)
    } catch (error) {
      throw asKubeError(request, error)
    }
  }

  async #attempt(request: TransportRequest, label: RequestLabel): Promise<unknown> {
    const { transport, clock, concurrency, rate, metrics } = this.#options
    await rate.take(request.signal)
    const { signal, yieldsForMs, path } = request
    const patience = yieldsForMs === undefined ? undefined : { clock, forMs: yieldsForMs }
    using _place = await concurrency.acquire(signal, namespaceOfPath(path), patience)
    const startedMs = clock.monotonicMs()
    try {
      const response = await transport.request(request)
      metrics.answered(label, response.status, clock.monotonicMs() - startedMs)
      if (response.status >= 200 && response.status < 300) return response.body
      throw errorFromResponse(`${request.method} ${request.path}`, response)
    } catch (error) {
      if (error instanceof TransportError) metrics.answered(label, 0, clock.monotonicMs() - startedMs)
      throw asKubeError(request, error)
    }
  }
}

function asKubeError(request: TransportRequest, error: unknown): unknown {
  if (!(error instanceof TransportError)) return error
  return new KubeError(`${request.method} ${request.path}: ${error.message}`, {
    kind: 'unreachable',
    mayHaveHappened: error.sent === 'maybe',
    cause: error,
  })
}

export function labelOf(verb: string, { plural }: Resource<KubernetesObject>, subresource?: string): RequestLabel {
  return { verb, resource: subresource === undefined ? plural : `${plural}/${subresource}` }
}
