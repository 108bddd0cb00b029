import type { Transport } from '../kube/client/transport.ts'
import type { Clock } from '../runtime/clock.ts'
import type { Log } from '../runtime/log.ts'
import type { Random } from '../runtime/random.ts'
import type { Admission } from './server/admission/admission.ts'
import type { AdmissionPlugin } from './server/admission/chain.ts'
import { configuredAdmission } from './server/admission/webhooks/configured-admission.ts'
import type { WebhookCaller } from './server/admission/webhooks/webhook-caller.ts'
import { ApiServer } from './server/api-server.ts'
import { authenticatorOf, type Authenticator } from './server/auth/authenticator.ts'
import { reviewsOf } from './server/auth/reviews.ts'
import { RoleBasedAuthorizer } from './server/auth/role-based-authorizer.ts'
import { ServiceAccountTokens } from './server/auth/service-account-tokens.ts'
import type { Authorizer } from './server/authorization.ts'
import { buildNode, firstObjects } from './bootstrap.ts'
import { controllerManager, controllers } from './controllers/controllers.ts'
import type { ControllerParts, StartController } from './controllers/controller.ts'
import { Restartable } from './controllers/restartable.ts'
import { serverApi } from './controllers/server-api.ts'
import { serveCustomResources } from './server/custom-resources.ts'
import { Definitions } from './server/definitions.ts'
import { httpsWebhookCaller } from './kubectl/http/webhook-caller.ts'
import { InProcessTransport } from './in-process-transport.ts'
import { allKinds } from './server/kinds/all-kinds.ts'
import type { User } from './server/request.ts'
import { Store } from './server/store.ts'
import { ClusterSurface } from './kubectl/surface/cluster-surface.ts'

export interface EmbeddedClusterOptions {
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  /** How many there are from the start. */
  readonly nodes: number
  /** Made for the store, because quotas and priorities look into it; the plugins are those that objects configure. */
  readonly admission: (store: Store, plugins: readonly AdmissionPlugin[]) => Admission
  /** Those that matter for a drain if not given; without any it is an API server by itself. */
  readonly controllers?: readonly StartController[]
  /** How webhooks are reached: by URL over HTTPS if not given. */
  readonly webhookCaller?: WebhookCaller
  /** Users by their tokens. */
  readonly tokens?: ReadonlyMap<string, User>
  /** Signs the tokens of service accounts; drawn from `random` if not given, which is good enough in one process. */
  readonly tokenKey?: Uint8Array
}

/** A small Kubernetes: an API server and the controllers that matter for a drain, in this process. */
export interface EmbeddedCluster extends AsyncDisposable {
  readonly server: ApiServer
  readonly store: Store
  readonly definitions: Definitions
  readonly authenticator: Authenticator
  readonly authorizer: Authorizer
  /** The way in without HTTP. */
  transport(user: User): Transport
  /** As after a crash of kube-controller-manager: what its controllers had in memory is gone. */
  restartControllerManager(): Promise<void>
}

const tokenKeyLength = 32

export async function openEmbeddedCluster(options: EmbeddedClusterOptions): Promise<EmbeddedCluster> {
  const { clock, random, log } = options
  const store = new Store()
  const definitions = new Definitions(allKinds)
  const authorizer = new RoleBasedAuthorizer(store)
  const tokens = new ServiceAccountTokens({ store, clock, random, key: options.tokenKey ?? drawKey(random) })
  const readStatic = (token: string) => options.tokens?.get(token)
  const readToken = (token: string, audience?: string) => readStatic(token) ?? tokens.read(token, audience)
  const webhookCaller = options.webhookCaller ?? httpsWebhookCaller()
  const server = new ApiServer({
    store,
    definitions,
    clock,
    random,
    authorizer,
    admission: options.admission(
      store,
      configuredAdmission({ store, definitions, clock, random, webhookCaller, authorizer }),
    ),
    surface: new ClusterSurface({ definitions, store, clock }),
    reviews: reviewsOf({ store, clock, authorizer, tokens, readToken }),
  })
  const parts: ControllerParts = { store, api: serverApi(server, definitions), clock, random, log }
  for (const { resource, object } of firstObjects()) await parts.api.create(resource, object)
  await using starting = new AsyncDisposableStack()
  starting.use(serveCustomResources(parts, definitions))
  const chosen = options.controllers ?? controllers
  const isManaged = (start: StartController) => controllerManager.includes(start)
  const manager = starting.use(new Restartable(parts, chosen.filter(isManaged)))
  for (const start of chosen.filter((each) => !isManaged(each))) starting.use(start(parts))
  for (let index = 0; index < options.nodes; index++) {
    const { resource, object } = buildNode(index)
    await parts.api.create(resource, object)
  }
  const running = starting.move()
  return {
    server,
    store,
    definitions,
    authorizer,
    authenticator: authenticatorOf([(token) => readToken(token)]),
    transport: (user) => new InProcessTransport(server, user),
    restartControllerManager: () => manager.restart(),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}

function drawKey(random: Random): Uint8Array {
  const stream = random.stream('embedded/token-key')
  return Uint8Array.from({ length: tokenKeyLength }, () => Math.floor(stream.next() * 256))
}
