import { expect, test } from 'vitest'
import { commandWorld, openServedCluster } from '../../../test/build/served-cluster.ts'
import { runProgram } from '../program.ts'

// What it puts in is tested beside src/manager/install/install-workload.ts, and on a real cluster by test/real/install.test.ts:
// the embedded one leaves server-side apply out.

test('a cluster that does not take server-side apply is told from one that does, with what to do', async () => {
  await using served = await openServedCluster()
  const world = commandWorld()
  expect(await runProgram(world, ['install', '--kubeconfig', served.kubeconfig])).toBe(1)
  expect(world.lines).toEqual([])
  expect(world.errors[0]).toContain('server-side apply')
})

test('without a cluster it says so', async () => {
  const world = commandWorld()
  expect(await runProgram(world, ['install', '--kubeconfig', '/nonexistent'])).toBe(1)
  expect(world.errors[0]).toContain('/nonexistent')
})
