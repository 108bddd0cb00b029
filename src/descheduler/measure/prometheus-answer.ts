import { withoutBreaks } from '../../kube/auth/kubeconfig-error.ts'
import type { HttpAnswer } from './http-get.ts'

/** What is wrong with an answer of Prometheus; a fragment of a sentence. */
export class PrometheusProblem extends Error {
  override readonly name = 'PrometheusProblem'
}

/** The share of each node that an instant query names by the label `instance`. Throws a PrometheusProblem. */
export function parsePrometheusAnswer(answer: HttpAnswer): ReadonlyMap<string, number> {
  const { status, location, text } = answer
  if (status >= 300 && status < 400) throw new PrometheusProblem(redirectText(status, location))
  const body = parseJson(text)
  if (fieldOf(body, 'status') === 'error') {
    const words = `${String(fieldOf(body, 'errorType'))}: ${String(fieldOf(body, 'error'))}`
    throw new PrometheusProblem(`the query failed, ${shortened(words)}`)
  }
  if (status !== 200) throw new PrometheusProblem(statusText(status, text))
  const data = fieldOf(body, 'data')
  const resultType = fieldOf(data, 'resultType')
  const samples = fieldOf(data, 'result')
  if (fieldOf(body, 'status') !== 'success' || typeof resultType !== 'string') {
    throw new PrometheusProblem('the answer is not one of the query API of Prometheus')
  }
  if (resultType !== 'vector' || !Array.isArray(samples)) {
    throw new PrometheusProblem(`the query must give a vector, and gives a ${shortened(resultType)}`)
  }
  return sharesOf(samples)
}

function sharesOf(samples: readonly unknown[]): ReadonlyMap<string, number> {
  const shares = new Map<string, number>()
  for (const sample of samples) {
    const node = fieldOf(fieldOf(sample, 'metric'), 'instance')
    if (typeof node !== 'string') {
      throw new PrometheusProblem(`the sample ${nameOf(sample)} has no label instance to name a node`)
    }
    if (shares.has(node)) throw new PrometheusProblem(`node ${shortened(node)} has more than one sample`)
    const value = valueOf(sample)
    const share = parseShare(value)
    if (share === undefined) {
      throw new PrometheusProblem(`the sample ${nameOf(sample)} is ${shortened(value)}, not between 0 and 1`)
    }
    shares.set(node, share)
  }
  return shares
}

/** Upstream takes NaN for a number. It cannot be compared with a threshold, so it is refused here. */
function parseShare(text: string): number | undefined {
  const share = Number(text)
  return share >= 0 && share <= 1 ? share : undefined
}

/** A sample is `[seconds, "value"]`; a histogram has no value. */
function valueOf(sample: unknown): string {
  const value: unknown = fieldOf(sample, 'value')
  const text: unknown = Array.isArray(value) ? value[1] : undefined
  return typeof text === 'string' && text !== '' ? text : 'without a value'
}

/** `{instance="n1", job="node"}` */
function nameOf(sample: unknown): string {
  const labels = Object.entries(fieldOf(sample, 'metric') ?? {}).toSorted(([one], [other]) => (one < other ? -1 : 1))
  return shortened(`{${labels.map(([label, value]) => `${label}=${JSON.stringify(value)}`).join(', ')}}`)
}

/** Without the query of the location: a page for logging in has secrets there. */
function redirectText(status: number, location: string | undefined): string {
  const url = location === undefined ? null : URL.parse(location)
  const where = url === null ? '' : ` and points to ${shortened(url.origin + url.pathname)}`
  return `the answer is ${status}${where}; redirects are not followed, so that the token stays with its host`
}

function statusText(status: number, text: string): string {
  const words = shortened(text)
  const hint = status === 401 || status === 403 ? ', the token is not accepted' : ''
  return `the answer is ${status}${hint}${words === '' ? '' : `: ${words}`}`
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function fieldOf(value: unknown, field: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[field] : undefined
}

const wordsLengthMax = 300

/** What Prometheus says goes to logs and terminals. */
function shortened(text: string): string {
  const line = withoutBreaks(text)
  return line.length <= wordsLengthMax ? line : `${line.slice(0, wordsLengthMax - 1)}…`
}
