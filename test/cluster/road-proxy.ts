import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { Agent, request as send } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Road } from '../scenarios/road.ts'

export interface RoadProxy extends AsyncDisposable {
  /** The cluster as it is found by way of the road. */
  readonly kubeconfigPath: string
}

export interface ProxiedCluster {
  readonly kubeconfigPath: string
  readonly server: string
  /** PEM. */
  readonly certificateAuthority: string
}

/** Longer than a client keeps a connection that it does not use: it is the client that ends one. */
const keepAliveMs = 120_000

/** What a process of its own reaches the API server by, where a story may hold its requests up. */
export async function openRoadProxy(cluster: ProxiedCluster, road: Road): Promise<RoadProxy> {
  const agent = new Agent({ ca: cluster.certificateAuthority, keepAlive: true })
  const forward = async (request: IncomingMessage, response: ServerResponse) => {
    const url = new URL(request.url ?? '/', cluster.server)
    const { method = 'GET', headers } = request
    const passing = { method, path: url.pathname, query: url.searchParams }
    await road.pass(passing, 'request')
    const upstream = send(url, { method, headers, agent })
    // A client that gives up ends its request, and a watch that ends there ends here.
    response.on('close', () => upstream.destroy())
    upstream.on('error', () => response.destroy())
    request.pipe(upstream)
    const [answer] = (await once(upstream, 'response')) as [IncomingMessage]
    await road.pass(passing, 'answer')
    response.writeHead(answer.statusCode ?? 502, answer.headers)
    // The beginning of a watch is an answer, too.
    response.flushHeaders()
    answer.pipe(response)
  }
  const server = createServer((request, response) => void forward(request, response).catch(() => response.destroy()))
  server.keepAliveTimeout = keepAliveMs
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const kubeconfigPath = `${cluster.kubeconfigPath}.by-road-${port}`
  const text = await readFile(cluster.kubeconfigPath, 'utf8')
  await writeFile(kubeconfigPath, text.replace(cluster.server, `http://127.0.0.1:${port}`))
  return {
    kubeconfigPath,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      agent.destroy()
    },
  }
}
