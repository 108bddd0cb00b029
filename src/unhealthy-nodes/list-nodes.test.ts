import { expect, test } from 'vitest'
import { openLifeboatGround } from '../../test/build/lifeboat.ts'
import { noting } from '../../test/build/maintenance.ts'
import { buildKube } from '../../test/build/kube.ts'
import { nodes } from '../api/kubernetes/resources.ts'
import type { TransportRequest } from '../kube/client/transport.ts'
import { listNodesThatMatter } from './list-nodes.ts'

test('only nodes that may matter are read as a whole', async () => {
  await using ground = await openLifeboatGround({ nodes: 6 })
  const patch = (name: string, body: object) =>
    ground.until(ground.admin.patch(nodes, { name }, { type: 'merge', body }))
  await patch('node-2', { metadata: { labels: { 'evacuation.coordination.k8s.io/unhealthy': 'true' } } })
  await patch('node-3', { metadata: { labels: { 'lifeboat.test/silent': 'true' } } })
  await patch('node-5', { spec: { unschedulable: true } })
  await ground.pass(70_000)
  const requests: TransportRequest[] = []
  const kube = buildKube(noting(requests)(ground.adminTransport), ground.clock)
  const { signal } = new AbortController()
  const { items, resourceVersion } = await ground.until(listNodesThatMatter(kube, ['node-4', 'gone'], signal))
  expect(new Set(items.map(({ metadata }) => metadata.name))).toEqual(new Set(['node-2', 'node-3', 'node-4']))
  expect(Number(resourceVersion)).toBeGreaterThan(0)
  // One as rows, one by the label, and one for each other that matters.
  expect(requests.map(({ path }) => path).filter((path) => path === '/api/v1/nodes')).toHaveLength(2)
  expect(requests).toHaveLength(5)
})
