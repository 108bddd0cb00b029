import { Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { exposeEvents, exposeLeading } from './metrics.ts'

test('dropped events and leading are read when somebody asks', async () => {
  const registry = new Registry()
  const events = { dropped: 0 }
  let leads = false
  exposeEvents(registry, events)
  exposeLeading(registry, { isLeading: () => leads })
  expect(await registry.metrics()).toContain('events_dropped_total 0')
  events.dropped = 3
  leads = true
  const text = await registry.metrics()
  expect(text).toContain('events_dropped_total 3')
  expect(text).toContain('leader_election_master_status{name="lifeboat"} 1')
})
