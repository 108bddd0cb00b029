import { expect, test } from 'vitest'
import { configMaps, leases, pods } from '../../api/kubernetes/resources.ts'
import { SharedFollowings } from './shared-followings.ts'

test('what many follow is asked for once, and let go with the last of them', () => {
  const said: string[] = []
  const shared = new SharedFollowings({
    follow: (namespace, { resource, name, namespace: elsewhere = namespace }) => {
      const what = `${resource.plural} ${elsewhere}/${name ?? ''}`
      said.push(`+ ${what}`)
      return { synced: Promise.resolve(), [Symbol.dispose]: () => void said.push(`- ${what}`) }
    },
  })
  const first = shared.follow('shop', { resource: pods })
  const second = shared.follow('shop', { resource: pods })
  const others = [
    shared.follow('bank', { resource: pods }),
    shared.follow('shop', { resource: configMaps, name: 'a' }),
    shared.follow('shop', { resource: leases, name: 'a', namespace: 'system' }),
    shared.follow('bank', { resource: leases, name: 'a', namespace: 'system' }),
  ]
  expect(said).toEqual(['+ pods shop/', '+ pods bank/', '+ configmaps shop/a', '+ leases system/a'])
  said.length = 0
  shared.letGo(first)
  expect(said).toEqual([])
  for (const each of [second, ...others]) shared.letGo(each)
  expect(said).toEqual(['- pods shop/', '- pods bank/', '- configmaps shop/a', '- leases system/a'])
  shared.follow('shop', { resource: pods })
  expect(said.at(-1)).toBe('+ pods shop/')
})
