import { expect, test } from 'vitest'
import { ControllerGround } from '../../../test/build/controller-ground.ts'
import { againAt, namesOf, ownKey, settled, startControlLoop } from './control-loop.ts'

test('begins with what is there, goes on with what comes, and stops', async () => {
  await using ground = new ControllerGround([])
  await ground.create('configmaps', { metadata: { name: 'before', namespace: 'default' } })
  const seen: string[] = []
  const reconcile = async (key: string) => {
    seen.push(key)
    return settled
  }
  const loop = startControlLoop({ name: 'test', parts: ground.parts, reconcile, wakes: { configmaps: ownKey } })
  await ground.settle()
  await ground.create('configmaps', { metadata: { name: 'after', namespace: 'default' } })
  await ground.settle()
  expect(seen).toEqual(['default/before', 'default/after'])
  await loop[Symbol.asyncDispose]()
  await ground.create('configmaps', { metadata: { name: 'later', namespace: 'default' } })
  await ground.settle()
  expect(seen).toHaveLength(2)
  expect(ground.clock.pendingTimers).toBe(0)
})

test('comes back after a delay', async () => {
  await using ground = new ControllerGround([])
  let runs = 0
  const reconcile = async () => {
    runs++
    return settled
  }
  await using loop = startControlLoop({ name: 'test', parts: ground.parts, reconcile, wakes: {} })
  loop.addAfter('key', 5_000)
  await ground.pass(4)
  expect(runs).toBe(0)
  await ground.pass(1)
  expect(runs).toBe(1)
})

test('the earliest time counts, and none means settled', () => {
  expect(againAt(undefined, 5, 3)).toEqual({ kind: 'again', atMs: 3 })
  expect(againAt(undefined)).toEqual(settled)
})

test('a key is a namespace and a name, or a name alone', () => {
  expect(namesOf('shop/web')).toEqual({ namespace: 'shop', name: 'web' })
  expect(namesOf('node-1')).toEqual({ namespace: '', name: 'node-1' })
})
