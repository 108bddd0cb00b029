import { expect, test } from 'vitest'
import { ControllerGround } from '../../../test/build/controller-ground.ts'
import { getObject, listObjects } from './typed-store.ts'

test('reads objects as what they are', async () => {
  await using ground = new ControllerGround([])
  await ground.create('nodes', { metadata: { name: 'one' }, spec: { unschedulable: true } })
  expect(getObject(ground.store, 'nodes', 'one')?.spec?.unschedulable).toBe(true)
  expect(getObject(ground.store, 'nodes', 'two')).toBeUndefined()
  expect(listObjects(ground.store, 'nodes').map(({ metadata }) => metadata.name)).toEqual(['one'])
  expect(listObjects(ground.store, 'pods', 'default')).toEqual([])
})
