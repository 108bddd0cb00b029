import { buildMailbox, renderWanted, reportOf, wantedOf } from '../../src/api/maintenance/agent-mailbox.ts'
import { leases, nodes } from '../../src/api/kubernetes/resources.ts'
import { annotations } from '../../src/api/names.ts'
import { noKubeMetrics } from '../../src/kube/metrics.ts'
import { silentLog } from '../../src/runtime/log.ts'
import { noQueueMetrics } from '../../src/runtime/work-queue.ts'
import { buildServer } from './embedded-server.ts'
import { buildKube } from './kube.ts'

const namespace = 'shop'
const underMaintenance = JSON.stringify({ drainTargets: [] })

/** An embedded API server with nodes and mailboxes; no agent runs. */
export function agentGround() {
  const { clock, random, transport } = buildServer()
  const admin = buildKube(transport, clock)
  const events: { reason: string; note: string }[] = []
  const keyOf = (node: string) => ({ namespace, name: `lifeboat-agent-${node}` })
  const annotate = (node: string, annotation: string, text: string) => {
    const body = { metadata: { annotations: { [annotation]: text } } }
    return admin.patch(leases, keyOf(node), { type: 'merge', body })
  }
  const reportFor = (node: string, parked: readonly string[], superseded: readonly string[] = []) => {
    const staticPods = { folder: '/m', parked: [...parked], superseded: [...superseded], problems: [] }
    return { node, pod: { name: 'agent', uid: 'u' }, bootID: 'b', staticPods }
  }
  return {
    clock,
    admin,
    namespace,
    events,
    parts: {
      kube: admin,
      clock,
      random,
      log: silentLog,
      metrics: noKubeMetrics,
      queueMetrics: noQueueMetrics,
      namespace,
      events: { record: (event: { reason: string; note: string }) => void events.push(event) },
    },
    createNode: (name: string, isUnderMaintenance: boolean) =>
      admin.create(nodes, {
        metadata: {
          name,
          annotations: isUnderMaintenance ? { [annotations.maintenanceStatus]: underMaintenance } : {},
        },
      }),
    endMaintenance: (name: string) =>
      admin.patch(
        nodes,
        { name },
        { type: 'merge', body: { metadata: { annotations: { [annotations.maintenanceStatus]: null } } } },
      ),
    createMailbox: (node: string, parked: readonly string[]) =>
      admin.create(leases, buildMailbox(namespace, reportFor(node, parked))),
    /** As the agent. */
    report: (node: string, parked: readonly string[], superseded: readonly string[] = []) =>
      annotate(node, annotations.agentReport, JSON.stringify(reportFor(node, parked, superseded))),
    /** As the evacuator. */
    want: (node: string, ...pods: readonly string[]) =>
      annotate(
        node,
        annotations.agentWanted,
        renderWanted({ park: pods.map((pod) => ({ pod, since: '2026-01-01T00:00:00Z' })) }),
      ),
    wanted: async (node: string) => wantedOf(await admin.get(leases, keyOf(node)))?.park.map(({ pod }) => pod),
    parked: async (node: string) => reportOf(await admin.get(leases, keyOf(node)))?.staticPods?.parked,
    mailbox: (node: string) => admin.get(leases, keyOf(node)),
  }
}
