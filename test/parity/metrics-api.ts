import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import type { Transport } from '../../src/kube/client/transport.ts'
import { filesIn } from '../cluster/components.ts'
import type { CasePlace } from './build-objects.ts'
import type { ParityCase } from './case.ts'
import type { EtcdWriter } from './etcd.ts'

const group = '/apis/metrics.k8s.io/v1beta1'
const limits = { availableWithinMs: 60_000, pollIntervalMs: 200 }

export interface MetricsApiParts {
  readonly folder: string
  readonly transport: Transport
  readonly etcd: EtcdWriter
}

/** Plays metrics-server: the API server asks it for what cases say that nodes and pods use. */
export class MetricsApi implements AsyncDisposable {
  readonly #server: Server
  readonly #byPath = new Map<string, object>()

  private constructor(folder: string) {
    const { serving, servingKey } = filesIn(folder)
    const credentials = { cert: readFileSync(serving), key: readFileSync(servingKey) }
    this.#server = createServer(credentials, ({ url = '' }, response) =>
      this.#answer(url.split('?')[0] ?? '', response),
    )
  }

  static async open({ folder, transport, etcd }: MetricsApiParts): Promise<MetricsApi> {
    const api = new MetricsApi(folder)
    api.#server.listen(0, '127.0.0.1')
    await once(api.#server, 'listening')
    const { port } = api.#server.address() as AddressInfo
    await send(transport, '/api/v1/namespaces', { metadata: { name: 'metrics' } })
    const ports = [{ name: 'https', port: 443, targetPort: port }]
    await send(transport, '/api/v1/namespaces/metrics/services', { metadata: { name: 'metrics' }, spec: { ports } })
    // The API server itself would refuse an endpoint on loopback.
    await etcd.put([{ key: '/registry/endpointslices/metrics/metrics', object: buildEndpointSlice(port) }])
    await send(transport, '/apis/apiregistration.k8s.io/v1/apiservices', {
      metadata: { name: 'v1beta1.metrics.k8s.io' },
      spec: {
        group: 'metrics.k8s.io',
        version: 'v1beta1',
        insecureSkipTLSVerify: true,
        groupPriorityMinimum: 100,
        versionPriority: 100,
        service: { namespace: 'metrics', name: 'metrics', port: 443 },
      },
    })
    await untilServed(transport)
    return api
  }

  tell({ id }: CasePlace, { metrics, pods }: ParityCase): void {
    for (const [node, usage] of Object.entries(metrics?.nodes ?? {})) {
      const name = `${id}-${node}`
      this.#byPath.set(`${group}/nodes/${name}`, { kind: 'NodeMetrics', metadata: { name }, ...measured, usage })
    }
    for (const [name, containers] of Object.entries(metrics?.pods ?? {})) {
      const namespace = pods.some((pod) => pod.name === name && pod.other === true) ? `${id}-other` : id
      this.#byPath.set(`${group}/namespaces/${namespace}/pods/${name}`, {
        kind: 'PodMetrics',
        metadata: { name, namespace },
        ...measured,
        containers: containers.map((usage, index) => ({ name: `c${index}`, usage })),
      })
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }

  #answer(path: string, response: ServerResponse): void {
    const found = path === group ? resources : isList(path) ? this.#list(path) : this.#byPath.get(path)
    response.writeHead(found === undefined ? 404 : 200, { 'content-type': 'application/json' })
    response.end(
      JSON.stringify(found ?? { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'NotFound', code: 404 }),
    )
  }

  #list(path: string): object {
    const kind = path.endsWith('nodes') ? 'NodeMetrics' : 'PodMetrics'
    const items = [...this.#byPath.values()].filter((item) => 'kind' in item && item.kind === kind)
    return { kind: `${kind}List`, apiVersion: measured.apiVersion, metadata: {}, items }
  }
}

const isList = (path: string) => path === `${group}/nodes` || path === `${group}/pods`

const measured = { apiVersion: 'metrics.k8s.io/v1beta1', timestamp: '2026-01-01T00:00:00Z', window: '30s' }

const verbs = ['get', 'list']
const resources = {
  kind: 'APIResourceList',
  apiVersion: 'v1',
  groupVersion: 'metrics.k8s.io/v1beta1',
  resources: [
    { name: 'nodes', singularName: '', namespaced: false, kind: 'NodeMetrics', verbs },
    { name: 'pods', singularName: '', namespaced: true, kind: 'PodMetrics', verbs },
  ],
}

function buildEndpointSlice(port: number): object {
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      name: 'metrics',
      namespace: 'metrics',
      uid: '00000000-0000-4000-8000-000000000001',
      creationTimestamp: '2026-01-01T00:00:00Z',
      labels: { 'kubernetes.io/service-name': 'metrics' },
    },
    addressType: 'IPv4',
    endpoints: [{ addresses: ['127.0.0.1'], conditions: { ready: true } }],
    ports: [{ name: 'https', port, protocol: 'TCP' }],
  }
}

async function send(transport: Transport, path: string, body: object): Promise<void> {
  const answer = await transport.request({ method: 'POST', path, body, headers: {} })
  if (answer.status >= 300) throw new Error(`POST ${path}: ${JSON.stringify(answer.body)}`)
}

async function untilServed(transport: Transport): Promise<void> {
  const deadlineMs = performance.now() + limits.availableWithinMs
  for (;;) {
    const { status } = await transport.request({ method: 'GET', path: `${group}/nodes`, headers: {} })
    if (status === 200) return
    if (performance.now() > deadlineMs) throw new Error(`the API server does not serve metrics.k8s.io: ${status}`)
    await pause(limits.pollIntervalMs)
  }
}
