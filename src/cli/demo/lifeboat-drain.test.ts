import { expect, test } from 'vitest'
import { objectsOf, openDemoStage } from '../../../test/build/demo-stage.ts'
import { commandWorld } from '../../../test/build/served-cluster.ts'
import { nodes } from '../../api/kubernetes/resources.ts'
import { fragile } from './applications.ts'
import { newTally } from './eviction-tally.ts'
import { beginDrain, complete, countGone, kernelUpdate, whyNode } from './lifeboat-drain.ts'
import { openRegistry } from './registry.ts'
import { createAll, openLifeboat, podsOn, readyPodsOf, until } from './stage.ts'

test('a drain shows a replacement that does not start, and goes on when it is mended', async () => {
  await using ground = await openDemoStage()
  const { stage } = ground
  await using registry = await ground.until(openRegistry(stage))
  await ground.until(createAll(stage, objectsOf(fragile)))
  await ground.until(until(stage, 'it runs', async () => (await readyPodsOf(stage, fragile)) === 1))
  const manager = await ground.until(openLifeboat(stage, newTally()))
  const [node = ''] = (
    await Promise.all(
      Array.from({ length: 12 }, async (_, at) => [`node-${at + 1}`, await podsOn(stage, `node-${at + 1}`)] as const),
    )
  ).flatMap(([name, there]) => (there.length > 0 ? [name] : []))
  const before = await ground.until(podsOn(stage, node))
  registry.loseImage()
  const world = commandWorld()
  const drain = await ground.until(beginDrain(stage, world.terminal, kernelUpdate([node])))
  expect(await ground.until(drain.untilBlocked())).toBe(node)
  expect((await ground.until(whyNode(stage, node))).join('\n')).toContain('ReplacementNotReady')
  expect(await ground.until(countGone(stage, before))).toEqual(new Map())
  registry.bringImageBack()
  await ground.until(drain.untilDrained())
  expect(world.lines.at(-1)).toMatch(/1\/1 gone, drained$/)
  expect(await ground.until(countGone(stage, before))).toEqual(new Map([[fragile, 1]]))
  await ground.until(complete(stage, kernelUpdate([node])))
  expect((await ground.until(stage.kube.get(nodes, { name: node }))).spec?.unschedulable ?? false).toBe(false)
  await ground.until(Promise.resolve(drain[Symbol.asyncDispose]()))
  await ground.until(Promise.resolve(manager[Symbol.asyncDispose]()))
})
