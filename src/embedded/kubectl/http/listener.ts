import { createServer as createPlainServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { TLSSocket } from 'node:tls'
import type { Method } from '../../../kube/client/transport.ts'
import type { Log } from '../../../runtime/log.ts'
import type { ApiServer } from '../../server/api-server.ts'
import type { Authenticator, ClientCertificate } from '../../server/auth/authenticator.ts'
import { impersonated } from '../../server/auth/impersonate.ts'
import type { Authorizer } from '../../server/authorization.ts'
import type { Definitions } from '../../server/definitions.ts'
import { ApiFailure, internal, unauthorized } from '../../server/failure.ts'
import { parseResourcePath } from '../../server/parse-path.ts'
import type { ApiRequest, User } from '../../server/request.ts'
import { writeAnswer } from './answer.ts'
import { parseBody, readBody } from './body.ts'
import type { KeyPair } from '../../../runtime/certificates.ts'
import { streamWatch } from './watch-stream.ts'

export interface ListenerOptions {
  readonly server: ApiServer
  readonly definitions: Definitions
  readonly authenticator: Authenticator
  readonly authorizer: Authorizer
  /** 0: any that is free. */
  readonly port: number
  /** Without it: plain HTTP. */
  readonly security?: ListenerSecurity
  readonly log: Log
}

export interface ListenerSecurity {
  readonly serving: KeyPair
  /** PEM of the authority whose client certificates are trusted. */
  readonly clientAuthority: string
}

export interface Listener extends AsyncDisposable {
  readonly url: string
}

/** Reachable from this machine only. */
const address = '127.0.0.1'
const methods: ReadonlySet<string> = new Set<Method>(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])

/** The other door to the embedded API server: HTTP, as kubectl and every other client speak it. */
export async function openListener(options: ListenerOptions): Promise<Listener> {
  const serve = (request: IncomingMessage, response: ServerResponse) => void serveRequest(options, request, response)
  const { security } = options
  const listening =
    security === undefined
      ? createPlainServer(serve)
      : createSecureServer(
          {
            cert: security.serving.certificate,
            key: security.serving.key,
            ca: security.clientAuthority,
            requestCert: true,
            // A client without a trusted certificate gets its answer in HTTP.
            rejectUnauthorized: false,
          },
          serve,
        )
  listening.listen(options.port, address)
  await once(listening, 'listening')
  const { port } = listening.address() as AddressInfo
  return {
    url: `${security === undefined ? 'http' : 'https'}://${address}:${port}`,
    [Symbol.asyncDispose]: async () => {
      const closed = once(listening, 'close')
      listening.close()
      listening.closeAllConnections()
      await closed
    },
  }
}

async function serveRequest(
  options: ListenerOptions,
  message: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { accept } = message.headers
  try {
    const request = await readRequest(options, message, response)
    const answer = await options.server.handle(request)
    if (answer.kind === 'response') writeAnswer(response, answer, accept)
    else {
      response.writeHead(200, { 'cache-control': 'no-cache, private', 'content-type': 'application/json' })
      // So that the client knows at once that its watch is there, even if nothing happens.
      response.flushHeaders()
      streamWatch(response, answer.open)
    }
  } catch (error) {
    if (!(error instanceof ApiFailure)) options.log.debug({ err: error }, 'a request failed')
    answerFailure(response, error)
  }
}

function answerFailure(response: ServerResponse, error: unknown): void {
  if (response.headersSent || response.destroyed) {
    response.destroy()
    return
  }
  const failure = error instanceof ApiFailure ? error : internal(error instanceof Error ? error.message : String(error))
  writeAnswer(response, { kind: 'response', status: failure.code, body: failure.toStatus() }, undefined)
}

async function readRequest(
  { definitions, authenticator, authorizer }: ListenerOptions,
  message: IncomingMessage,
  response: ServerResponse,
): Promise<ApiRequest> {
  const user = authenticate(authenticator, message)
  const method = parseMethod(message.method ?? '')
  const url = new URL(message.url ?? '/', 'http://localhost')
  const headers = headersOf(message)
  const effectiveUser = impersonated(user, headers, authorizer)
  const bytes = method === 'GET' ? Buffer.alloc(0) : await readBody(message)
  if (bytes === undefined) response.setHeader('connection', 'close')
  const left = new AbortController()
  response.once('close', () => left.abort())
  const context = { contentType: headers['content-type'], method, kind: kindAt(definitions, url.pathname) }
  return {
    method,
    path: url.pathname,
    query: queryOf(url),
    headers,
    // Parsed when it is asked for: a client that may not send it learns that, and not what is wrong with it.
    get body() {
      return parseBody(bytes, context)
    },
    user: effectiveUser,
    signal: left.signal,
  }
}

function authenticate(authenticator: Authenticator, { headers, socket }: IncomingMessage): User {
  const certificate = socket instanceof TLSSocket ? certificateOf(socket) : undefined
  const user = authenticator.authenticate({ authorization: headers.authorization, certificate })
  if (user === undefined) throw unauthorized()
  return user
}

function certificateOf(socket: TLSSocket): ClientCertificate | undefined {
  const { subject } = socket.getPeerCertificate()
  // Node has an empty object for no certificate, whatever its types say.
  const names = subject as { CN?: string | string[]; O?: string | string[] } | undefined
  if (names === undefined) return undefined
  return {
    commonName: [names.CN].flat()[0],
    organizations: [names.O ?? []].flat(),
    isTrusted: socket.authorized,
  }
}

function parseMethod(text: string): Method {
  if (methods.has(text)) return text as Method
  throw new ApiFailure(405, 'MethodNotAllowed', `${text} is not a method that this server knows`)
}

/** Of a parameter that comes twice the first counts. */
function queryOf(url: URL): Record<string, string> {
  const query: Record<string, string> = {}
  for (const [name, value] of url.searchParams) query[name] ??= value
  return query
}

function headersOf({ headers }: IncomingMessage): Record<string, string> {
  const single: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) single[name] = Array.isArray(value) ? value.join(', ') : value
  }
  return single
}

function kindAt(definitions: Definitions, path: string): string {
  const parsed = parseResourcePath(path)
  if (parsed === undefined) return ''
  const definition = definitions.find(parsed.group, parsed.version, parsed.plural)
  const subresource = definition?.subresources.find(({ name }) => name === parsed.subresource)
  return subresource?.kind ?? definition?.kind ?? ''
}
