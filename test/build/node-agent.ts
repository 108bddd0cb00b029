import { Agent } from '../../src/agent/agent.ts'
import type { ManifestFolder } from '../../src/agent/static-pods/manifest-folder.ts'
import { pods } from '../../src/api/kubernetes/resources.ts'
import { labels } from '../../src/api/names.ts'
import type { Kube } from '../../src/kube/client/client.ts'
import { noKubeMetrics } from '../../src/kube/metrics.ts'
import { installation } from '../../src/manager/install/installation-names.ts'
import type { Clock } from '../../src/runtime/clock.ts'
import { silentLog } from '../../src/runtime/log.ts'
import { seededRandom } from '../../src/runtime/random.ts'
import { MemoryFolder } from './memory-folder.ts'

/** An agent on a node of an embedded cluster, in a pod that is there and ready. */
export interface NodeAgent {
  /** As when its process dies and its pod with it. */
  kill(): Promise<void>
}

interface Ground {
  readonly clock: Clock
  readonly admin: Kube
  until<T>(promise: Promise<T>): Promise<T>
  pass(milliseconds: number): Promise<void>
}

export interface NodeAgentOptions {
  readonly manifests?: ManifestFolder
  readonly bootID?: string
  /** Of the pod. */
  readonly name?: string
}

export async function startNodeAgent(
  ground: Ground,
  node: string,
  { manifests = new MemoryFolder(node), bootID = 'first', name = `lifeboat-agent-${node}` }: NodeAgentOptions = {},
): Promise<NodeAgent> {
  const { admin, clock } = ground
  const { namespace } = installation
  const key = { namespace, name }
  const made = await ground.until(
    admin.create(pods, {
      metadata: { ...key, labels: { [labels.nodeAgent]: 'true' } },
      spec: { nodeName: node, containers: [{ name: 'agent', image: 'agent:1' }] },
    }),
  )
  const conditions = [{ type: 'Ready', status: 'True' }]
  const running = { type: 'merge', body: { status: { phase: 'Running', conditions } } } as const
  await ground.until(admin.patch(pods, key, running, { subresource: 'status' }))
  const stop = new AbortController()
  const agent = new Agent({
    kube: admin,
    clock,
    random: seededRandom(3),
    log: silentLog,
    metrics: noKubeMetrics,
    namespace,
    node,
    pod: { name, uid: made.metadata.uid },
    bootID,
    manifests,
  })
  const ended = agent.run(stop.signal)
  await ground.pass(1_000)
  return {
    kill: async () => {
      stop.abort(new Error('killed'))
      await ground.until(ended)
      await ground.until(admin.delete(pods, key, { gracePeriodSeconds: 0 }))
    },
  }
}
