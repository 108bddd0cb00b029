import { expect, test } from 'vitest'
import { openArrangedCluster } from '../../../test/build/arranged-cluster.ts'
import { buildMaintenance } from '../../../test/build/drain-view.ts'
import { FakeApi } from '../../../test/build/fake-api.ts'
import { noting } from '../../../test/build/maintenance.ts'
import { buildKube } from '../../../test/build/kube.ts'
import { nodeMaintenances } from '../../api/maintenance/node-maintenance.ts'
import { noKubeMetrics } from '../../kube/metrics.ts'
import type { TransportRequest } from '../../kube/client/transport.ts'
import { silentLog } from '../../runtime/log.ts'
import { systemClock, systemRandom } from '../../runtime/system.ts'
import { VirtualClock } from '../../runtime/virtual-clock.ts'
import { parseLabelSelector } from '../maintenance/selector.ts'
import { waitUntil } from '../maintenance/wait-until.ts'
import { followDrain } from './follow-drain.ts'
import { drainPictures, namedNodes } from './join-pictures.ts'

const admin = { name: 'admin', groups: ['system:masters', 'system:authenticated'] }

test('four watches show a maintenance, its nodes, its evacuations, who leads, and what has gone since', async () => {
  await using cluster = await openArrangedCluster({ nodes: 3 })
  await cluster.setLeader('lifeboat-1')
  await cluster.setMaintenance({ name: 'drain-a', nodes: ['node-1', 'node-2'] })
  await cluster.setNode({ name: 'node-1', pending: 2, evacuating: 1 })
  await cluster.setNode({ name: 'node-3', pending: 9 })
  const requests: TransportRequest[] = []
  const kube = buildKube(noting(requests)(cluster.cluster.transport(admin)), systemClock)
  const parts = { kube, clock: systemClock, random: systemRandom, log: silentLog, metrics: noKubeMetrics }
  const { signal } = new AbortController()
  const options = { name: 'drain-a', isJoined: false, expectedNodes: ['node-1', 'node-2'], signal }
  await using followed = await followDrain(parts, options)
  const picture = () => {
    const [current] = drainPictures([followed.drain()], followed.sights(), systemClock.nowMs())
    return current
  }
  const until = (holds: () => boolean) =>
    waitUntil({
      look: () => holds() || undefined,
      subscribe: (notice) => followed.subscribe(notice),
      clock: systemClock,
      timeoutMs: 10_000,
      signal,
    })
  expect(picture()?.nodes.map(({ name, state, total }) => `${name} ${state} ${total}`)).toEqual([
    'node-1 moving 3',
    'node-2 unseen 0',
  ])
  await cluster.addEvacuation({ pod: 'web-1', node: 'node-1', blocker: { kind: 'manyBudgets' } })
  await cluster.setNode({ name: 'node-1', pending: 1, evacuating: 0 })
  expect(await until(() => picture()?.nodes[0]?.state === 'blocked' && picture()?.gone === 2)).toBe(true)
  expect(picture()).toMatchObject({ gone: 2, total: 3 })
  const watches = requests.filter(({ query }) => query?.['watch'] === 'true')
  expect(
    watches.map(({ path, query }) => [path.split('/').at(-1), query?.['labelSelector'] ?? query?.['fieldSelector']]),
  ).toEqual([
    ['nodemaintenances', 'metadata.name=drain-a'],
    ['nodes', 'nodemaintenance.k8s.io/under-maintenance'],
    ['evacuations', undefined],
    ['leases', 'metadata.name=lifeboat'],
  ])
  await cluster.admin.delete(nodeMaintenances, { name: 'drain-a' })
  expect(await until(() => followed.drain().maintenances.length === 0)).toBe(true)
})

test('nodes by name are known before anybody came to them, nodes by labels are not', () => {
  const maintenance = buildMaintenance({ nodes: ['a', 'b'] })
  expect(namedNodes(maintenance)).toEqual(['a', 'b'])
  const byLabels = { ...maintenance, spec: { ...maintenance.spec, nodeSelector: parseLabelSelector('zone=a') } }
  expect(namedNodes(byLabels)).toEqual([])
})

test('a leader that falls silent is trouble that the view tells', async () => {
  const api = new FakeApi()
  const maintenance = buildMaintenance({ name: 'drain-a', nodes: ['node-1'] })
  api.put('/apis/nodemaintenance.k8s.io/v1alpha1/nodemaintenances/drain-a', maintenance)
  const clock = new VirtualClock()
  const kube = buildKube(api, clock)
  const parts = { kube, clock, random: systemRandom, log: silentLog, metrics: noKubeMetrics }
  const options = { name: 'drain-a', isJoined: false, expectedNodes: ['node-1'], signal: new AbortController().signal }
  await using followed = await followDrain(parts, options)
  expect(followed.sights().trouble).toBeUndefined()
  await clock.advance(30_000)
  expect(followed.sights().trouble).toContain('No Lifeboat is at work')
})
