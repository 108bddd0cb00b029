import { Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { newEvacuationStatus, type Evacuation } from '../api/evacuation/evacuation.ts'
import { storedMeta } from '../../test/build/stored.ts'
import { prometheusEvacuationMetrics } from './metrics.ts'

const evacuation = (activeEvacuatorClass: string | undefined): Evacuation => ({
  metadata: storedMeta({
    namespace: 'depot',
    finalizers: ['evacuation.coordination.k8s.io/instigator_drill.example.com', 'example.com/report'],
  }),
  spec: {
    podRef: { name: 'a', uid: 'u' },
    progressDeadlineSeconds: 600,
    evacuators: [{ evacuatorClass: 'a.example.com', priority: 1 }],
  },
  status: { ...newEvacuationStatus, ...(activeEvacuatorClass === undefined ? {} : { activeEvacuatorClass }) },
})

test('the metrics of the KEP count what is there when somebody asks', async () => {
  const registry = new Registry()
  const there = [evacuation('a.example.com'), evacuation('a.example.com'), evacuation(undefined)]
  const metrics = prometheusEvacuationMetrics(registry, () => there, {
    nowMs: () => Date.parse('2026-01-01T12:00:00Z'),
  })
  metrics.evicted('shop', 'accepted')
  metrics.evicted('shop', 'refused')
  metrics.evicted('shop', 'refused')
  const lines = (await registry.metrics()).split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  expect(lines).toEqual([
    'evacuation_controller_evictions{namespace="shop",result="accepted"} 1',
    'evacuation_controller_evictions{namespace="shop",result="refused"} 2',
    'evacuation_controller_active_evacuator{evacuator_class="a.example.com"} 2',
    'evacuation_controller_active_evacuator{evacuator_class=""} 1',
    'evacuation_controller_active_instigator{instigator="drill.example.com"} 3',
    'evacuation_controller_pod_evacuators{evacuator_class="a.example.com"} 3',
  ])
  const blocked = { type: 'Blocked', message: '', lastTransitionTime: '', reason: 'DisruptionBudget' }
  there.push({
    ...evacuation(undefined),
    metadata: storedMeta({ namespace: 'shop' }),
    status: { ...newEvacuationStatus, conditions: [{ ...blocked, status: 'True' }] },
  })
  there.push({
    ...evacuation(undefined),
    status: { ...newEvacuationStatus, conditions: [{ ...blocked, status: 'False' }] },
  })
  expect(await registry.metrics()).toContain(
    'evacuation_controller_blocked_evacuations{namespace="shop",reason="DisruptionBudget"} 1\n',
  )
  there.length = 1
  expect(await registry.metrics()).not.toContain('evacuator_class=""')
})

test('the age of the oldest blocked evacuation is told by namespace and reason, and ends with it', async () => {
  const registry = new Registry()
  const blockedSince = (namespace: string, reason: string, creationTimestamp: string, status = 'True') => ({
    ...evacuation(undefined),
    metadata: { ...storedMeta({ namespace }), creationTimestamp },
    status: {
      ...newEvacuationStatus,
      conditions: [
        { type: 'Blocked', message: '', lastTransitionTime: '', reason, status: status as 'True' | 'False' },
      ],
    },
  })
  const there: Evacuation[] = [
    blockedSince('shop', 'DisruptionBudget', '2026-01-01T11:59:00Z'),
    blockedSince('shop', 'DisruptionBudget', '2026-01-01T11:00:00Z'),
    blockedSince('shop', 'DisruptionBudget', '2026-01-01T01:00:00Z', 'False'),
    blockedSince('shop', 'WaitingForTurn', '2026-01-01T11:58:00Z'),
    blockedSince('depot', 'DisruptionBudget', '2026-01-01T11:59:30Z'),
  ]
  prometheusEvacuationMetrics(registry, () => there, { nowMs: () => Date.parse('2026-01-01T12:00:00Z') })
  const ages = async () =>
    (await registry.metrics())
      .split('\n')
      .filter((line) => line.startsWith('evacuation_controller_oldest_blocked_evacuation_seconds{'))
      .map((line) => line.replace('evacuation_controller_oldest_blocked_evacuation_seconds', ''))
  expect(await ages()).toEqual([
    '{namespace="shop",reason="DisruptionBudget"} 3600',
    '{namespace="shop",reason="WaitingForTurn"} 120',
    '{namespace="depot",reason="DisruptionBudget"} 30',
  ])
  there.length = 0
  expect(await ages()).toEqual([])
})

test('turns of evacuators are counted by class and outcome', async () => {
  const registry = new Registry()
  const metrics = prometheusEvacuationMetrics(registry, () => [], { nowMs: () => 0 })
  metrics.turnEnded({ evacuatorClass: 'a.example.com', outcome: 'gone', elapsedMs: 42_000 })
  metrics.turnEnded({ evacuatorClass: 'a.example.com', outcome: 'silent', elapsedMs: 600_000 })
  const text = await registry.metrics()
  const name = 'evacuation_controller_evacuator_turn_seconds'
  expect(text).toContain(`${name}_bucket{le="30",evacuator_class="a.example.com",outcome="gone"} 0\n`)
  expect(text).toContain(`${name}_bucket{le="60",evacuator_class="a.example.com",outcome="gone"} 1\n`)
  expect(text).toContain(`${name}_sum{evacuator_class="a.example.com",outcome="silent"} 600\n`)
})
