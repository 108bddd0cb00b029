import { expect, test } from 'vitest'
import { objectsOf, openDemoStage } from '../../../test/build/demo-stage.ts'
import { nodes, pods } from '../../api/kubernetes/resources.ts'
import { newTally } from './eviction-tally.ts'
import { evictFrom, force, giveBack } from './ordinary-drain.ts'
import { createAll, readyPodsOf, until } from './stage.ts'

test('it evicts what it may, asks again for the rest, and only force helps', async () => {
  await using ground = await openDemoStage()
  const { stage } = ground
  await ground.until(createAll(stage, objectsOf('checkout', 'logs', 'worker')))
  const isWhole = async () => (await readyPodsOf(stage, 'checkout')) === 1 && (await readyPodsOf(stage, 'worker')) === 9
  await ground.until(until(stage, 'pods run', isWhole))
  await ground.clock.advance(2_000)
  const { items } = await ground.until(stage.kube.list(pods, { labelSelector: 'app=checkout' }))
  const node = items[0]?.spec?.nodeName ?? ''
  const tally = newTally()
  const drain = await ground.until(evictFrom(stage, [node], tally))
  expect(drain.stuck).toMatchObject([{ kind: 'budget', budget: 'checkout', healthy: 1, needed: 1 }])
  expect(tally).toEqual({ asked: drain.evicted.length + 3, refused: 3, deleted: [] })
  expect(drain.evicted.every(({ name }) => name.startsWith('worker-'))).toBe(true)
  await ground.until(force(stage, drain.stuck, tally))
  expect(tally.deleted).toEqual([items[0]?.metadata.name])
  let looks = 0
  await ground.until(giveBack(stage, [node], () => ++looks > 3))
  expect((await ground.until(stage.kube.get(nodes, { name: node }))).spec?.unschedulable ?? false).toBe(false)
})
