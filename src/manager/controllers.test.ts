import { Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { FakeApi } from '../../test/build/fake-api.ts'
import { buildKube } from '../../test/build/kube.ts'
import { featureGateDefaults } from '../api/feature-gates.ts'
import { noKubeMetrics } from '../kube/metrics.ts'
import { silentLog } from '../runtime/log.ts'
import { seededRandom } from '../runtime/random.ts'
import { VirtualClock } from '../runtime/virtual-clock.ts'
import { noQueueMetrics } from '../runtime/work-queue.ts'
import { listControllers } from './controllers.ts'

const evacuators = [
  'evacuators/deployment.apps.k8s.io',
  'evacuators/statefulset.apps.k8s.io',
  'evacuators/horizontalpodautoscaler.autoscaling.k8s.io',
]
const daemonSet = 'evacuators/daemonset.apps.k8s.io'
const surges = ['evacuators/autoscaler-surges', 'deployment/released-pods']
const evictStrategy = 'evacuators/evict-strategy'

test.each([
  {
    off: {},
    expected: [
      'evacuations',
      ...evacuators,
      daemonSet,
      ...surges,
      evictStrategy,
      'maintenances',
      'daemon-set/held-pods',
    ],
  },
  {
    off: { PodEvictPolicy: false, EvictionInterception: false },
    expected: ['evacuations', ...evacuators, daemonSet, ...surges, 'maintenances', 'daemon-set/held-pods'],
  },
  {
    off: { NodeMaintenanceAwareDaemonSet: false },
    expected: ['evacuations', ...evacuators, ...surges, evictStrategy, 'maintenances', 'daemon-set/formerly-held-pods'],
  },
  { off: { EvacuationAPI: false }, expected: ['daemon-set/formerly-held-pods'] },
])('with $off there are $expected', async ({ off, expected }) => {
  const clock = new VirtualClock()
  const api = new FakeApi()
  const registry = new Registry()
  const { all: controllers } = listControllers({
    kube: buildKube(api, clock),
    clock,
    random: seededRandom(1),
    log: silentLog,
    events: { record: () => {} },
    registry,
    kubeMetrics: noKubeMetrics,
    queueMetrics: noQueueMetrics,
    gates: { ...featureGateDefaults, ...off },
    controllerEvictTimeoutMs: 60_000,
  })
  expect(controllers.map(({ name }) => name)).toEqual(expected)
  // Listing them asks for nothing; their metrics are there from the start.
  expect(api.requests).toEqual([])
  expect((await registry.metrics()).includes('evacuation_controller_active_evacuator')).toBe(
    expected.includes('evacuations'),
  )
})
