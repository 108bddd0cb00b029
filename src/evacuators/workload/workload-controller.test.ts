import { EvacuationWriter } from '../../evacuation-client/evacuation-writer.ts'
import { expect, test } from 'vitest'
import { EvacuatorGround } from '../../../test/build/evacuator-ground.ts'
import { evacuations } from '../../api/evacuation/evacuation.ts'
import { configMaps, pods } from '../../api/kubernetes/resources.ts'
import { podRefOf } from '../../api/evacuation/pod-reference.ts'
import { Informer } from '../../kube/watch/informer.ts'
import { noKubeMetrics } from '../../kube/metrics.ts'
import { WorkloadCaches } from './workload-caches.ts'
import { WorkloadController } from './workload-controller.ts'
import type { WorkloadEvacuator } from './workload-evacuator.ts'

const ours = 'ours.example.com'
const hold = `evacuation.coordination.k8s.io/instigator_${ours}`

/** An evacuator that does nothing until the ConfigMap of its pod says so. */
async function setUp() {
  const ground = new EvacuatorGround()
  const { clock, kube } = ground
  const stop = new AbortController()
  const caches = new WorkloadCaches({ ...ground.parts, metrics: noKubeMetrics })
  const informer = new Informer({ ...ground.parts, metrics: noKubeMetrics, resource: evacuations })
  const steps: string[] = []
  const evacuator: WorkloadEvacuator<{ name: string; isTold: boolean }> = {
    evacuatorClass: ours,
    claim: async () => undefined,
    follows: () => [{ resource: pods }, { resource: configMaps }],
    workloadOf: ({ metadata }) => metadata.name,
    gather: async ({ pod: { metadata } }, world) => {
      const name = metadata.name
      return { name, isTold: world.get(configMaps, `go-${name}`) !== undefined }
    },
    step: ({ name, isTold }) => {
      steps.push(name)
      return isTold
        ? { kind: 'completed', message: 'told so' }
        : { kind: 'working', message: 'waiting', againInMs: 600_000 }
    },
  }
  const writer = new EvacuationWriter(ground.parts.kube, informer)
  const controller = new WorkloadController({ ...ground.parts, evacuator, caches, evacuations: informer, writer })
  const running = [informer.run(stop.signal), controller.follow(stop.signal)]
  await clock.advance(10)
  await controller.synced()
  running.push(controller.lead(stop.signal))
  const begin = async (name: string) => {
    const pod = await ground.evacuate(name, { registrations: [{ evacuatorClass: ours, priority: 500 }] })
    await ground.select(pod, ours)
    await clock.advance(10)
    return pod
  }
  const end = async () => {
    stop.abort(new Error('the test is over'))
    await clock.advance(10)
    await Promise.all(running)
  }
  const create = (name: string) => kube.create(configMaps, { metadata: { namespace: 'shop', name } })
  return { ground, clock, caches, steps, begin, create, end, controller }
}

test('a change wakes those who looked at it, at once, and nobody else', async () => {
  const { ground, clock, steps, begin, create, end, controller } = await setUp()
  expect(controller.name).toBe(`evacuators/${ours}`)
  const [a] = [await begin('a'), await begin('b')]
  await clock.advance(1_000)
  steps.splice(0)
  await create('something-else')
  await clock.advance(100)
  expect(steps).toEqual([])
  await create('go-a')
  await clock.advance(100)
  expect(steps).toEqual(['a'])
  expect((await ground.status(a)).activeEvacuatorCompleted).toBe(true)
  await end()
})

test('nothing is followed before an evacuation begins, nor after the last one is over', async () => {
  const { ground, clock, caches, begin, end } = await setUp()
  expect(caches.size).toBe(0)
  const pod = await begin('a')
  expect(caches.size).toBe(2)
  await ground.cancel(pod, [ours])
  await clock.advance(100)
  expect((await ground.evacuation(pod))?.metadata.finalizers ?? []).toEqual([])
  expect(caches.size).toBe(0)
  await end()
})

test('the evacuation is held while the pod is registered, and what was put on the pod is taken off first', async () => {
  const { ground, clock, begin, end } = await setUp()
  const pod = await begin('a')
  expect((await ground.evacuation(pod))?.metadata.finalizers).toContain(hold)
  expect(Object.keys((await ground.pod(pod))?.metadata.annotations ?? {})).toHaveLength(2)
  await ground.cancel(pod, [ours])
  await clock.advance(100)
  const left = await ground.pod(pod)
  expect(left?.metadata.annotations ?? {}).toEqual({})
  expect(left === undefined ? undefined : podRefOf(left)).toEqual(pod)
  await end()
})

test('without the lead nothing is followed', async () => {
  const { caches, begin, end } = await setUp()
  await begin('a')
  await end()
  expect(caches.size).toBe(0)
})
