import { expect, test } from 'vitest'
import { podView } from '../../test/build/descheduler-view.ts'
import type { ClusterEvent } from '../kube/events/cluster-event.ts'
import { noDeschedulerMetrics } from './metrics.ts'
import { observing } from './observing.ts'
import type { StrategyReport } from './report/report.ts'

const strategy = { profile: 'p', strategy: 'PodLifeTime' } as const
const pod = podView({ name: 'a' })
const cut: StrategyReport = {
  ...strategy,
  left: [],
  leaving: [],
  spared: [],
  refused: [],
  cut: [{ pod, limit: 'totalLimit' }],
  failure: undefined,
}

function tell(evictionFailureEventNotification: boolean): string[] {
  const told: string[] = []
  const limits = { total: 0, perNode: undefined, perNamespace: undefined }
  const { onAsked, onEnded, onReport } = observing({
    policy: { limits, evictionFailureEventNotification },
    mode: 'evacuate',
    metrics: {
      ...noDeschedulerMetrics,
      asked: (_pod, _strategy, asked) => told.push(`counted ${asked.kind}`),
      strategyEnded: (_strategy, elapsedMs) => told.push(`strategy ${elapsedMs}`),
      cycleEnded: (elapsedMs) => told.push(`cycle ${elapsedMs}`),
    },
    events: { record: ({ reason, note }: ClusterEvent) => told.push(`${reason}: ${note}`) },
  })
  onAsked(pod, strategy, { kind: 'requested' })
  onAsked(pod, strategy, { kind: 'refused', reason: 'a budget' })
  onEnded(strategy, 5)
  onReport({ strategies: [cut] }, 7)
  return told
}

test('requests are counted and told; failures are told only where the policy says so', () => {
  expect(tell(false)).toEqual([
    'counted requested',
    'PodLifeTime: Asked to leave n1: p/PodLifeTime',
    'counted refused',
    'strategy 5',
    'cycle 7',
  ])
  expect(tell(true)).toEqual([
    'counted requested',
    'PodLifeTime: Asked to leave n1: p/PodLifeTime',
    'counted refused',
    'EvictionFailed: pod eviction from n1 node by sigs.k8s.io/descheduler failed: a budget',
    'strategy 5',
    'cycle 7',
    'EvictionFailed: pod eviction from n1 node by sigs.k8s.io/descheduler failed: total eviction limit exceeded (0)',
  ])
})
