import { expect, test } from 'vitest'
import { buildEvacuation } from '../../../test/build/drain-view.ts'
import { waitingPods } from './waiting-pods.ts'

const budget = { kind: 'budget', budget: 'cart', healthy: 1, needed: 2 } as const
const turn = { kind: 'turn', owner: 'Deployment web', limit: 'maxSurge', allowed: 1 } as const

test('a typed blocker is worded, with what helps', () => {
  expect(waitingPods([buildEvacuation({ pod: 'cart-7', node: 'node-1', blocker: budget })])).toEqual([
    {
      namespace: 'shop',
      pod: 'cart-7',
      node: 'node-1',
      reason: 'DisruptionBudget',
      text: 'shop/cart-7 waits for budget cart (1 healthy, 2 needed)',
      remedy: 'one more healthy pod under budget cart, or a budget that asks for fewer',
      needsSomebody: true,
    },
  ])
})

test('the words of a third party stand as they are', () => {
  const [waiting] = waitingPods([buildEvacuation({ pod: 'db-0', node: 'node-1', words: 'waits for a snapshot' })])
  expect(waiting).toMatchObject({ text: 'shop/db-0: waits for a snapshot', remedy: '', needsSomebody: true })
})

test('whoever is not blocked does not wait', () => {
  expect(waitingPods([buildEvacuation({ pod: 'web-1', node: 'node-1' })])).toEqual([])
})

test.each([
  { name: 'waits for nothing', finalizers: [], expected: [] },
  {
    name: 'waits for whoever holds it',
    finalizers: ['example.com/audit'],
    expected: ['shop/cart-7 waits: its deleted Evacuation is held by example.com/audit'],
  },
])('a pod whose Evacuation was deleted $name', ({ finalizers, expected }) => {
  const blocked = buildEvacuation({ pod: 'cart-7', node: 'node-1', blocker: budget })
  const metadata = { ...blocked.metadata, deletionTimestamp: '2026-08-01T11:59:00Z', finalizers }
  expect(waitingPods([{ ...blocked, metadata }]).map(({ text }) => text)).toEqual(expected)
})

test('those that go on by themselves come last', () => {
  const pods = waitingPods([
    buildEvacuation({ pod: 'a', node: 'node-1', blocker: turn }),
    buildEvacuation({ pod: 'c', node: 'node-1', blocker: budget }),
    buildEvacuation({ pod: 'b', node: 'node-1', blocker: budget }),
  ])
  expect(pods.map(({ pod, needsSomebody }) => `${pod} ${needsSomebody}`)).toEqual(['b true', 'c true', 'a false'])
})

test('whatever somebody wrote is one line, and no order to the terminal', () => {
  const [own] = waitingPods([buildEvacuation({ pod: 'a', node: 'node-1', words: 'one\ntwo\u001B[2J' })])
  expect(own?.text).toBe('shop/a: one two')
  const blocker = { kind: 'admission', message: 'no\u001B]0;title\u0007\u001B[31m!' } as const
  const [typed] = waitingPods([buildEvacuation({ pod: 'a', node: 'node-1', blocker })])
  expect(typed?.text).toBe('shop/a may not be evicted (no!)')
})
