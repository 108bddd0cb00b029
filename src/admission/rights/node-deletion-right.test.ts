import { expect, test } from 'vitest'
import type { Kube } from '../../kube/client/client.ts'
import { VirtualClock } from '../../runtime/virtual-clock.ts'
import type { UserInfo } from '../reviews/admission-request.ts'
import { nodeDeletionRight } from './node-deletion-right.ts'

const { signal } = new AbortController()
const joe: UserInfo = { username: 'joe', groups: ['editors'], extra: {} }

interface Asked {
  readonly spec: { readonly resourceAttributes: { readonly name?: string } }
}

/** `allows`: whether a node may be deleted; undefined stands for all of them. */
function rightsThat(allows: (name: string | undefined) => boolean) {
  const clock = new VirtualClock()
  const asked: Asked[] = []
  const underWay = { now: 0, most: 0 }
  const ask = async (_resource: unknown, review: Asked) => {
    asked.push(review)
    underWay.most = Math.max(underWay.most, ++underWay.now)
    await Promise.resolve()
    underWay.now--
    return { status: { allowed: allows(review.spec.resourceAttributes.name) } }
  }
  const kube = { ask } as unknown as Pick<Kube, 'ask'>
  const right = nodeDeletionRight({ kube, clock })
  const names = () => asked.map(({ spec }) => spec.resourceAttributes.name)
  return {
    clock,
    asked,
    names,
    underWay,
    firstRefused: (some: string[], user = joe) => right.firstRefused(user, some, signal),
    mayDeleteAll: () => right.mayDeleteAll(joe, signal),
  }
}

test('one question covers all nodes for somebody who may delete all', async () => {
  const { asked, firstRefused } = rightsThat(() => true)
  expect(await firstRefused(['one', 'two'])).toBeUndefined()
  expect(asked).toEqual([
    {
      spec: { user: 'joe', groups: ['editors'], extra: {}, resourceAttributes: { verb: 'delete', resource: 'nodes' } },
    },
  ])
})

test.each([
  { name: 'all nodes', allows: () => true, expected: true },
  { name: 'each that there is, by name', allows: (name?: string) => name !== undefined, expected: false },
])('who may delete $name', async ({ allows, expected }) => {
  const { names, mayDeleteAll } = rightsThat(allows)
  expect(await mayDeleteAll()).toBe(expected)
  expect(names()).toEqual([undefined])
})

test('nobody is asked about no node', async () => {
  const { asked, firstRefused } = rightsThat(() => false)
  expect(await firstRefused([])).toBeUndefined()
  expect(asked).toEqual([])
})

test.each([
  { name: 'all of those by name', allows: ['one', 'two'], expected: undefined },
  { name: 'none', allows: [], expected: 'one' },
  { name: 'all but one', allows: ['one'], expected: 'two' },
])('who may delete $name', async ({ allows, expected }) => {
  const { names, firstRefused } = rightsThat((name) => name !== undefined && allows.includes(name))
  expect(await firstRefused(['one', 'two'])).toBe(expected)
  expect(names()).toEqual([undefined, 'one', 'two'])
})

const many = Array.from({ length: 100 }, (_, index) => `n${index}`)

test('a few nodes are asked about at once, and none after the first refusal', async () => {
  const { asked, underWay, firstRefused } = rightsThat((name) => name !== undefined && name !== 'n20')
  expect(await firstRefused(many)).toBe('n20')
  expect(asked).toHaveLength(1 + 32)
  expect(underWay.most).toBe(16)
})

test('a yes counts for ten seconds, by name too; a no for this once', async () => {
  const granted = new Set(['one'])
  const { names, clock, firstRefused } = rightsThat((name) => name !== undefined && granted.has(name))
  expect(await firstRefused(['one', 'two'])).toBe('two')
  granted.add('two')
  await clock.advance(9_999)
  expect(await firstRefused(['one', 'two'])).toBeUndefined()
  expect(names()).toEqual([undefined, 'one', 'two', undefined, 'two'])
  await clock.advance(1)
  expect(await firstRefused(['one'])).toBeUndefined()
  expect(names().slice(5)).toEqual([undefined, 'one'])
})

test('the answer for one is not that for another', async () => {
  const { asked, firstRefused } = rightsThat(() => true)
  await firstRefused(['one'])
  await firstRefused(['one'], { ...joe, username: 'ann' })
  expect(asked).toHaveLength(2)
})
