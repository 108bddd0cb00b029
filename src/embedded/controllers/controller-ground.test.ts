import { expect, test } from 'vitest'
import { ControllerGround, nodeNamed, templateOf } from './controller-ground.ts'

test('keeps what is created, finds it by name, and takes patches', async () => {
  await using ground = new ControllerGround([])
  await ground.create('nodes', nodeNamed('one', { labels: { zone: 'a' } }))
  const { metadata, spec } = templateOf({ app: 'web' }, { cpu: '1' })
  await ground.create('pods', { metadata: { ...metadata, name: 'web', namespace: 'default' }, spec })
  await ground.patch('pods', 'web', { metadata: { labels: { app: 'shop' } } })
  expect(ground.get('nodes', 'one')?.metadata.labels).toMatchObject({ zone: 'a' })
  expect(ground.get('pods', 'web')?.metadata.labels).toEqual({ app: 'shop' })
})

test('tells of controllers that never come to rest', async () => {
  await using ground = new ControllerGround([])
  await ground.create('nodes', nodeNamed('one'))
  let count = 0
  using _restless = ground.store.subscribe(() => {
    const labels = { count: String(count++) }
    queueMicrotask(() => void ground.patch('nodes', 'one', { metadata: { labels } }))
  }, 'nodes')
  await ground.patch('nodes', 'one', { metadata: { labels: { begin: 'now' } } })
  await expect(ground.settle()).rejects.toThrow('do not come to rest')
})
