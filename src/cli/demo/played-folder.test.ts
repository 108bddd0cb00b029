import { expect, test } from 'vitest'
import { openDemoStage } from '../../../test/build/demo-stage.ts'
import { keepStaticPods } from '../../agent/static-pods/static-pod-keeper.ts'
import { pods } from '../../api/kubernetes/resources.ts'
import { kubeletFolder, PlayedFolder } from './played-folder.ts'
import { until } from './stage.ts'

const manifest = JSON.stringify({
  kind: 'Pod',
  metadata: { name: 'proxy', namespace: 'default' },
  spec: { containers: [{ name: 'main', image: 'proxy:1' }] },
})
const proxy = 'default/proxy-node-1'

test('the embedded kubelet runs what is in it, and ends what is parked', async () => {
  await using ground = await openDemoStage({ nodes: 1 })
  const { stage } = ground
  const names = async () => (await stage.kube.list(pods)).items.map(({ metadata }) => metadata.name)
  const folder = kubeletFolder(stage, 'node-1', { 'proxy.yaml': manifest })
  await ground.until(folder.publish())
  await ground.until(until(stage, 'it runs', async () => (await names()).length === 1))
  expect(await ground.until(names())).toEqual(['proxy-node-1'])

  const wanted = { park: [{ pod: proxy, since: '2026-01-01T00:00:00Z' }] }
  expect(await ground.until(keepStaticPods(folder, wanted))).toMatchObject({ parked: [proxy], problems: [] })
  expect(folder.contents()).toEqual({ '.lifeboat-parked.proxy.yaml': manifest })
  await ground.until(until(stage, 'it is gone', async () => (await names()).length === 0))

  expect(await ground.until(keepStaticPods(folder, { park: [] }))).toMatchObject({ parked: [], superseded: [] })
  expect(folder.contents()).toEqual({ 'proxy.yaml': manifest })
  await ground.until(until(stage, 'it is back', async () => (await names()).length === 1))
})

test.each([
  { name: 'that is not there', step: { kind: 'rename', from: 'a', to: 'b' }, code: 'ENOENT' },
  { name: 'whose new name is taken', step: { kind: 'link', from: 'here', to: 'there' }, code: 'EEXIST' },
] as const)('a step about a file $name fails as on a disk', async ({ step, code }) => {
  const folder = new PlayedFolder('node-1', { here: '{}', there: '{}' })
  await expect(folder.take(step)).rejects.toMatchObject({ code })
})
