import { expect, test } from 'vitest'
import { openDemoStage } from '../../../test/build/demo-stage.ts'
import { listNodeAgents } from '../maintenance/node-agents.ts'
import { components, controlPlaneNodes, hashesOf, startAgents, startControlPlane } from './control-plane.ts'
import { newTally } from './eviction-tally.ts'
import { openLifeboat } from './stage.ts'

test('four static pods on each of three nodes, and an agent that looks after them', async () => {
  await using ground = await openDemoStage({ nodes: 3 })
  const { stage } = ground
  const folders = await ground.until(startControlPlane(stage))
  expect([...folders.keys()]).toEqual(controlPlaneNodes)
  const hashes = await ground.until(hashesOf(stage))
  const wanted = controlPlaneNodes.flatMap((node) => components.map((component) => `${component}-${node}`))
  expect([...hashes.keys()].toSorted()).toEqual(wanted.toSorted())
  expect(new Set(hashes.values()).size).toBe(wanted.length)

  const manager = await ground.until(openLifeboat(stage, newTally()))
  const agents = await ground.until(startAgents(stage, folders))
  const found = await ground.until(listNodeAgents(stage.kube, stage.signal))
  expect([...(found ?? [])].map(([node, { staticPods }]) => [node, staticPods?.parked])).toEqual(
    controlPlaneNodes.map((node) => [node, []]),
  )
  await ground.until(Promise.resolve(agents[Symbol.asyncDispose]()))
  await ground.until(Promise.resolve(manager[Symbol.asyncDispose]()))
})
