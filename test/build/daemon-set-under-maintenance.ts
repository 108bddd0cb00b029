import type { NodeMaintenance } from '../../src/api/maintenance/node-maintenance.ts'
import type { New } from '../../src/api/kubernetes/meta.ts'
import type { LifeboatGround } from './lifeboat.ts'

const path = '/apis/apps/v1/namespaces/default/daemonsets'

/** `logs`, with a pod on each node that takes one. */
export async function createDaemonSet(ground: LifeboatGround): Promise<void> {
  const labels = { app: 'logs' }
  const template = { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'logs:1' }] } }
  const body = { metadata: { name: 'logs' }, spec: { selector: { matchLabels: labels }, template } }
  await ground.until(ground.adminTransport.request({ method: 'POST', path, body }))
  await ground.pass(10_000)
}

/** Drains one node. */
export function maintenanceOf(node: string): New<NodeMaintenance> {
  const matchFields = [{ key: 'metadata.name' as const, operator: 'In' as const, values: [node] }]
  const nodeSelector = { nodeSelectorTerms: [{ matchFields }] }
  return { metadata: { name: 'upgrade' }, spec: { nodeSelector, stage: 'Drain' } }
}
