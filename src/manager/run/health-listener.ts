import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { Registry } from 'prom-client'
import { listenAt } from '../../runtime/listen.ts'

export interface HealthOptions {
  readonly host: string
  /** 0: any that is free. */
  readonly port: number
  readonly registry: Registry
  /** Why it is not ready, one line each; none when it is. */
  readonly missing: () => readonly string[]
}

export interface HealthListener extends AsyncDisposable {
  readonly port: number
}

/** For probes and monitoring: /healthz while the process lives, /readyz when it does its work, /metrics. */
export async function openHealthListener(options: HealthOptions): Promise<HealthListener> {
  const server = createServer((request, response) => {
    const isReading = request.method === 'GET' || request.method === 'HEAD'
    const path = (request.url ?? '/').split('?')[0] ?? '/'
    if (!isReading) return write(response, 405, 'only GET and HEAD are answered here\n')
    void answer(options, path, response).catch((error: unknown) => write(response, 500, `${String(error)}\n`))
  })
  const port = await listenAt(server, options)
  return {
    port,
    [Symbol.asyncDispose]: async () => {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

async function answer({ registry, missing }: HealthOptions, path: string, response: ServerResponse): Promise<void> {
  if (path === '/healthz') return write(response, 200, 'ok\n')
  if (path === '/readyz') {
    const lines = missing()
    return lines.length === 0 ? write(response, 200, 'ok\n') : write(response, 503, `${lines.join('\n')}\n`)
  }
  if (path === '/metrics') return write(response, 200, await registry.metrics(), registry.contentType)
  return write(response, 404, 'there are /healthz, /readyz and /metrics\n')
}

function write(response: ServerResponse, status: number, body: string, type = 'text/plain; charset=utf-8'): void {
  response.writeHead(status, { 'content-type': type })
  response.end(response.req.method === 'HEAD' ? '' : body)
}
