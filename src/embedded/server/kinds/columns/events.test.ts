import { expect, test } from 'vitest'
import { storedMeta } from '../../../../../test/build/stored.ts'
import { eventColumns } from './events.ts'

const nowMs = Date.UTC(2026, 0, 1, 0, 5)
const row = (event: object) =>
  eventColumns.map(({ cell }) => cell({ metadata: storedMeta({ name: 'e' }), ...event }, nowMs))
const about = {
  type: 'Normal',
  reason: 'Started',
  message: ' started \n',
  involvedObject: { kind: 'Pod', name: 'a', fieldPath: 'spec.containers{x}' },
}

test('an event of the older form', () => {
  const times = { firstTimestamp: '2026-01-01T00:00:00Z', lastTimestamp: '2026-01-01T00:04:00Z', count: 3 }
  const source = { component: 'kubelet', host: 'one' }
  expect(row({ ...about, ...times, source })).toEqual([
    '60s',
    'Normal',
    'Started',
    'pod/a',
    'spec.containers{x}',
    'kubelet, one',
    'started',
    '5m',
    3,
    'e',
  ])
})

test('an event of the newer form, alone and in a series', () => {
  const event = { ...about, eventTime: '2026-01-01T00:00:00.000000Z', reportingComponent: 'scheduler', source: {} }
  expect(row({ ...event, firstTimestamp: null, lastTimestamp: null })).toMatchObject({
    0: '5m',
    5: 'scheduler',
    7: '5m',
    8: 1,
  })
  expect(row({ ...event, series: { count: 4, lastObservedTime: '2026-01-01T00:04:30.000000Z' } })).toMatchObject({
    0: '30s',
    8: 4,
  })
})
