import { setTimeout as pause } from 'node:timers/promises'
import { buildServer } from '../build/embedded-server.ts'
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
    pass: (milliseconds) => pause(milliseconds),
    [Symbol.asyncDispose]: async () => {
      await transport.close()
      await cluster[Symbol.asyncDispose]()
    },
  }
}

export function embeddedApiServer(build: typeof buildServer = buildServer): Ground {
  const { transport, clock } = build()
  return {
    name: 'the embedded API server',
    transport,
    pass: (milliseconds) => clock.advance(milliseconds),
    [Symbol.asyncDispose]: async () => {},
  }
}
