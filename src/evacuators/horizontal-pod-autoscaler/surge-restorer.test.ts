import { describe, expect, test } from 'vitest'
import { EvacuatorGround } from '../../../test/build/evacuator-ground.ts'
import { evacuations } from '../../api/evacuation/evacuation.ts'
import { evacuationName } from '../../api/evacuation/evacuation-name.ts'
import { horizontalPodAutoscalers } from '../../api/kubernetes/resources.ts'
import type { PodRef } from '../../api/evacuation/pod-reference.ts'
import { Informer } from '../../kube/watch/informer.ts'
import { noKubeMetrics } from '../../kube/metrics.ts'
import { noQueueMetrics } from '../../runtime/work-queue.ts'
import type { Surge } from './surge.ts'
import { SurgeRestorer } from './surge-restorer.ts'

const key = 'evacuation.coordination.k8s.io/surge'
const scaler = { namespace: 'shop', name: 'web' }

async function openGround(found = 2) {
  const ground = new EvacuatorGround()
  const pods: PodRef[] = []
  for (const name of ['one', 'two']) pods.push(await ground.evacuate(name, { registrations: [] }))
  const surge: Surge = { found, base: 3, set: 5, peak: 5, evacuations: pods.map(evacuationName) }
  await ground.controller.create(horizontalPodAutoscalers, {
    metadata: { ...scaler, labels: { [key]: '', app: 'web' }, annotations: { [key]: JSON.stringify(surge) } },
    spec: {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
      minReplicas: 5,
      maxReplicas: 10,
    },
  })
  const look = async () => {
    await ground.clock.advance(100)
    const { metadata, spec } = await ground.controller.get(horizontalPodAutoscalers, scaler)
    const note = metadata.annotations?.[key]
    const surgeSeen = note === undefined ? undefined : (JSON.parse(note) as Surge)
    return { min: spec?.minReplicas, isLabelled: metadata.labels?.[key] !== undefined, surge: surgeSeen }
  }
  const patch = (body: object) => ground.controller.patch(horizontalPodAutoscalers, scaler, { type: 'merge', body })
  return { ground, pods: pods as [PodRef, PodRef], look, patch }
}

async function lead(ground: EvacuatorGround, namespace = 'shop') {
  const parts = { ...ground.parts, metrics: noKubeMetrics }
  const informer = new Informer({ ...parts, resource: evacuations, selection: { namespace } })
  const controller = new SurgeRestorer({ ...parts, evacuations: informer, queueMetrics: noQueueMetrics })
  const stop = new AbortController()
  const following = [informer.run(stop.signal), controller.follow(stop.signal)]
  await ground.clock.advance(10)
  await controller.synced()
  const leading = controller.lead(stop.signal)
  await ground.clock.advance(100)
  return {
    [Symbol.asyncDispose]: async () => {
      stop.abort(new Error('the test is over'))
      await Promise.all([...following, leading])
    },
  }
}

const restored = { min: 2, isLabelled: false, surge: undefined }

describe('an autoscaler that was raised', () => {
  test('stays so while its evacuations are there, at no cost', async () => {
    const { ground, look } = await openGround()
    await using _leading = await lead(ground)
    const before = ground.requests.length
    await ground.clock.advance(3_600_000)
    expect(await look()).toMatchObject({ min: 5, isLabelled: true })
    expect(ground.requests.slice(before).filter((line) => !line.includes('GET'))).toEqual([])
  })

  test('is lowered as they end, and then as it was', async () => {
    const { ground, pods, look } = await openGround()
    await using _leading = await lead(ground)
    await ground.cancel(pods[0])
    expect(await look()).toMatchObject({ min: 4, surge: { set: 4, evacuations: [evacuationName(pods[1])] } })
    await ground.cancel(pods[1])
    expect(await look()).toEqual(restored)
  })

  test('is lowered when one is being deleted, and held by somebody', async () => {
    const { ground, pods, look } = await openGround()
    await using _leading = await lead(ground)
    await ground.cancel(pods[0], ['deployment.apps.k8s.io'])
    expect(await look()).toMatchObject({ min: 4 })
  })

  test('is as it was after all of them ended while nobody looked', async () => {
    const { ground, pods, look } = await openGround()
    for (const pod of pods) await ground.cancel(pod)
    await using _leading = await lead(ground)
    expect(await look()).toEqual(restored)
  })

  test('keeps what somebody has set meanwhile', async () => {
    const { ground, pods, look, patch } = await openGround()
    await using _leading = await lead(ground)
    await patch({ spec: { minReplicas: 7 } })
    await ground.cancel(pods[0])
    expect(await look()).toMatchObject({ min: 7, isLabelled: true })
    await ground.cancel(pods[1])
    expect(await look()).toEqual({ ...restored, min: 7 })
  })

  test('is as it was though somebody took the label off', async () => {
    const { ground, pods, look, patch } = await openGround()
    await using _leading = await lead(ground)
    await patch({ metadata: { labels: { [key]: null } } })
    expect(await look()).toMatchObject({ min: 5, isLabelled: true })
    for (const pod of pods) await ground.cancel(pod)
    expect(await look()).toEqual(restored)
  })

  test('stays so though the cache does not show its evacuations yet', async () => {
    const { ground, look } = await openGround()
    await using _leading = await lead(ground, 'elsewhere')
    expect(await look()).toMatchObject({ min: 5, isLabelled: true })
  })

  test('may be deleted', async () => {
    const { ground, pods } = await openGround()
    await using _leading = await lead(ground)
    await ground.controller.delete(horizontalPodAutoscalers, scaler)
    for (const pod of pods) await ground.cancel(pod)
    await ground.clock.advance(1_000)
    expect(ground.requests.filter((line) => line.startsWith('PATCH'))).toEqual([])
  })

  test('keeps what somebody sets at the very moment at which it is put back', async () => {
    const { ground, pods, look, patch } = await openGround()
    for (const pod of pods) await ground.cancel(pod)
    let isFirst = true
    ground.beforeRequest = async ({ method }) => {
      if (method !== 'PATCH' || !isFirst) return
      isFirst = false
      await patch({ spec: { minReplicas: 9 } })
    }
    await using _leading = await lead(ground)
    await ground.clock.advance(2_000)
    expect(await look()).toEqual({ ...restored, min: 9 })
  })
})
