import { expect, test } from 'vitest'
import { openArrangedCluster } from '../../../test/build/arranged-cluster.ts'
import { commandWorld } from '../../../test/build/served-cluster.ts'
import { reachCluster, warnIfNobodyLeads } from './reached-cluster.ts'

test('a cluster that was reached knows its server, warns if nobody leads, and ends with Ctrl-C', async () => {
  await using cluster = await openArrangedCluster({ nodes: 0 })
  const world = commandWorld()
  await using reached = await reachCluster(world, { kubeconfig: cluster.kubeconfig })
  expect(reached.server).toBe(cluster.url)
  expect(reached.serverVersion).toMatch(/^v1\./)
  await warnIfNobodyLeads(world, reached)
  expect(world.errors).toEqual([expect.stringMatching(/^warning: no Lifeboat is running/)])
  await cluster.setLeader('lifeboat-1')
  await warnIfNobodyLeads(world, reached)
  expect(world.errors).toHaveLength(1)
  world.interrupt()
  await Promise.resolve()
  expect(reached.signal.aborted).toBe(true)
})
