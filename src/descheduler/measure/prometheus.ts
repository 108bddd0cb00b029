import { oneLine } from '../../kube/auth/kubeconfig-error.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { PrometheusProvider } from '../policy/policy.ts'
import { HttpProblem, type HttpAnswer, type HttpGet } from './http-get.ts'
import { parsePrometheusAnswer, PrometheusProblem } from './prometheus-answer.ts'
import { readPrometheusToken, type TokenParts } from './prometheus-token.ts'

/** By node a share between 0 and 1, or why there is no answer. */
export type PrometheusAnswer = ReadonlyMap<string, number> | Error

export interface Prometheus {
  /** The answers to instant queries, as of now. Rejects only with the signal's reason. */
  ask(queries: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, PrometheusAnswer>>
}

export interface PrometheusParts extends TokenParts {
  readonly get: HttpGet
  readonly clock: Clock
}

const limits = { answerWithinMs: 10_000, answerBytesMax: 10_000_000 }

export function prometheusOf(provider: PrometheusProvider, parts: PrometheusParts): Prometheus {
  const base = new URL(provider.url)
  // A password in the URL stays out of messages.
  const place = base.origin + base.pathname.replace(/\/$/, '')

  const asked = async (query: string, token: string, signal: AbortSignal): Promise<PrometheusAnswer> =>
    orProblem(place, signal, async () => parsePrometheusAnswer(await send(parts, queryUrl(base, query), token, signal)))

  return {
    async ask(queries, signal) {
      if (queries.length === 0) return new Map()
      // Read for each cycle: tokens are rotated.
      const token = await orProblem(place, signal, () => readPrometheusToken(provider, parts, signal))
      return new Map(
        await Promise.all(
          queries.map(
            async (query) => [query, token instanceof Error ? token : await asked(query, token, signal)] as const,
          ),
        ),
      )
    },
  }
}

function queryUrl(base: URL, query: string): URL {
  const url = new URL(base)
  url.pathname = `${base.pathname.replace(/\/$/, '')}/api/v1/query`
  url.searchParams.set('query', query)
  return url
}

async function send(
  { get, clock }: PrometheusParts,
  url: URL,
  token: string,
  signal: AbortSignal,
): Promise<HttpAnswer> {
  const late = new AbortController()
  using _timer = clock.timer(limits.answerWithinMs, () =>
    late.abort(new HttpProblem(`there was no answer within ${limits.answerWithinMs / 1_000} s`)),
  )
  return await get({
    url,
    headers: { accept: 'application/json', authorization: `Bearer ${token}` },
    bodyBytesMax: limits.answerBytesMax,
    signal: AbortSignal.any([signal, late.signal]),
  })
}

async function orProblem<T>(place: string, signal: AbortSignal, work: () => Promise<T>): Promise<T | Error> {
  try {
    return await work()
  } catch (cause) {
    signal.throwIfAborted()
    if (!(cause instanceof PrometheusProblem) && !(cause instanceof HttpProblem)) throw cause
    return new PrometheusProblem(oneLine(`${place}: ${cause.message}`), { cause })
  }
}
