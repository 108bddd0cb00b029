import { describe, expect, test } from 'vitest'
import { seededRandom } from '../../runtime/random.ts'
import { VirtualClock } from '../../runtime/virtual-clock.ts'
import { pods } from './kinds/pods.ts'
import { checkUpdatePreconditions, isIdentified, metaFaults, metaForCreate, metaForUpdate } from './object-meta.ts'

const parts = () => ({ clock: new VirtualClock(), random: seededRandom(1).stream('x') })
const where = { definition: pods, namespace: 'shop' }

describe('metaForCreate', () => {
  test('sets what only the server sets, whatever came', () => {
    const sent = {
      name: 'a',
      uid: 'mine',
      creationTimestamp: 'long ago',
      deletionTimestamp: 'soon',
      generation: 7,
      labels: { app: 'web' },
    }
    const meta = metaForCreate(sent, where, parts())
    expect(meta).toMatchObject({
      name: 'a',
      namespace: 'shop',
      generation: 1,
      creationTimestamp: '2026-01-01T00:00:00Z',
      labels: { app: 'web' },
    })
    expect(meta.uid).not.toBe('mine')
    expect(meta).not.toHaveProperty('deletionTimestamp')
  })

  test('makes a name from generateName only where there is none', () => {
    expect(metaForCreate({ generateName: 'web-' }, where, parts()).name).toMatch(/^web-.{5}$/)
    expect(metaForCreate({ name: 'a', generateName: 'web-' }, where, parts()).name).toBe('a')
  })

  test.each([
    { sent: { name: 'a', resourceVersion: '1' }, message: 'resourceVersion should not be set' },
    { sent: { name: 'a', namespace: 'other' }, message: 'does not match the namespace sent on the request' },
  ])('refuses $sent', ({ sent, message }) => {
    expect(() => metaForCreate(sent, where, parts())).toThrow(message)
  })
})

describe('an update', () => {
  const old = {
    metadata: {
      name: 'a',
      uid: 'u',
      resourceVersion: '5',
      creationTimestamp: 'then',
      generation: 2,
      deletionTimestamp: 'soon',
      deletionGracePeriodSeconds: 30,
    },
  }

  test('keeps what only the server changes', () => {
    expect(metaForUpdate({ name: 'a', uid: 'other', generation: 9, labels: { app: 'web' } }, old)).toEqual({
      name: 'a',
      uid: 'u',
      creationTimestamp: 'then',
      generation: 2,
      deletionTimestamp: 'soon',
      deletionGracePeriodSeconds: 30,
      labels: { app: 'web' },
    })
  })

  test.each([
    { name: 'the version of now', metadata: { name: 'a', resourceVersion: '5' }, definition: pods, message: undefined },
    { name: 'no version, where that is allowed', metadata: { name: 'a' }, definition: pods, message: undefined },
    {
      name: 'no version, where it is not',
      metadata: { name: 'a' },
      definition: { ...pods, mayUpdateUnconditionally: false },
      message: 'must be specified for an update',
    },
    {
      name: 'an old version',
      metadata: { name: 'a', resourceVersion: '4' },
      definition: pods,
      message: 'the object has been modified',
    },
    {
      name: 'another UID',
      metadata: { name: 'a', uid: 'x' },
      definition: pods,
      message: 'UID in precondition: x, UID in object meta: u',
    },
  ])('with $name', ({ metadata, definition, message }) => {
    const check = () => checkUpdatePreconditions({ metadata }, old, { definition, isPatch: false })
    if (message === undefined) expect(check).not.toThrow()
    else expect(check).toThrow(message)
  })
})

test('an object is identified once it has a name and a UID', () => {
  const identified = [{}, { name: 'a' }, { uid: 'u' }, { name: 'a', uid: 'u' }].map((metadata) =>
    isIdentified({ metadata }),
  )
  expect(identified).toEqual([false, false, false, true])
})

test.each([
  { name: 'cart-1.shop', faults: 0 },
  { name: 'Cart', faults: 1 },
  { name: '-cart', faults: 1 },
  { name: 'x'.repeat(254), faults: 1 },
  { name: '', faults: 1 },
])('"$name" has $faults faults', ({ name, faults }) => {
  expect(metaFaults({ metadata: { name } }, pods)).toHaveLength(faults)
})
