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
  const metrics = prometheusEvacuationMetrics(registry, () => there)
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
