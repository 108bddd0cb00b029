import { expect, test } from 'vitest'
import { openDemoStage } from '../../../test/build/demo-stage.ts'
import { nodes, pods } from '../../api/kubernetes/resources.ts'
import { newTally } from './eviction-tally.ts'
import { countCluster, countedClient, openLifeboat, podsOn, setSchedulable, until } from './stage.ts'

test('twelve nodes in three zones', async () => {
  await using ground = await openDemoStage()
  expect(await ground.until(countCluster(ground.stage))).toEqual({ nodes: 12, zones: 3, pods: 0 })
})

test('a node is cordoned and given back, and its pods are found', async () => {
  await using ground = await openDemoStage()
  const { stage } = ground
  await ground.until(setSchedulable(stage, 'node-1', false))
  expect((await ground.until(stage.kube.get(nodes, { name: 'node-1' }))).spec?.unschedulable).toBe(true)
  await ground.until(setSchedulable(stage, 'node-1', true))
  expect((await ground.until(stage.kube.get(nodes, { name: 'node-1' }))).spec?.unschedulable ?? false).toBe(false)
  const spec = { nodeName: 'node-1', containers: [{ name: 'main', image: 'web:1' }] }
  await ground.until(stage.kube.create(pods, { metadata: { name: 'web', namespace: 'default' }, spec }))
  expect(await ground.until(podsOn(stage, 'node-1'))).toHaveLength(1)
  expect(await ground.until(podsOn(stage, 'node-2'))).toHaveLength(0)
})

test('evictions of a counted client are counted', async () => {
  await using ground = await openDemoStage()
  const tally = newTally()
  const kube = countedClient(ground.stage, tally)
  expect(await ground.until(kube.evict({ namespace: 'shop', name: 'web', uid: 'uid' }))).toEqual({ kind: 'gone' })
  expect(tally.asked).toBe(1)
})

test('Lifeboat leads when it is open', async () => {
  await using ground = await openDemoStage()
  const manager = await ground.until(openLifeboat(ground.stage, newTally()))
  expect(manager.isLeading()).toBe(true)
  await ground.until(Promise.resolve(manager[Symbol.asyncDispose]()))
})

test('what never happens is named, and an interruption ends the wait', async () => {
  await using ground = await openDemoStage()
  await expect(ground.until(until(ground.stage, 'pigs fly', () => false))).rejects.toThrow(
    'the demo waited for a minute in vain: pigs fly',
  )
  const waiting = until(ground.stage, 'pigs fly', () => false)
  ground.stop.abort(new Error('enough'))
  await expect(ground.until(waiting)).rejects.toThrow('enough')
})
