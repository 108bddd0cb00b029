import { noAdmission, type Admission } from '../../src/embedded/server/admission/admission.ts'
import type { ControllerParts, StartController } from '../../src/embedded/controllers/controller.ts'
import type { Node, PodTemplate } from '../../src/embedded/controllers/objects.ts'
import { serverApi } from '../../src/embedded/controllers/server-api.ts'
import { getObject, listObjects, type Kinds } from '../../src/embedded/controllers/typed-store.ts'
import type { Definitions } from '../../src/embedded/server/definitions.ts'
import type { AnyObject, Store } from '../../src/embedded/server/store.ts'
import { silentLog } from '../../src/runtime/log.ts'
import type { VirtualClock } from '../../src/runtime/virtual-clock.ts'
import { buildServer } from './embedded-server.ts'
import { stored } from './stored.ts'

/** A chain of controllers answers one another without time passing; this many rounds end any that comes to rest. */
const roundsMax = 1_000

/** Some controllers on an API server of their own, in virtual time: what their tests run on. */
export class ControllerGround implements AsyncDisposable {
  readonly clock: VirtualClock
  readonly store: Store
  readonly parts: ControllerParts
  /** A request as a client makes it. */
  readonly send: ReturnType<typeof buildServer>['send']
  readonly definitions: Definitions
  readonly #open = new AsyncDisposableStack()

  constructor(controllers: readonly StartController[], options: { admission?: Admission; seed?: number } = {}) {
    const built = buildServer({ admission: noAdmission, ...options })
    const { clock, random, store, server, definitions, send } = built
    this.clock = clock
    this.store = store
    this.send = send
    this.definitions = definitions
    this.parts = { store, api: serverApi(server, definitions), clock, random, log: silentLog }
    for (const name of ['default', 'kube-system', 'kube-node-lease']) {
      store.put('namespaces', name, { apiVersion: 'v1', kind: 'Namespace', metadata: { name, uid: name } })
    }
    for (const start of controllers) this.#open.use(start(this.parts))
  }

  /** A version is the server's to give: an object that a test has as stored is created without the one it shows. */
  async create(resource: string, object: object): Promise<void> {
    const { metadata, ...content } = object as AnyObject
    const { resourceVersion: _, ...sent } = metadata
    await this.parts.api.create(resource, { ...content, metadata: sent })
  }

  /** Changes an object as a client would, with a merge patch. */
  async patch(resource: string, name: string, patch: object): Promise<void> {
    const namespaced = !['nodes', 'namespaces'].includes(resource)
    await this.parts.api.mergePatch(resource, { name, ...(namespaced ? { namespace: 'default' } : {}) }, patch)
  }

  get<Name extends keyof Kinds>(resource: Name, name: string): Kinds[Name] | undefined {
    return getObject(this.store, resource, name) ?? getObject(this.store, resource, `default/${name}`)
  }

  list<Name extends keyof Kinds>(resource: Name): Kinds[Name][] {
    return listObjects(this.store, resource)
  }

  /** The first that matches. A test that needs one fails here if there is none. */
  first<Name extends keyof Kinds>(resource: Name, matches: (object: Kinds[Name]) => boolean = () => true): Kinds[Name] {
    const found = this.list(resource).find((object) => matches(object))
    if (found === undefined) throw new Error(`none of the ${resource} is the one`)
    return found
  }

  /** Lets everybody finish what needs no time. */
  async settle(): Promise<void> {
    for (let round = 0; round < roundsMax; round++) {
      const before = this.store.revision
      await this.clock.advance(0)
      if (this.store.revision === before) return
    }
    throw new Error('the controllers do not come to rest')
  }

  /** Lets time pass, second by second, everybody at rest in between. */
  async pass(seconds: number): Promise<void> {
    await this.settle()
    for (let second = 0; second < seconds; second++) {
      await this.clock.advance(1_000)
      await this.settle()
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#open.disposeAsync()
  }
}

export interface NodeOptions {
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
  readonly spec?: NonNullable<Node['spec']>
  readonly cpu?: string
}

export function nodeNamed(name: string, options: NodeOptions = {}): Node {
  const allocatable = { cpu: options.cpu ?? '4', memory: '16Gi', pods: '110' }
  return stored<Node>({
    metadata: {
      name,
      labels: { 'kubernetes.io/hostname': name, ...options.labels },
      ...(options.annotations === undefined ? {} : { annotations: options.annotations }),
    },
    ...(options.spec === undefined ? {} : { spec: options.spec }),
    status: { capacity: allocatable, allocatable },
  })
}

export interface TemplateOptions {
  readonly spec?: NonNullable<PodTemplate['spec']>
  readonly annotations?: Readonly<Record<string, string>>
  readonly image?: string
  readonly cpu?: string
}

export function templateOf(labels: Readonly<Record<string, string>>, options: TemplateOptions = {}): PodTemplate {
  const resources = options.cpu === undefined ? {} : { resources: { requests: { cpu: options.cpu } } }
  return {
    metadata: { labels, ...(options.annotations === undefined ? {} : { annotations: options.annotations }) },
    spec: { containers: [{ name: 'main', image: options.image ?? 'example/web:1', ...resources }], ...options.spec },
  }
}
