import { expect, test } from 'vitest'
import { objectsOf, openDemoStage, type DemoStage } from '../../../test/build/demo-stage.ts'
import { pods } from '../../api/kubernetes/resources.ts'
import { behaviour, fragile } from './applications.ts'
import { openRegistry } from './registry.ts'
import { createAll, readyPodsOf, until } from './stage.ts'

const isWell = ({ stage }: DemoStage) =>
  until(stage, 'it is well', async () => (await readyPodsOf(stage, fragile)) === 1)

test('as long as the image is there, pods start', async () => {
  await using ground = await openDemoStage()
  await using _registry = await ground.until(openRegistry(ground.stage))
  await ground.until(createAll(ground.stage, objectsOf(fragile)))
  await ground.until(isWell(ground))
})

test('without it a new pod does not start, until it is back', async () => {
  await using ground = await openDemoStage()
  const { stage, clock } = ground
  await using registry = await ground.until(openRegistry(stage))
  registry.loseImage()
  await ground.until(createAll(stage, objectsOf(fragile)))
  await clock.advance(5_000)
  const { items } = await ground.until(stage.kube.list(pods, { labelSelector: `app=${fragile}` }))
  expect(items.map(({ metadata }) => metadata.annotations?.[behaviour.imagePull])).toEqual(['fails'])
  expect(items[0]?.status?.containerStatuses?.[0]?.state?.waiting?.reason).toBe('ImagePullBackOff')
  registry.bringImageBack()
  await ground.until(isWell(ground))
})
