import type { Pod } from '../../src/api/kubernetes/core.ts'
import type { New } from '../../src/api/kubernetes/meta.ts'
import { nodes, pods } from '../../src/api/kubernetes/resources.ts'
import { noKubeMetrics } from '../../src/kube/metrics.ts'
import type { Transport } from '../../src/kube/client/transport.ts'
import { silentLog } from '../../src/runtime/log.ts'
import { noQueueMetrics } from '../../src/runtime/work-queue.ts'
import { buildServer } from './embedded-server.ts'
import { buildKube } from './kube.ts'

const gate = 'nodemaintenance.k8s.io/maintenance'
const statusAnnotation = 'nodemaintenance.k8s.io/maintenance-status'

/** What the NodeMaintenance controller writes on a node that is drained of DaemonSet pods up to a priority. */
export function drainingDaemonSets(podPriority: number): Record<string, string> {
  const drainTargets = [
    { podPriority: 2_147_483_647, podType: 'Default' },
    { podPriority, podType: 'DaemonSet' },
  ]
  return { [statusAnnotation]: JSON.stringify({ drainTargets }) }
}

/** An embedded API server with nodes and held DaemonSet pods of priority 0, and a client whose requests are noted. */
export function heldGround() {
  const { clock, random, transport } = buildServer()
  const admin = buildKube(transport, clock)
  const open = new Set<string>()
  const ground = {
    clock,
    admin,
    parts: {
      kube: buildKube(noted(), clock),
      clock,
      random,
      log: silentLog,
      metrics: noKubeMetrics,
      queueMetrics: noQueueMetrics,
    },
    /** Runs before each patch of the client. */
    beforePatch: async () => {},
    draining: drainingDaemonSets,
    watched: () => [...open].toSorted().toReversed(),
    createNode: (name: string, podPriority?: number) =>
      admin.create(nodes, {
        metadata: { name, annotations: podPriority === undefined ? {} : drainingDaemonSets(podPriority) },
      }),
    endMaintenance: (name: string) => ground.patchNode(name, { annotations: { [statusAnnotation]: null } }),
    patchNode: (name: string, metadata: object) => admin.patch(nodes, { name }, { type: 'merge', body: { metadata } }),
    deleteNode: (name: string) => admin.delete(nodes, { name }),
    createPod: (
      name: string,
      node: string,
      extra: { schedulingGates?: string[]; labels?: Record<string, string> } = {},
    ) => admin.create(pods, buildHeldPod(name, node, extra)),
    patchPod: (name: string, metadata: object) =>
      admin.patch(pods, { namespace: 'shop', name }, { type: 'merge', body: { metadata } }),
    pod: async (name: string) => {
      const { metadata, spec } = await admin.get(pods, { namespace: 'shop', name })
      return { gates: (spec?.schedulingGates ?? []).map((each) => each.name), labels: metadata.labels ?? {} }
    },
    isHeld: async (name: string) => (await ground.pod(name)).gates.includes(gate),
  }

  function noted(): Transport {
    return {
      request: async (request) => {
        if (request.method === 'PATCH') await ground.beforePatch()
        return transport.request(request)
      },
      watch: (request) => {
        const { labelSelector, fieldSelector } = request.query ?? {}
        const selector = labelSelector ? `labelSelector=${labelSelector}` : `fieldSelector=${fieldSelector}`
        const what = `${request.path.split('/').at(-1)}?${selector}`
        open.add(what)
        request.signal?.addEventListener('abort', () => open.delete(what), { once: true })
        return transport.watch(request)
      },
      close: () => transport.close(),
    }
  }
  return ground
}

function buildHeldPod(
  name: string,
  node: string,
  extra: { readonly schedulingGates?: string[]; readonly labels?: Record<string, string> },
): New<Pod> {
  const owner = { apiVersion: 'apps/v1', kind: 'DaemonSet', name, uid: `uid-of-${name}`, controller: true }
  const matchFields = [{ key: 'metadata.name', operator: 'In', values: [node] }]
  return {
    metadata: {
      namespace: 'shop',
      name,
      labels: extra.labels ?? { app: name, 'nodemaintenance.k8s.io/held': 'true' },
      ownerReferences: [owner],
    },
    spec: {
      containers: [{ name: 'main', image: 'logs' }],
      schedulingGates: [...(extra.schedulingGates ?? []), gate].map((each) => ({ name: each })),
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchFields }] },
        },
      },
    },
  }
}
