import { get as getPlain } from 'node:http'
import { get as getSecure } from 'node:https'

export interface ProbeTarget {
  readonly url: string
}

export interface ProbeOptions {
  /** PEM. */
  readonly certificateAuthority: string
  readonly token: string
}

const answerWithinMs = 5_000

/** The status of the answer, or undefined if there was none. */
export async function probe(target: ProbeTarget, options: ProbeOptions): Promise<number | undefined> {
  const { promise, resolve } = Promise.withResolvers<number | undefined>()
  const secure = target.url.startsWith('https:')
  const request = (secure ? getSecure : getPlain)(
    target.url,
    {
      ...(secure ? { ca: options.certificateAuthority, headers: { authorization: `Bearer ${options.token}` } } : {}),
      // A connection of its own: one that is kept open would outlive the component that it was opened to.
      agent: false,
      timeout: answerWithinMs,
    },
    (response) => {
      response.resume()
      resolve(response.statusCode)
    },
  )
  request.once('error', () => resolve(undefined))
  request.once('timeout', () => request.destroy(new Error('no answer')))
  return promise
}
