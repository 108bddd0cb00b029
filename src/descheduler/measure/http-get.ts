import { getCACertificates } from 'node:tls'
import { Client, type Dispatcher } from 'undici'
import { fileProblem, isMissingFile } from '../../kube/auth/kubeconfig-error.ts'
import type { FileReader } from '../../kube/auth/system-files.ts'

export interface HttpGetRequest {
  readonly url: URL
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly bodyBytesMax: number
  readonly signal: AbortSignal
}

export interface HttpAnswer {
  readonly status: number
  readonly location: string | undefined
  readonly text: string
}

/** Follows no redirect. Rejects with an HttpProblem if there is no answer, or with the signal's reason. */
export type HttpGet = (request: HttpGetRequest) => Promise<HttpAnswer>

/** No answer, and why; a fragment of a sentence. */
export class HttpProblem extends Error {
  override readonly name = 'HttpProblem'
}

export interface UndiciGetOptions {
  readonly files: FileReader
  /** Trusted beside the system's authorities, if the file is there. */
  readonly certificateAuthorityPath: string
}

const connectTimeoutMs = 10_000

/**
 * A connection for each request: there is one in a cycle, minutes apart. The file of certificate authorities is read
 * each time, because it changes while the process runs.
 */
export function undiciGet(options: UndiciGetOptions): HttpGet {
  return async ({ url, headers, bodyBytesMax, signal }) => {
    signal.throwIfAborted()
    const ca = url.protocol === 'https:' ? await certificateAuthorities(options) : []
    signal.throwIfAborted()
    const connect = { timeout: connectTimeoutMs, ...(ca.length === 0 ? {} : { ca: [...ca] }) }
    const client = new Client(url.origin, { connect, allowH2: false })
    try {
      const response = await client.request({ method: 'GET', path: url.pathname + url.search, headers, signal })
      const { location } = response.headers
      return {
        status: response.statusCode,
        location: typeof location === 'string' ? location : undefined,
        text: await textOf(response.body, bodyBytesMax),
      }
    } catch (cause) {
      signal.throwIfAborted()
      throw cause instanceof HttpProblem ? cause : new HttpProblem(wordsOf(cause), { cause })
    } finally {
      await client.destroy()
    }
  }
}

async function certificateAuthorities({
  files,
  certificateAuthorityPath,
}: UndiciGetOptions): Promise<readonly string[]> {
  const known = new Set([...getCACertificates('default'), ...getCACertificates('system')])
  try {
    known.add(await files.readText(certificateAuthorityPath))
  } catch (cause) {
    if (!isMissingFile(cause)) throw new HttpProblem(`${certificateAuthorityPath} ${fileProblem(cause)}`, { cause })
  }
  return [...known]
}

async function textOf(body: Dispatcher.ResponseData['body'], bytesMax: number): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    bytes += chunk.length
    if (bytes > bytesMax) throw new HttpProblem(`the answer is larger than ${bytesMax} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function wordsOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause)
  const code = 'code' in cause ? String(cause.code) : cause.name
  return cause.message === '' ? code : cause.message
}
