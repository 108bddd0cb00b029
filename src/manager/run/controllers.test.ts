import { Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { FakeApi } from '../../../test/build/fake-api.ts'
import { unmeasuredParts } from '../../../test/build/descheduling-parts.ts'
import { buildKube } from '../../../test/build/kube.ts'
import { featureGateDefaults } from '../../api/feature-gates.ts'
import { noKubeMetrics } from '../../kube/metrics.ts'
import { defaultShutdownSettings } from '../../maintenance/shutdown/shutdown-settings.ts'
import { silentLog } from '../../runtime/log.ts'
import { seededRandom } from '../../runtime/random.ts'
import { VirtualClock } from '../../runtime/virtual-clock.ts'
import { noQueueMetrics } from '../../runtime/work-queue.ts'
import { listControllers } from './controllers.ts'

const evacuators = [
  'evacuators/deployment.apps.k8s.io',
  'evacuators/statefulset.apps.k8s.io',
  'evacuators/horizontalpodautoscaler.autoscaling.k8s.io',
]
const daemonSet = 'evacuators/daemonset.apps.k8s.io'
const kubelet = 'evacuators/kubelet.k8s.io'
const parked = ['static-pods/parked', 'shutdowns']
const surges = ['evacuators/autoscaler-surges', 'deployment/released-pods']
const evictPolicy = ['evacuators/evict-strategy', 'unhealthy-nodes']

function partsWith(off: object) {
  const clock = new VirtualClock()
  const api = new FakeApi()
  const parts = {
    kube: buildKube(api, clock),
    clock,
    random: seededRandom(1),
    log: silentLog,
    events: { record: () => {} },
    registry: new Registry(),
    kubeMetrics: noKubeMetrics,
    queueMetrics: noQueueMetrics,
    gates: { ...featureGateDefaults, ...off },
    namespace: 'lifeboat-system',
    controllerEvictTimeoutMs: 60_000,
    shutdowns: defaultShutdownSettings,
  }
  return { api, parts }
}

test.each([
  {
    off: {},
    expected: [
      'evacuations',
      ...evacuators,
      daemonSet,
      kubelet,
      ...surges,
      ...evictPolicy,
      'maintenances',
      ...parked,
      'daemon-set/held-pods',
    ],
  },
  {
    off: { PodEvictPolicy: false, EvictionInterception: false },
    expected: [
      'evacuations',
      ...evacuators,
      daemonSet,
      kubelet,
      ...surges,
      'maintenances',
      ...parked,
      'daemon-set/held-pods',
    ],
  },
  {
    off: { NodeMaintenanceAwareDaemonSet: false },
    expected: [
      'evacuations',
      ...evacuators,
      kubelet,
      ...surges,
      'daemon-set/former-holds',
      ...evictPolicy,
      'maintenances',
      ...parked,
      'daemon-set/formerly-held-pods',
    ],
  },
  {
    off: { NodeMaintenanceAwareKubelet: false },
    expected: [
      'evacuations',
      ...evacuators,
      daemonSet,
      ...surges,
      ...evictPolicy,
      'maintenances',
      ...parked,
      'daemon-set/held-pods',
    ],
  },
  { off: { EvacuationAPI: false }, expected: [...parked, 'daemon-set/formerly-held-pods'] },
])('with $off there are $expected', async ({ off, expected }) => {
  const { api, parts } = partsWith(off)
  const { registry } = parts
  const { all: controllers } = listControllers(parts)
  expect(controllers.map(({ name }) => name)).toEqual(expected)
  // Listing them asks for nothing; their metrics are there from the start.
  expect(api.requests).toEqual([])
  expect((await registry.metrics()).includes('evacuation_controller_active_evacuator')).toBe(
    expected.includes('evacuations'),
  )
})

test('where it is wanted, the descheduler is the last of them, and asks for nothing until it leads', () => {
  const { api, parts } = partsWith({})
  const { turn, get, files } = unmeasuredParts
  const readPolicy = () => Promise.reject(new Error('it is not read yet'))
  const settings = { turn, get, files, version: '1', readPolicy, intervalMs: 1_000, requestTtlMs: undefined }
  const kubeWhile = () => parts.kube
  const access = { kubeWhile, leaseKube: parts.kube, namespace: 'here', identity: 'it' }
  const { all } = listControllers({ ...parts, descheduling: { ...access, settings } })
  expect(all.at(-1)?.name).toBe('descheduling')
  expect(api.requests).toEqual([])
})
