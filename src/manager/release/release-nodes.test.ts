import { expect, test } from 'vitest'
import { openLifeboatGround } from '../../../test/build/lifeboat.ts'
import { nodes } from '../../api/kubernetes/resources.ts'
import { releaseNodes } from './release-nodes.ts'

const status = 'nodemaintenance.k8s.io/maintenance-status'
const cordoned = 'nodemaintenance.k8s.io/cordoned'

test('nodes that Lifeboat cordoned are made schedulable, others stay as they are, and no mark stays', async () => {
  await using ground = await openLifeboatGround({ nodes: 4 })
  const [ours, admins, marked, free] = ['node-1', 'node-2', 'node-3', 'node-4'] as const
  const annotate = (name: string, annotations: Record<string, string>, unschedulable: boolean) =>
    ground.until(
      ground.admin.patch(
        nodes,
        { name },
        { type: 'merge', body: { metadata: { annotations }, spec: { unschedulable } } },
      ),
    )
  await annotate(ours, { [status]: '{}', [cordoned]: 'true', 'example.com/kept': 'yes' }, true)
  await annotate(admins, { [status]: '{}' }, true)
  await annotate(marked, { [cordoned]: 'true' }, true)
  await annotate(free, {}, true)
  const parts = { kube: ground.admin, clock: ground.clock }
  expect(await ground.until(releaseNodes(parts))).toBe(3)
  const seen = ground.cluster.store.list('nodes').map(({ metadata, spec }) => ({
    unschedulable: (spec as { unschedulable?: boolean } | undefined)?.unschedulable ?? false,
    annotations: metadata.annotations ?? {},
  }))
  expect(seen).toEqual([
    { unschedulable: false, annotations: { 'example.com/kept': 'yes' } },
    { unschedulable: true, annotations: {} },
    { unschedulable: false, annotations: {} },
    { unschedulable: true, annotations: {} },
  ])
  expect(await ground.until(releaseNodes(parts))).toBe(0)
})

test('what Lifeboat said of shutdowns is over; what a kubelet says stays', async () => {
  await using ground = await openLifeboatGround({ nodes: 3 })
  const says = (name: string, reason: string) => {
    const condition = { type: 'GracefulNodeShutdownInProgress', status: 'True', reason, message: '' }
    const patch = { type: 'strategic', body: { status: { conditions: [condition] } } } as const
    return ground.until(ground.admin.patch(nodes, { name }, patch, { subresource: 'status' }))
  }
  await says('node-1', 'LifeboatShutdown')
  await says('node-2', 'KubeletShuttingDown')
  await ground.until(releaseNodes({ kube: ground.admin, clock: ground.clock }))
  const { items } = await ground.until(ground.admin.list(nodes))
  const said = items.map((node) =>
    node.status?.conditions?.find(({ type }) => type === 'GracefulNodeShutdownInProgress'),
  )
  expect(said.map((condition) => condition?.status)).toEqual(['False', 'True', undefined])
})

test('what was noted for a node that does not report goes', async () => {
  await using ground = await openLifeboatGround({ nodes: 2 })
  const key = 'evacuation.coordination.k8s.io/unhealthy'
  const body = { metadata: { annotations: { [key]: '{}' }, labels: { [key]: 'true' } } }
  await ground.until(ground.admin.patch(nodes, { name: 'node-1' }, { type: 'merge', body }))
  await ground.until(releaseNodes({ kube: ground.admin, clock: ground.clock }))
  for (const { metadata } of ground.cluster.store.list('nodes')) {
    expect([metadata.annotations?.[key], metadata.labels?.[key]]).toEqual([undefined, undefined])
  }
})
