import { expect, test } from 'vitest'
import { ControllerGround } from '../../../test/build/controller-ground.ts'
import { ObjectGroups } from './object-groups.ts'

test('finds objects by what they are looked up by, as they come, change and go', async () => {
  await using ground = new ControllerGround([])
  await ground.create('nodes', { metadata: { name: 'one', labels: { zone: 'a' } } })
  using index = new ObjectGroups(ground.store, 'nodes', {
    by: ({ metadata }) => metadata.labels,
    groupsOf: ({ metadata }) => [metadata.labels?.['zone'] ?? 'none'],
  })
  await ground.create('nodes', { metadata: { name: 'two', labels: { zone: 'a' } } })
  const namesIn = (zone: string) => index.in(zone).map(({ metadata }) => metadata.name)
  expect(namesIn('a')).toEqual(['one', 'two'])
  await ground.patch('nodes', 'one', { metadata: { labels: { zone: 'b', size: 'large' } } })
  expect([namesIn('a'), namesIn('b')]).toEqual([['two'], ['one']])
  expect(index.in('b')[0]?.metadata.labels?.['size']).toBe('large')
  await ground.parts.api.delete('nodes', { name: 'two' })
  expect(index.count('a')).toBe(0)
})
