import { expect, test } from 'vitest'
import { eventSubject } from './event-subject.ts'

const kind = { apiVersion: 'v1', kind: 'Pod' }

test.each([
  {
    name: 'an object of a namespace',
    metadata: { name: 'cart-7', namespace: 'shop', uid: 'u', resourceVersion: '7', labels: { app: 'cart' } },
    expected: { name: 'cart-7', namespace: 'shop', uid: 'u' },
  },
  {
    name: 'one of the whole cluster',
    metadata: { name: 'node-1', uid: 'u', resourceVersion: '7' },
    expected: { name: 'node-1', uid: 'u' },
  },
])('an event can be about $name', ({ metadata, expected }) => {
  expect(eventSubject({ metadata }, kind)).toEqual({ ...kind, metadata: expected })
})
