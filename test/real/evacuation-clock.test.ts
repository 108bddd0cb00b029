import { expect, test } from 'vitest'
import { evacuations, type Evacuation } from '../../src/api/evacuation/evacuation.ts'
import { evacuationName } from '../../src/api/evacuation/evacuation-name.ts'
import { instigatorFinalizer } from '../../src/api/evacuation/instigator-finalizers.ts'
import { namespaces, nodes, pods } from '../../src/api/kubernetes/resources.ts'
import { EvacuationController } from '../../src/evacuation/evacuation-controller.ts'
import { noEvacuationMetrics } from '../../src/evacuation/metrics.ts'
import type { Kube } from '../../src/kube/client/client.ts'
import { noKubeMetrics } from '../../src/kube/metrics.ts'
import { NodePods } from '../../src/kube/watch/node-pods.ts'
import { install } from '../../src/manager/install/install.ts'
import { installation, userOfServiceAccount } from '../../src/manager/install/installation-names.ts'
import type { Clock } from '../../src/runtime/clock.ts'
import { silentLog } from '../../src/runtime/log.ts'
import { systemClock, systemRandom } from '../../src/runtime/system.ts'
import { noQueueMetrics } from '../../src/runtime/work-queue.ts'
import { buildNode } from '../build/nodes-and-pods.ts'
import { connect } from '../cluster/connect.ts'
import { ownCluster } from './own-cluster.ts'

// Nobody can set a creation timestamp, and no deadline is shorter than ten minutes: here the controller's clock is ahead.

const namespace = 'evacuation-clock'

test('"or from .metadata.creationTimestamp if .status.evacuationProgressTimestamp is nil", on the real cluster', async () => {
  await using connection = await connect(ownCluster())
  const { kube } = connection
  await install({ kube, clock: systemClock }, installation.namespace)
  await kube.create(namespaces, { metadata: { name: namespace } })
  await kube.create(nodes, buildNode({ name: namespace }))
  await untilNodeIsReady(kube, namespace)
  const spec = { nodeName: namespace, containers: [{ name: 'main', image: 'web:1' }] }
  const { metadata } = await kube.create(pods, { metadata: { name: 'web', namespace }, spec })
  const podRef = { name: 'web', uid: metadata.uid }
  const evacuators = [{ evacuatorClass: 'silent.example.com', priority: 5 }]
  const key = { namespace, name: evacuationName(podRef) }
  const created: Evacuation = await kube.create(evacuations, {
    metadata: { ...key, finalizers: [instigatorFinalizer('drill.example.com')] },
    spec: { podRef, evacuators, progressDeadlineSeconds: 600 },
  })
  const status = { activeEvacuatorClass: 'silent.example.com' }
  await kube.patch(evacuations, key, { type: 'merge', body: { status } }, { subresource: 'status' })

  const evicted = async (aheadMs: number, waitMs: number): Promise<boolean> => {
    const stop = new AbortController()
    const controller = controllerWith({ ...systemClock, nowMs: () => systemClock.nowMs() + aheadMs })
    const running = Promise.all([controller.follow(stop.signal), controller.lead(stop.signal)])
    const untilMs = systemClock.nowMs() + waitMs
    let isGone = false
    while (!isGone && systemClock.nowMs() < untilMs) {
      await new Promise((resolve) => setTimeout(resolve, 100))
      isGone = (await kube.list(evacuations, { namespace })).items.length === 0
    }
    stop.abort(new Error('seen enough'))
    await running
    return isGone
  }
  // No other account may mark an Evacuation as finished.
  const lifeboat = connection.as(userOfServiceAccount(installation.namespace))
  const controllerWith = (clock: Clock) =>
    new EvacuationController({
      kube: lifeboat,
      clock,
      random: systemRandom,
      log: silentLog,
      events: { record: () => {} },
      kubeMetrics: noKubeMetrics,
      queueMetrics: noQueueMetrics,
      metrics: noEvacuationMetrics,
      nodePods: new NodePods({ kube: lifeboat, clock, random: systemRandom, log: silentLog, metrics: noKubeMetrics }),
      podEvictPolicy: true,
      claims: async () => [],
      node: async () => undefined,
      controllerEvictTimeoutMs: 60_000,
    })

  expect(created.status?.evacuationProgressTimestamp).toBeUndefined()
  expect(await evicted(570_000, 2_000)).toBe(false)
  expect(await evicted(601_000, 30_000)).toBe(true)
})

/** Its simulated kubelet takes no notice of pods that were there before it. */
async function untilNodeIsReady(kube: Kube, name: string): Promise<void> {
  for (;;) {
    const { status } = await kube.get(nodes, { name })
    if (status?.conditions?.some((condition) => condition.type === 'Ready' && condition.status === 'True')) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
