import { describe, expect, test } from 'vitest'
import { EvacuatorGround } from '../../../test/build/evacuator-ground.ts'
import { evacuations } from '../../api/evacuation/evacuation.ts'
import type { Condition } from '../../api/kubernetes/meta.ts'
import { pods, replicaSets } from '../../api/kubernetes/resources.ts'
import { podRefOf, type PodRef } from '../../api/evacuation/pod-reference.ts'
import { Informer } from '../../kube/watch/informer.ts'
import { noKubeMetrics } from '../../kube/metrics.ts'
import { noQueueMetrics } from '../../runtime/work-queue.ts'
import { WorkloadCaches } from '../workload/workload-caches.ts'
import { EvictStrategyController } from './evict-strategy-controller.ts'

interface Choices {
  readonly strategy?: string
  readonly minReadySeconds?: number
  readonly count?: number
}

/** A ReplicaSet of ready pods, and nobody who makes new ones but the test. */
async function openGround({ strategy, minReadySeconds = 0, count = 3 }: Choices = {}) {
  const ground = new EvacuatorGround()
  const labels = { app: 'web' }
  const annotations = strategy === undefined ? {} : { 'kubernetes.io/evict-strategy': strategy }
  const template = { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'web:1' }] } }
  const spec = { replicas: count, minReadySeconds, selector: { matchLabels: labels }, template }
  const set = await ground.controller.create(replicaSets, {
    metadata: { name: 'web', namespace: 'shop', annotations },
    spec,
  })
  const owner = {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    name: 'web',
    uid: set.metadata.uid,
    controller: true,
  }
  const start = async (name: string, status: 'True' | 'False' = 'True'): Promise<PodRef> => {
    const pod = await ground.createPod(name, { labels, ownerReferences: [owner] })
    await ready(podRefOf(pod), status)
    return podRefOf(pod)
  }
  const ready = async (pod: PodRef, status: 'True' | 'False') => {
    const lastTransitionTime = new Date(ground.clock.nowMs()).toISOString()
    const conditions = [{ type: 'Ready', status, lastTransitionTime }]
    await ground.controller.patch(
      pods,
      pod,
      { type: 'merge', body: { status: { conditions } } },
      { subresource: 'status' },
    )
    await ground.clock.advance(10)
  }
  /** As the evacuation controller does. */
  const ask = async (pod: PodRef) => {
    await ground.evacuateExisting(pod, { registrations: [] })
    const lastTransitionTime = new Date(ground.clock.nowMs()).toISOString()
    const asked: Condition = {
      type: 'ControllerAsked',
      status: 'True',
      reason: 'Asked',
      message: '',
      lastTransitionTime,
    }
    await ground.write(pod, { conditions: [asked] })
    await want(pod)
  }
  const want = async (pod: PodRef) => {
    const body = { metadata: { annotations: { 'kubernetes.io/pod-evict-wanted': 'true' } } }
    await ground.controller.patch(pods, pod, { type: 'merge', body })
    await ground.clock.advance(10)
  }
  const all: PodRef[] = []
  for (let at = 0; at < count; at++) all.push(await start(`web-${at}`))
  const isThere = async (pod: PodRef) => (await ground.pod(pod))?.metadata.uid === pod.uid
  const left = async () => {
    await ground.clock.advance(10)
    const there = await Promise.all(all.map(isThere))
    return all.filter((_, at) => there[at]).map(({ name }) => name)
  }
  return { ground, start, ready, ask, want, all, left }
}

async function lead(ground: EvacuatorGround) {
  const parts = { ...ground.parts, metrics: noKubeMetrics }
  const informer = new Informer({ ...parts, resource: evacuations })
  const caches = new WorkloadCaches(parts)
  const controller = new EvictStrategyController({
    ...parts,
    caches,
    evacuations: informer,
    queueMetrics: noQueueMetrics,
  })
  const stop = new AbortController()
  const following = [informer.run(stop.signal), controller.follow(stop.signal)]
  await ground.clock.advance(10)
  await controller.synced()
  const leading = controller.lead(stop.signal)
  await ground.clock.advance(10)
  return {
    caches,
    [Symbol.asyncDispose]: async () => {
      stop.abort(new Error('the test is over'))
      await Promise.all([...following, leading])
    },
  }
}

const one = '{"maxUnavailable":1}'

describe('a ReplicaSet with a strategy', () => {
  test('loses one pod at a time, the next when its replacement is ready', async () => {
    const { ground, start, ready, ask, all, left } = await openGround({ strategy: one })
    await using leading = await lead(ground)
    for (const pod of all) await ask(pod)
    expect(await left()).toEqual(['web-1', 'web-2'])
    await ground.clock.advance(600_000)
    const replacement = await start('web-3', 'False')
    expect(await left()).toEqual(['web-1', 'web-2'])
    await ready(replacement, 'True')
    expect(await left()).toEqual(['web-2'])
    await start('web-4')
    expect(await left()).toEqual([])
    expect(ground.told.map(({ reason }) => reason)).toEqual(Array.from({ length: 3 }, () => 'EvictWantedPodDeleted'))
    expect(ground.requests.filter((request) => request.startsWith('DELETE'))).toHaveLength(3)
    for (const pod of all) await ground.cancel(pod)
    expect(leading.caches.size).toBe(0)
  })

  test('waits for its minReadySeconds', async () => {
    const { ground, start, ask, all, left } = await openGround({ strategy: one, minReadySeconds: 30 })
    await ground.clock.advance(60_000)
    await using _leading = await lead(ground)
    for (const pod of all) await ask(pod)
    await start('web-3')
    await ground.clock.advance(29_000)
    expect(await left()).toEqual(['web-1', 'web-2'])
    await ground.clock.advance(1_500)
    expect(await left()).toEqual(['web-2'])
  })

  test('goes on after a restart', async () => {
    const { ground, start, ask, all, left } = await openGround({ strategy: one })
    for (const pod of all) await ask(pod)
    {
      await using _leading = await lead(ground)
      expect(await left()).toEqual(['web-1', 'web-2'])
    }
    await start('web-3')
    await using _leading = await lead(ground)
    expect(await left()).toEqual(['web-2'])
  })

  test('tries again when the API server fails', async () => {
    const { ground, ask, all, left } = await openGround({ strategy: one })
    let failures = 0
    ground.beforeRequest = async ({ method }) => {
      if (method === 'DELETE' && ++failures <= 8) throw new Error('the network is gone')
    }
    await using _leading = await lead(ground)
    for (const pod of all) await ask(pod)
    await ground.clock.advance(600_000)
    expect(await left()).toEqual(['web-1', 'web-2'])
  })

  test('leaves pods that nobody asked for', async () => {
    const { ground, want, all, left } = await openGround({ strategy: one })
    await using leading = await lead(ground)
    for (const pod of all) await want(pod)
    for (const pod of all) await ground.evacuateExisting(pod, { registrations: [] })
    expect(await left()).toHaveLength(3)
    expect(leading.caches.size).toBe(0)
  })

  test('leaves pods whose evacuation was cancelled', async () => {
    const { ground, start, ask, all, left } = await openGround({ strategy: one })
    await using _leading = await lead(ground)
    for (const pod of all) await ask(pod)
    for (const pod of all) await ground.cancel(pod)
    await start('web-3')
    expect(await left()).toEqual(['web-1', 'web-2'])
  })
})

describe('a ReplicaSet keeps its pods', () => {
  test('without a strategy', async () => {
    const { ground, ask, all, left } = await openGround()
    await using _leading = await lead(ground)
    for (const pod of all) await ask(pod)
    expect(await left()).toHaveLength(3)
    expect(ground.told).toEqual([])
  })

  test('with one that has no meaning, and is told so once', async () => {
    const { ground, ask, all, left } = await openGround({ strategy: '{"maxUnavailable":0}' })
    await using _leading = await lead(ground)
    for (const pod of all) await ask(pod)
    expect(await left()).toHaveLength(3)
    expect(ground.told.map(({ reason, about }) => `${reason} ${about.kind} ${about.metadata.name}`)).toEqual([
      'InvalidEvictStrategy ReplicaSet web',
    ])
  })
})
