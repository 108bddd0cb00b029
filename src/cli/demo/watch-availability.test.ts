import { expect, test } from 'vitest'
import { objectsOf, openDemoStage } from '../../../test/build/demo-stage.ts'
import type { Transport } from '../../kube/client/transport.ts'
import { VirtualClock } from '../../runtime/virtual-clock.ts'
import { applications } from './applications.ts'
import { createAll, until } from './stage.ts'
import { watchAvailability } from './watch-availability.ts'

test('it sees applications come up', async () => {
  await using ground = await openDemoStage()
  const { stage } = ground
  await using watched = await ground.until(watchAvailability(stage.transport, stage.clock))
  expect(watched.meter.short()).toEqual(applications.map(({ name }) => name))
  await ground.until(createAll(stage, objectsOf('web')))
  await ground.until(until(stage, 'web is whole', () => !watched.meter.short().includes('web')))
  expect(watched.meter.belowMs('web', stage.clock.monotonicMs())).toBeGreaterThan(1_000)
  watched.check()
})

const transportOf = (watch: Transport['watch']): Transport => ({
  request: () => Promise.reject(new Error('not asked')),
  watch,
  close: async () => {},
})

test('a watch that ended gives no figures', async () => {
  const clock = new VirtualClock()
  const ended = transportOf(async () => ({ kind: 'stream', events: (async function* () {})() }))
  await using watched = await watchAvailability(ended, clock)
  await clock.advance(1)
  expect(() => watched.check()).toThrow('the watch of pods ended')
})

test('a watch that is refused stops the demo', async () => {
  const refused = transportOf(async () => ({ kind: 'refused', status: 403, headers: {}, body: {} }))
  await expect(watchAvailability(refused, new VirtualClock())).rejects.toThrow('pods cannot be watched: 403')
})
