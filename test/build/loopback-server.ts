import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { KeyPair } from '../../src/runtime/certificates.ts'

export interface LoopbackServer extends AsyncDisposable {
  readonly url: string
  readonly requests: readonly IncomingMessage[]
}

/** On 127.0.0.1, with TLS if there is a certificate. Answers as told and remembers what it was asked. */
export async function serveOnLoopback(listener: RequestListener, tls?: KeyPair): Promise<LoopbackServer> {
  const requests: IncomingMessage[] = []
  const remembering: RequestListener = (request, response) => {
    requests.push(request)
    listener(request, response)
  }
  const server: Server =
    tls === undefined
      ? createServer(remembering)
      : createSecureServer({ cert: tls.certificate, key: tls.key }, remembering)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
