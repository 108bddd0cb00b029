import { setTimeout as pause } from 'node:timers/promises'
import { impersonated } from '../../src/embedded/server/auth/impersonate.ts'
import { allowEverything } from '../../src/embedded/server/authorization.ts'
import { InProcessTransport } from '../../src/embedded/in-process-transport.ts'
import type { TransportRequest } from '../../src/kube/client/transport.ts'
import { installation } from '../../src/manager/install/installation-names.ts'
import { uninstall } from '../../src/manager/install/uninstall.ts'
import { systemClock } from '../../src/runtime/system.ts'
import { buildKube } from '../build/kube.ts'
import { openVirtualCluster } from '../build/virtual-cluster.ts'
import { buildServer, type ServerOptions } from '../build/embedded-server.ts'
import { watchChanges } from '../cluster/changes.ts'
import { startCluster } from '../cluster/cluster.ts'
import { connectTransport } from '../cluster/connect.ts'
import type { Ground } from '../scenarios/scenario.ts'

/** API servers by themselves: what they answer follows from what they are asked, and from nothing else. */
export async function realApiServer(): Promise<Ground> {
  const cluster = await startCluster({ components: ['etcd', 'kube-apiserver'] })
  const transport = await connectTransport(cluster)
  return {
    name: 'the real API server',
    transport,
    // Its events are in its memory, which begins with what is there.
    forget: async () => {
      await cluster.stop('kube-apiserver', 'SIGKILL')
      await cluster.start('kube-apiserver')
    },
    pass: (milliseconds) => pause(milliseconds),
    [Symbol.asyncDispose]: async () => {
      await transport.close()
      await cluster[Symbol.asyncDispose]()
    },
  }
}

export function embeddedApiServer(build: typeof buildServer = buildServer, options: ServerOptions = {}): Ground {
  const { clock, server, admin: user } = build(options)
  const as = ({ headers = {} }: TransportRequest) =>
    new InProcessTransport(server, impersonated(user, headers, allowEverything))
  return {
    name: 'the embedded API server',
    transport: {
      request: (request) => as(request).request(request),
      watch: (request) => as(request).watch(request),
      close: async () => {},
    },
    forget: async () => server.compact(),
    pass: (milliseconds) => clock.advance(milliseconds),
    [Symbol.asyncDispose]: async () => {},
  }
}

/** A cluster with its controllers and simulated kubelets, which other tests use too. */
export async function realCluster(cluster: {
  readonly kubeconfigPath: string
  readonly etcdServer: string
}): Promise<Ground> {
  const transport = await connectTransport(cluster)
  const changes = await watchChanges(cluster.etcdServer)
  // Without Lifeboat, which may have been there before.
  const kube = buildKube(transport, systemClock)
  await uninstall({ kube, clock: systemClock }, { namespace: installation.namespace, force: true, print: () => {} })
  return {
    name: 'the real cluster',
    transport,
    isShared: true,
    changes,
    pass: (milliseconds) => pause(milliseconds),
    [Symbol.asyncDispose]: async () => {
      await changes[Symbol.asyncDispose]()
      await transport.close()
    },
  }
}

const admin = { name: 'admin', groups: ['system:masters', 'system:authenticated'] }

/** The same in this process, in virtual time. */
export async function embeddedCluster(): Promise<Ground> {
  const { clock, cluster } = await openVirtualCluster()
  return {
    name: 'the embedded cluster',
    transport: cluster.transport(admin),
    pass: (milliseconds) => clock.advance(milliseconds),
    [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose](),
  }
}
