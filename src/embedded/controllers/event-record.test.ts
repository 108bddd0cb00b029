import { expect, test } from 'vitest'
import { storedMeta } from '../../../test/build/stored.ts'
import { ControllerGround } from '../../../test/build/controller-ground.ts'
import { recordEvent } from './event-record.ts'

const about = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: storedMeta({ name: 'web', namespace: 'default', uid: 'u1' }),
}
const event = { type: 'Warning', reason: 'FailedScheduling', message: 'no room', component: 'test' } as const

test('the same again counts up, another one is another', async () => {
  await using ground = new ControllerGround([])
  await recordEvent(ground.parts, about, event)
  await ground.clock.advance(5_000)
  await recordEvent(ground.parts, about, event)
  await recordEvent(ground.parts, about, { ...event, message: 'no node' })
  const events = ground.store.list('events').map(({ count, message, firstTimestamp, lastTimestamp }) => ({
    count,
    message,
    firstTimestamp,
    lastTimestamp,
  }))
  expect(events).toHaveLength(2)
  expect(events).toContainEqual({
    count: 2,
    message: 'no room',
    firstTimestamp: '2026-01-01T00:00:00Z',
    lastTimestamp: '2026-01-01T00:00:05Z',
  })
})

test('a namespace that is about to go takes no more, and that is no failure', async () => {
  await using ground = new ControllerGround([])
  const gone = { ...about, metadata: { ...about.metadata, namespace: 'gone' } }
  await expect(recordEvent(ground.parts, gone, event)).resolves.toBeUndefined()
})
