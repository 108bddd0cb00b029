import type { Admission } from '../../src/embedded/admission/admission.ts'
import { builtInAdmission } from '../../src/embedded/admission/built-in-admission.ts'
import { ApiServer } from '../../src/embedded/api-server.ts'
import { allowEverything, type Authorizer } from '../../src/embedded/authorization.ts'
import type { ResourceDefinition } from '../../src/embedded/definition.ts'
import { Definitions } from '../../src/embedded/definitions.ts'
import { InProcessTransport } from '../../src/embedded/in-process-transport.ts'
import {
  autoscalers,
  disruptionBudgets,
  jobs,
  namespaces,
  nodes,
  plainKinds,
  services,
} from '../../src/embedded/kinds/cluster-kinds.ts'
import { pods } from '../../src/embedded/kinds/pods.ts'
import { daemonSets, deployments, replicaSets, statefulSets } from '../../src/embedded/kinds/workloads.ts'
import type { User } from '../../src/embedded/request.ts'
import { Store } from '../../src/embedded/store.ts'
import type { ListBody, ReadBody, Surface } from '../../src/embedded/surface/surface.ts'
import type { TransportResponse } from '../../src/kube/transport.ts'
import { seededRandom } from '../../src/runtime/random.ts'
import { VirtualClock } from '../../src/runtime/virtual-clock.ts'

const admin: User = { name: 'admin', groups: ['system:masters', 'system:authenticated'] }

const plainSurface: Surface = {
  answer: () => undefined,
  present: (_request, _definition, body: ReadBody): ListBody | object =>
    body.kind === 'list' ? body.list : body.object,
  presentWatch: (_request, _definition, open) => open,
}

export interface ServerOptions {
  readonly definitions?: readonly ResourceDefinition[]
  readonly admission?: Admission
  readonly authorizer?: Authorizer
}

/** An embedded API server by itself: no controllers, no listener, and a namespace called `shop`. */
export function buildServer(options: ServerOptions = {}) {
  const clock = new VirtualClock()
  const store = new Store()
  const builtIn = [
    pods,
    deployments,
    replicaSets,
    statefulSets,
    daemonSets,
    namespaces,
    nodes,
    disruptionBudgets,
    autoscalers,
    jobs,
    services,
    ...plainKinds,
  ]
  const definitions = new Definitions([...builtIn, ...(options.definitions ?? [])])
  const server = new ApiServer({
    store,
    clock,
    random: seededRandom(1),
    definitions,
    authorizer: options.authorizer ?? allowEverything,
    admission: options.admission ?? builtInAdmission(store),
    surface: plainSurface,
  })
  store.put('namespaces', 'shop', { metadata: { name: 'shop', uid: 'uid-of-shop' } })
  const transport = new InProcessTransport(server, admin)
  const send = (
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path: string,
    body?: unknown,
    extra: { query?: Record<string, string>; contentType?: string } = {},
  ): Promise<TransportResponse> =>
    transport.request({
      method,
      path,
      body,
      query: extra.query ?? {},
      ...(extra.contentType === undefined ? {} : { headers: { 'content-type': extra.contentType } }),
    })
  return { clock, store, server, definitions, transport, send, admin }
}

/** What an answer says, in short: `404 NotFound: pods "a" not found`. */
export function said({ status, body }: TransportResponse): string {
  const { reason = '', message = '' } = body as { reason?: string; message?: string }
  return status < 300 ? String(status) : `${status} ${reason}: ${message}`
}
