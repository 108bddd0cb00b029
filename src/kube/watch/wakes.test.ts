import { expect, test } from 'vitest'
import { buildFollowed } from '../../../test/build/followed.ts'
import type { ConfigMap } from '../../api/kubernetes/core.ts'
import { stored } from '../../../test/build/stored.ts'
import { changesOf, nodesOf, objectsOf } from './wakes.ts'

const object = (name: string): ConfigMap => stored({ metadata: { namespace: 'shop', name } })

function setUp() {
  const followed = buildFollowed<ConfigMap>(() => undefined)
  const added: string[] = []
  return { followed, source: { ...followed, list: () => [object('a'), object('b')] }, added }
}

test('objects wake themselves, those that are there too', () => {
  const { followed, source, added } = setUp()
  const closing = objectsOf(source).open((key) => added.push(key))
  followed.tell({ kind: 'added', object: object('c') })
  closing[Symbol.dispose]()
  followed.tell({ kind: 'added', object: object('d') })
  expect(added).toEqual(['shop/a', 'shop/b', 'shop/c'])
})

test('an object that has no key wakes nothing', () => {
  const { source, added } = setUp()
  using _open = objectsOf(source, ({ metadata: { name } }) => (name === 'a' ? undefined : name)).open((key) =>
    added.push(key),
  )
  expect(added).toEqual(['b'])
})

test('a change wakes whatever it concerns', () => {
  const { followed, added } = setUp()
  const wake = changesOf(followed, ({ kind }) => (kind === 'deleted' ? ['one', 'two'] : []))
  using _open = wake.open((key) => added.push(key))
  followed.tell({ kind: 'added', object: object('a') })
  followed.tell({ kind: 'deleted', object: object('a') })
  expect(added).toEqual(['one', 'two'])
})

test('a node wakes those who wait for it', () => {
  const handlers: ((node: string) => void)[] = []
  const subscribe = (handler: (node: string) => void) => {
    handlers.push(handler)
    return { [Symbol.dispose]: () => {} }
  }
  const added: string[] = []
  using _open = nodesOf({ subscribe }, (node) => [`for ${node}`]).open((key) => added.push(key))
  for (const handler of handlers) handler('node-1')
  expect(added).toEqual(['for node-1'])
})
