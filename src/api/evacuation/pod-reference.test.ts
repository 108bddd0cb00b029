import { expect, test } from 'vitest'
import { stored } from '../../../test/build/stored.ts'
import type { Pod } from '../kubernetes/core.ts'
import { podKey, podRefOf, podRefOfEvacuation } from './pod-reference.ts'

const cart = { namespace: 'shop', name: 'cart-7', uid: 'f5823a89' }

test('a pod and its Evacuation lead to the same key', () => {
  const evacuation = {
    metadata: { name: 'f5823a89-cart-7', namespace: 'shop' },
    spec: { podRef: { name: 'cart-7', uid: 'f5823a89' } },
  }
  expect(podKey(podRefOf(stored<Pod>({ metadata: { ...cart, labels: { app: 'cart' } } })))).toBe('shop/cart-7/f5823a89')
  expect(podRefOfEvacuation(evacuation)).toEqual(cart)
})

test('another UID is another pod', () => {
  expect(podKey({ ...cart, uid: '0f9e7cb7' })).not.toBe(podKey(cart))
})
