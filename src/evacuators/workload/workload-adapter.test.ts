import { expect, test } from 'vitest'
import { EvacuatorGround } from '../../../test/build/evacuator-ground.ts'
import type { Evacuation } from '../../api/evacuation/evacuation.ts'
import type { ConfigMap, Pod } from '../../api/kubernetes/core.ts'
import { configMaps, pods } from '../../api/kubernetes/resources.ts'
import { podRefOf, type PodRef } from '../../api/evacuation/pod-reference.ts'
import { noKubeMetrics } from '../../kube/metrics.ts'
import type { CancelResult, StepResult } from '../evacuator.ts'
import { stored, storedMeta } from '../../../test/build/stored.ts'
import { WorkloadAdapter } from './workload-adapter.ts'
import { placeOf, WorkloadCaches } from './workload-caches.ts'
import type { PatchWrite, WorkloadCancelStep, WorkloadEvacuator, WorkloadStep } from './workload-evacuator.ts'

const ours = 'ours.example.com'
const registration = { evacuatorClass: ours, priority: 500 }
const priority = `evacuation.coordination.k8s.io/priority_${ours}`
const registered = 'evacuation.coordination.k8s.io/registered'

interface View {
  readonly pod: Pod
  readonly others: readonly Pod[]
  readonly evictionAskedMs: number | undefined
}

interface Script {
  readonly step?: (view: View) => WorkloadStep
  readonly cancel?: (view: View) => WorkloadCancelStep
  readonly workload?: (pod: Pod) => string
}

/** A pod `a`, and an evacuator that does as the script says. */
async function setUp(script: Script, peekPod?: (ref: PodRef) => Pod | undefined) {
  const ground = new EvacuatorGround()
  const { clock, kube, random } = ground
  const { log } = ground.parts
  const caches = new WorkloadCaches({ kube, clock, random, log, metrics: noKubeMetrics })
  const evacuator: WorkloadEvacuator<View> = {
    evacuatorClass: ours,
    claim: async () => registration,
    follows: () => [{ resource: pods }, { resource: configMaps }],
    workloadOf: (pod) => script.workload?.(pod) ?? 'web',
    gather: async ({ pod, evictionAskedMs }, world) => {
      world.get(configMaps, 'settings')
      return { pod, others: world.select(pods, () => true), evictionAskedMs }
    },
    step: (view) => script.step?.(view) ?? { kind: 'working', message: 'moving' },
    ...(script.cancel === undefined ? {} : { cancel: script.cancel }),
  }
  const adapter = new WorkloadAdapter({ evacuator, kube, clock, caches, ...(peekPod === undefined ? {} : { peekPod }) })
  const create = async (name: string) => {
    const pod = await ground.createPod(name)
    const evacuation: Evacuation = {
      metadata: storedMeta({ namespace: 'shop', name: `evacuation-of-${name}`, uid: `e-${name}` }),
      spec: { podRef: podRefOf(pod), evacuators: [registration], progressDeadlineSeconds: 600 },
    }
    return { pod, evacuation, nowMs: clock.nowMs(), kube }
  }
  const turn = { ...(await create('a')), signal: new AbortController().signal }
  const call = async <Result>(work: Promise<Result>): Promise<Result> => {
    await clock.advance(10)
    return work
  }
  const seen = () => ground.pod(podRefOf(turn.pod))
  return { ground, clock, caches, adapter, create, turn, call, seen }
}

const label = (pod: Pod, value: string): PatchWrite => {
  return { kind: 'patch', resource: pods, object: pod, change: { metadata: { labels: { moved: value } } } }
}
const isMoved = ({ pod }: View) => pod.metadata.labels?.['moved'] === 'yes'

test('a write is carried out, with the registration in the same request, and the view is gathered anew', async () => {
  const { ground, adapter, turn, call, seen } = await setUp({
    step: (view) =>
      isMoved(view) ? { kind: 'working', message: 'moved' } : { kind: 'write', write: label(view.pod, 'yes') },
  })
  expect(await call(adapter.step(turn))).toEqual({ kind: 'working', message: 'moved' })
  expect((await seen())?.metadata).toMatchObject({
    labels: { moved: 'yes' },
    annotations: { [priority]: '500', [registered]: ours },
  })
  expect(ground.requests.filter((request) => request.startsWith('PATCH'))).toHaveLength(1)
})

test.each<{ result: StepResult; isRegistered: boolean }>([
  { result: { kind: 'working', message: 'moving' }, isRegistered: true },
  { result: { kind: 'waiting', because: { reason: 'Because', message: 'of that' } }, isRegistered: true },
  { result: { kind: 'completed', message: 'not mine' }, isRegistered: false },
  { result: { kind: 'evict' }, isRegistered: false },
])('after $result.kind the pod is registered: $isRegistered', async ({ result, isRegistered }) => {
  const { adapter, turn, call, seen } = await setUp({ step: () => result })
  expect(await call(adapter.step(turn))).toMatchObject(result)
  expect((await seen())?.metadata.annotations?.[priority] !== undefined).toBe(isRegistered)
})

test('nothing is decided about a pod while it is being put back', async () => {
  const { adapter, turn, call, caches } = await setUp({ step: () => ({ kind: 'evict' }) })
  const puttingBack = caches.beginPuttingBack(podRefOf(turn.pod).uid)
  expect(await call(adapter.step(turn))).toMatchObject({ kind: 'working', againInMs: 1_000 })
  puttingBack[Symbol.dispose]()
  expect(await call(adapter.step(turn))).toMatchObject({ kind: 'evict' })
})

test('somebody was faster: nothing is written on top, and the step sees what is there', async () => {
  const views: string[] = []
  const { ground, adapter, turn, call, seen } = await setUp({
    step: ({ pod }) => {
      views.push(pod.metadata.labels?.['theirs'] ?? 'none')
      return views.length === 1 ? { kind: 'write', write: label(pod, 'yes') } : { kind: 'completed', message: 'theirs' }
    },
  })
  ground.beforeRequest = async ({ method }) => {
    if (method !== 'PATCH') return
    ground.beforeRequest = async () => {}
    const body = { metadata: { labels: { theirs: 'first' } } }
    await ground.controller.patch(pods, podRefOf(turn.pod), { type: 'merge', body })
  }
  expect(await call(adapter.step(turn))).toEqual({ kind: 'completed', message: 'theirs' })
  expect(views).toEqual(['none', 'first'])
  expect((await seen())?.metadata.labels).toEqual({ theirs: 'first' })
})

test('one that writes for ever is stopped', async () => {
  const { ground, adapter, turn, call } = await setUp({
    step: ({ pod }) => ({ kind: 'write', write: label(pod, pod.metadata.resourceVersion) }),
  })
  expect(await call(adapter.step(turn))).toMatchObject({ kind: 'working', againInMs: 1_000 })
  expect(ground.requests.filter((request) => request.startsWith('PATCH'))).toHaveLength(10)
})

test('a deletion names the pod that is meant, and is the last thing that happens to it', async () => {
  const { ground, adapter, turn, call, seen } = await setUp({
    step: ({ pod }) => ({ kind: 'write', write: { kind: 'deletePod', pod: podRefOf(pod) } }),
  })
  expect(await call(adapter.step(turn))).toMatchObject({ kind: 'working' })
  expect(await seen()).toBeUndefined()
  expect(ground.requests.filter((request) => request.startsWith('DELETE'))).toHaveLength(1)
})

test('steps of one workload run one after the other, and the second one does not count on the pod that the first lets go', async () => {
  const counted: number[] = []
  const isReady = ({ status }: Pod) =>
    status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') ?? false
  const { ground, clock, adapter, create, turn } = await setUp({
    step: ({ others }) => {
      const ready = others.filter(isReady).length
      counted.push(ready)
      return ready > 1 ? { kind: 'evict' } : { kind: 'working', message: 'not now' }
    },
  })
  const other = { ...(await create('b')), signal: turn.signal }
  for (const { pod } of [turn, other]) {
    const status = { conditions: [{ type: 'Ready', status: 'True' }] }
    await ground.controller.patch(pods, podRefOf(pod), { type: 'merge', body: { status } }, { subresource: 'status' })
  }
  const both = Promise.all([adapter.step(turn), adapter.step(other)])
  await clock.advance(10)
  expect((await both).map(({ kind }) => kind)).toEqual(['evict', 'working'])
  expect(counted).toEqual([2, 1])
  // It was refused: the pod is asked about again, and counts again.
  const again = adapter.step(turn)
  await clock.advance(10)
  expect((await again).kind).toBe('evict')
})

test('a step hears when it last asked for an eviction', async () => {
  const asked: (number | undefined)[] = []
  const { clock, adapter, turn, call } = await setUp({
    step: ({ evictionAskedMs }) => {
      asked.push(evictionAskedMs)
      return { kind: 'evict' }
    },
  })
  await call(adapter.step(turn))
  const atMs = clock.nowMs() - 10
  await call(adapter.step(turn))
  expect(asked).toEqual([undefined, atMs])
})

const putBack: CancelResult = { kind: 'completed', message: 'back' }

test('cancel puts back what the evacuator says, and takes the registration off with it', async () => {
  const { ground, adapter, turn, call, seen } = await setUp({
    step: (view) =>
      isMoved(view) ? { kind: 'working', message: 'moved' } : { kind: 'write', write: label(view.pod, 'yes') },
    cancel: (view) => (isMoved(view) ? { kind: 'write', write: label(view.pod, 'no') } : putBack),
  })
  await call(adapter.step(turn))
  ground.requests.splice(0)
  expect(await call(adapter.cancel(turn))).toEqual(putBack)
  expect((await seen())?.metadata).toMatchObject({ labels: { moved: 'no' } })
  expect((await seen())?.metadata.annotations ?? {}).toEqual({})
  expect(ground.requests.filter((request) => request.startsWith('PATCH'))).toHaveLength(1)
})

test('cancel takes the registration off, also of an evacuator that has nothing to put back', async () => {
  const { adapter, turn, call, seen } = await setUp({})
  await call(adapter.step(turn))
  expect((await call(adapter.cancel(turn))).kind).toBe('completed')
  expect((await seen())?.metadata.annotations ?? {}).toEqual({})
})

test('cancel looks at the pod as it is, whatever a cache says', async () => {
  const views: boolean[] = []
  const { ground, adapter, turn, call } = await setUp({
    cancel: (view) => {
      views.push(isMoved(view))
      return putBack
    },
  })
  const body = { metadata: { labels: { moved: 'yes' } } }
  await ground.controller.patch(pods, podRefOf(turn.pod), { type: 'merge', body })
  await call(adapter.cancel(turn))
  expect(views).toEqual([true])
})

test('there is nothing to cancel about a pod that is gone', async () => {
  const { ground, adapter, turn, call } = await setUp({ cancel: () => ({ kind: 'working', message: 'still at it' }) })
  await ground.removePod(podRefOf(turn.pod))
  expect((await call(adapter.cancel(turn))).kind).toBe('completed')
})

test('what an evacuation looked at wakes it, until it is forgotten; then nothing is followed either', async () => {
  const { caches, adapter, turn, call } = await setUp({})
  await call(adapter.step(turn))
  const change = {
    kind: 'added',
    object: stored<ConfigMap>({ metadata: { namespace: 'shop', name: 'settings' } }),
  } as const
  expect(adapter.wokenBy(change, placeOf(configMaps, 'shop'))).toEqual(['shop/evacuation-of-a'])
  expect([adapter.size, caches.size]).toEqual([1, 2])
  adapter.forget('shop/evacuation-of-a')
  expect(adapter.wokenBy(change, placeOf(configMaps, 'shop'))).toEqual([])
  expect([adapter.size, caches.size]).toEqual([0, 0])
})

test('a pod is read from the cache where there is one, and from the API server where there is none', async () => {
  const { ground, adapter, turn, call } = await setUp({})
  const { signal } = turn
  expect((await call(adapter.readPod(podRefOf(turn.pod), signal)))?.metadata.name).toBe('a')
  expect(ground.requests).toEqual(['GET /api/v1/namespaces/shop/pods/a'])
  await call(adapter.step(turn))
  ground.requests.splice(0)
  expect((await adapter.readPod(podRefOf(turn.pod), signal))?.metadata.name).toBe('a')
  expect(ground.requests).toEqual([])
})

test('after an eviction was asked for, the API server tells what came of it', async () => {
  const { ground, adapter, turn, call } = await setUp({ step: () => ({ kind: 'evict' }) })
  const ref = podRefOf(turn.pod)
  await call(adapter.step(turn))
  ground.requests.splice(0)
  expect((await call(adapter.readPod(ref, turn.signal)))?.metadata.deletionTimestamp).toBeUndefined()
  expect(ground.requests).toEqual(['GET /api/v1/namespaces/shop/pods/a'])
  // The API server knows of its end, and no cache does yet.
  ground.beforeRequest = async () => {
    ground.beforeRequest = async () => {}
    await ground.controller.delete(pods, ref, { gracePeriodSeconds: 0 })
  }
  expect((await adapter.readPod(ref, turn.signal))?.metadata.deletionTimestamp).toBeDefined()
})

test('a pod that a cache has shown and shows no more is gone, and nobody has to ask', async () => {
  const { ground, adapter, turn, call } = await setUp({})
  const ref = podRefOf(turn.pod)
  expect(adapter.hasGone(ref)).toBe(false)
  await call(adapter.step(turn))
  await ground.removePod(ref)
  await call(Promise.resolve())
  ground.requests.splice(0)
  expect(adapter.hasGone(ref)).toBe(true)
  expect(await adapter.readPod(ref, turn.signal)).toBeUndefined()
  expect(ground.requests).toEqual([])
})

test('a pod that another part of the process follows is not asked for', async () => {
  const known: Pod[] = []
  const { ground, adapter, turn } = await setUp({}, ({ uid }) => known.find(({ metadata }) => metadata.uid === uid))
  const ref = podRefOf(turn.pod)
  known.push(turn.pod)
  const before = ground.requests.length
  expect((await adapter.readPod(ref, turn.signal))?.metadata.name).toBe('a')
  expect(ground.requests).toHaveLength(before)
})
