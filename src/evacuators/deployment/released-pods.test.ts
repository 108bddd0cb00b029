import { describe, expect, test } from 'vitest'
import { buildServer } from '../../../test/build/embedded-server.ts'
import { buildKube } from '../../../test/build/kube.ts'
import { customResourceDefinitions } from '../../api/schema/custom-resource-definitions.ts'
import { evacuationName } from '../../api/evacuation/evacuation-name.ts'
import { evacuations, evacuationType } from '../../api/evacuation/evacuation.ts'
import { pods, replicaSets } from '../../api/kubernetes/resources.ts'
import { annotations, labels } from '../../api/names.ts'
import { podRefOf } from '../../api/evacuation/pod-reference.ts'
import { customResources } from '../../embedded/server/kinds/custom-resource.ts'
import type { AnyObject } from '../../embedded/server/store.ts'
import { Informer } from '../../kube/watch/informer.ts'
import { noKubeMetrics } from '../../kube/metrics.ts'
import { silentLog } from '../../runtime/log.ts'
import { noQueueMetrics } from '../../runtime/work-queue.ts'
import { WorkloadCaches } from '../workload/workload-caches.ts'
import { renderReleasedFrom } from '../workload/released-from.ts'
import { ReleasedPods } from './released-pods.ts'

const namespace = 'shop'
const from = { hash: '5d', replicaSet: 'web-5d', deployment: { name: 'web', uid: 'd' }, atMs: 0 }
const selector = { matchLabels: { app: 'web', 'pod-template-hash': '5d' } }
const containers = [{ name: 'main', image: 'web:1' }]

/** An embedded API server without controllers, a released pod, and the controller at work. */
async function releasedGround({ withReplicaSet = true } = {}) {
  const definitions = customResourceDefinitions().flatMap((each) => customResources(each as object as AnyObject))
  const { clock, random, transport } = buildServer({ definitions })
  const kube = buildKube(transport, clock)
  if (withReplicaSet) {
    const template = { metadata: { labels: selector.matchLabels }, spec: { containers } }
    const set = { metadata: { namespace, name: 'web-5d' }, spec: { replicas: 1, selector, template } }
    await kube.create(replicaSets, set)
  }
  const released = {
    labels: { app: 'web', [labels.released]: 'true' },
    annotations: { [annotations.releasedFrom]: renderReleasedFrom(from), theirs: 'stays' },
  }
  const pod = await kube.create(pods, { metadata: { namespace, name: 'web-1', ...released }, spec: { containers } })
  const informed = { kube, clock, random, log: silentLog, metrics: noKubeMetrics }
  const parts = { ...informed, queueMetrics: noQueueMetrics, caches: new WorkloadCaches(informed) }
  const informer = new Informer({ ...parts, resource: evacuations })
  const key = { namespace, name: evacuationName(podRefOf(pod)) }
  return {
    kube,
    clock,
    evacuate: () => {
      const spec = { podRef: { name: 'web-1', uid: podRefOf(pod).uid }, progressDeadlineSeconds: 1_800 }
      return kube.create(evacuations, { ...evacuationType, metadata: key, spec })
    },
    endEvacuation: () => kube.delete(evacuations, key),
    look: async () => (await kube.get(pods, { namespace, name: 'web-1' })).metadata,
    lead: async () => {
      const controller = new ReleasedPods({ ...parts, evacuations: informer })
      const stop = new AbortController()
      const running = [informer.run(stop.signal), controller.follow(stop.signal)]
      await clock.advance(100)
      const leading = controller.lead(stop.signal)
      await clock.advance(100)
      return {
        [Symbol.asyncDispose]: async () => {
          stop.abort(new Error('the test is over'))
          await Promise.all([...running, leading])
        },
      }
    },
  }
}

const putBack = { labels: { app: 'web', 'pod-template-hash': '5d' }, annotations: { theirs: 'stays' } }

describe('a released pod', () => {
  test('stays released while its Evacuation is there, and is put back when that goes', async () => {
    const ground = await releasedGround()
    await ground.evacuate()
    await using _leading = await ground.lead()
    await ground.clock.advance(3_600_000)
    expect((await ground.look()).labels).toEqual({ app: 'web', [labels.released]: 'true' })
    await ground.endEvacuation()
    await ground.clock.advance(9_000)
    expect((await ground.look()).labels).toEqual({ app: 'web', [labels.released]: 'true' })
    await ground.clock.advance(2_000)
    expect(await ground.look()).toMatchObject(putBack)
  })

  test('stays released where somebody asks again soon', async () => {
    const ground = await releasedGround()
    await ground.evacuate()
    await using _leading = await ground.lead()
    await ground.endEvacuation()
    await ground.clock.advance(9_000)
    await ground.evacuate()
    await ground.clock.advance(3_600_000)
    expect((await ground.look()).labels).toEqual({ app: 'web', [labels.released]: 'true' })
  })

  test('is put back at the start if its Evacuation went before', async () => {
    const ground = await releasedGround()
    await using _leading = await ground.lead()
    await ground.clock.advance(11_000)
    expect(await ground.look()).toMatchObject(putBack)
  })

  test('loses its traces if its ReplicaSet is gone', async () => {
    const ground = await releasedGround({ withReplicaSet: false })
    await using _leading = await ground.lead()
    await ground.clock.advance(11_000)
    expect(await ground.look()).toMatchObject({ labels: { app: 'web' }, annotations: { theirs: 'stays' } })
    expect((await ground.look()).labels).toEqual({ app: 'web' })
  })
})
