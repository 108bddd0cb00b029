import { expect, test } from 'vitest'
import { buildServer } from '../../../test/build/embedded-server.ts'
import { buildKube } from '../../../test/build/kube.ts'
import { eventSinkOf } from './event-sink.ts'

test('events are created, and patched where they are there', async () => {
  const { transport, clock, store } = buildServer()
  const sink = eventSinkOf(buildKube(transport, clock))
  const involvedObject = { namespace: 'shop', name: 'cart', kind: 'Pod', apiVersion: 'v1' }
  await sink.create('shop', { metadata: { namespace: 'shop', name: 'cart.1' }, involvedObject, count: 1 })
  await sink.patch('shop', 'cart.1', { count: 2, lastTimestamp: '2026-01-01T00:00:00Z', message: 'again' })
  expect(store.get('events', 'shop/cart.1')).toMatchObject({ count: 2, message: 'again' })
})
