import type { Admission } from '../../src/embedded/server/admission/admission.ts'
import { builtInAdmission } from '../../src/embedded/server/admission/built-in-admission.ts'
import { configuredAdmission } from '../../src/embedded/server/admission/webhooks/configured-admission.ts'
import { InProcessWebhooks, type WebhookCaller } from '../../src/embedded/server/admission/webhooks/webhook-caller.ts'
import { ApiServer } from '../../src/embedded/server/api-server.ts'
import { allowEverything, type Authorizer } from '../../src/embedded/server/authorization.ts'
import type { ResourceDefinition } from '../../src/embedded/server/definition.ts'
import { Definitions } from '../../src/embedded/server/definitions.ts'
import { InProcessTransport } from '../../src/embedded/in-process-transport.ts'
import { allKinds } from '../../src/embedded/server/kinds/all-kinds.ts'
import type { User } from '../../src/embedded/server/request.ts'
import { Store } from '../../src/embedded/server/store.ts'
import type { ListBody, ReadBody, Surface } from '../../src/embedded/kubectl/surface/surface.ts'
import type { TransportResponse } from '../../src/kube/client/transport.ts'
import { seededRandom } from '../../src/runtime/random.ts'
import { VirtualClock } from '../../src/runtime/virtual-clock.ts'
import { storedMeta } from './stored.ts'

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
  /** Everybody may do everything if not given. */
  readonly authorizer?: Authorizer | ((store: Store) => Authorizer)
  /** Without it no webhook can be reached. */
  readonly webhookCaller?: WebhookCaller
  readonly seed?: number
}

/** An embedded API server by itself: no controllers, no listener, and a namespace called `shop`. */
export function buildServer(options: ServerOptions = {}) {
  const clock = new VirtualClock()
  const store = new Store()
  const definitions = new Definitions([...allKinds, ...(options.definitions ?? [])])
  const random = seededRandom(options.seed ?? 1)
  const webhookCaller = options.webhookCaller ?? new InProcessWebhooks()
  const { authorizer: given = allowEverything } = options
  const authorizer = typeof given === 'function' ? given(store) : given
  const plugins = configuredAdmission({ store, definitions, clock, random, webhookCaller, authorizer })
  const server = new ApiServer({
    store,
    clock,
    random,
    definitions,
    authorizer,
    admission: options.admission ?? builtInAdmission(store, plugins),
    surface: plainSurface,
  })
  store.put('namespaces', 'shop', { metadata: storedMeta({ name: 'shop' }) })
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
  return { clock, random, store, server, definitions, transport, send, admin }
}

/** What an answer says, in short: `404 NotFound: pods "a" not found`. */
export function said({ status, body }: TransportResponse): string {
  const { reason = '', message = '' } = body as { reason?: string; message?: string }
  return status < 300 ? String(status) : `${status} ${reason}: ${message}`
}
