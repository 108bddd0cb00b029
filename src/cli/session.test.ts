import { expect, test } from 'vitest'
import { openArrangedCluster } from '../../test/build/arranged-cluster.ts'
import { commandWorld } from '../../test/build/served-cluster.ts'
import { openSession, warnIfNobodyLeads } from './session.ts'

test('a session knows its server, warns if nobody leads, and ends with Ctrl-C', async () => {
  await using cluster = await openArrangedCluster({ nodes: 0 })
  const world = commandWorld()
  await using session = await openSession(world, { kubeconfig: cluster.kubeconfig })
  expect(session.server).toBe(cluster.url)
  expect(session.serverVersion).toMatch(/^v1\./)
  await warnIfNobodyLeads(world, session)
  expect(world.errors).toEqual([expect.stringMatching(/^warning: no Lifeboat is running/)])
  await cluster.setLeader('lifeboat-1')
  await warnIfNobodyLeads(world, session)
  expect(world.errors).toHaveLength(1)
  world.interrupt()
  await Promise.resolve()
  expect(session.signal.aborted).toBe(true)
})
