import { expect, test } from 'vitest'
import { storedMeta } from '../../../../../test/build/stored.ts'
import { Store } from '../../store.ts'
import { CompiledObjects } from './compiled-objects.ts'

test('only what changed is compiled again', () => {
  const store = new Store()
  const compiled: string[] = []
  const objects = new CompiledObjects(store, 'things', ({ metadata: { name } }) => {
    compiled.push(name)
    return name
  })
  expect(objects.all()).toEqual([])
  store.put('things', 'b', { metadata: storedMeta({ name: 'b' }) })
  store.put('things', 'a', { metadata: storedMeta({ name: 'a' }) })
  expect(objects.all()).toEqual(['a', 'b'])
  expect(objects.all()).toBe(objects.all())
  store.put('things', 'b', { metadata: storedMeta({ name: 'b', labels: { new: 'yes' } }) })
  expect(objects.all()).toEqual(['a', 'b'])
  expect(compiled).toEqual(['a', 'b', 'b'])
  store.delete('things', 'a')
  expect(objects.all()).toEqual(['b'])
})
