import {
  buildMailbox,
  mailboxNameOf,
  renderReport,
  reportOf,
  shutdownThatMayGo,
} from '../../src/api/maintenance/agent-mailbox.ts'
import type { GoingShutdown, ShutdownReport } from '../../src/api/maintenance/agent-shutdown.ts'
import type { Lease } from '../../src/api/kubernetes/coordination.ts'
import { leases, nodes } from '../../src/api/kubernetes/resources.ts'
import { annotations } from '../../src/api/names.ts'
import type { Kube } from '../../src/kube/client/client.ts'
import { unlessNotFound } from '../../src/kube/client/errors.ts'
import type { Transport } from '../../src/kube/client/transport.ts'
import { installation } from '../../src/manager/install/installation-names.ts'
import type { Clock } from '../../src/runtime/clock.ts'
import { buildKube } from './kube.ts'

interface Ground {
  readonly admin: Kube
  readonly adminTransport: Transport
  readonly clock: Clock
  until<T>(promise: Promise<T>): Promise<T>
}

export type GoingChoices = Partial<GoingShutdown> & { readonly id: string }

/** The agent of a node as far as shutdowns go: a test says what it would report, and sees what it is told. */
export class PlayedAgent {
  readonly #ground: Ground
  readonly #node: string
  #shutdown: ShutdownReport = { mode: 'Prefer', budgetSeconds: 1_800, problems: [] }
  #bootID = 'boot-1'

  constructor(ground: Ground, node: string) {
    this.#ground = ground
    this.#node = node
  }

  /** Logind's signal, or what was planned. */
  async goesDown(going: GoingChoices): Promise<void> {
    this.#shutdown = { ...this.#shutdown, going: { phase: 'Signalled', action: 'reboot', ...going } }
    await this.#report()
  }

  /** Nothing is on its way: it is cancelled or forgotten, or never was. */
  async staysUp(): Promise<void> {
    const { going: _going, ...rest } = this.#shutdown
    this.#shutdown = rest
    await this.#report()
  }

  /** The machine is up again; its kubelet says so too, unless it is late. */
  async boots(bootID: string, kubelet: 'ready' | 'late' = 'ready'): Promise<void> {
    this.#bootID = bootID
    await this.staysUp()
    if (kubelet === 'ready') await this.kubeletSays(bootID)
  }

  async kubeletSays(bootID: string): Promise<void> {
    const patch = { type: 'merge', body: { status: { nodeInfo: { bootID } } } } as const
    const { admin } = this.#ground
    await this.#ground.until(admin.patch(nodes, { name: this.#node }, patch, { subresource: 'status' }))
  }

  /** The shutdown that may continue. */
  async mayGo(): Promise<string | undefined> {
    const mailbox = await this.#mailbox()
    return mailbox === undefined ? undefined : shutdownThatMayGo(mailbox)
  }

  /** For a real agent that looks after static pods: what it reports is completed by what is said here. */
  kube(): Kube {
    const { adminTransport, clock } = this.#ground
    const transport: Transport = {
      ...adminTransport,
      request: (request) => adminTransport.request({ ...request, body: this.#completed(request.body) }),
      watch: (request) => adminTransport.watch(request),
      close: () => adminTransport.close(),
    }
    return buildKube(transport, clock)
  }

  #completed(body: unknown): unknown {
    const lease = body as Lease | undefined
    const report = lease?.metadata === undefined ? undefined : reportOf(lease)
    if (lease === undefined || report === undefined) return body
    const text = renderReport({ ...report, bootID: this.#bootID, shutdown: this.#shutdown })
    const metadata = {
      ...lease.metadata,
      annotations: { ...lease.metadata.annotations, [annotations.agentReport]: text },
    }
    return { ...lease, metadata }
  }

  async #report(): Promise<void> {
    const { admin } = this.#ground
    const mailbox = await this.#mailbox()
    const before = mailbox === undefined ? undefined : reportOf(mailbox)
    const report = {
      node: this.#node,
      pod: { name: 'agent', uid: 'u' },
      ...before,
      bootID: this.#bootID,
      shutdown: this.#shutdown,
    }
    if (mailbox === undefined) {
      await this.#ground.until(admin.create(leases, buildMailbox(installation.namespace, report)))
      return
    }
    const body = { metadata: { annotations: { [annotations.agentReport]: renderReport(report) } } }
    await this.#ground.until(admin.patch(leases, this.#key, { type: 'merge', body }))
  }

  get #key() {
    return { namespace: installation.namespace, name: mailboxNameOf(this.#node) }
  }

  #mailbox(): Promise<Lease | undefined> {
    const { admin } = this.#ground
    return this.#ground.until(unlessNotFound(admin.get(leases, this.#key)))
  }
}
