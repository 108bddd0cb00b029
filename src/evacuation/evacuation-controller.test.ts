import { describe, expect, test } from 'vitest'
import { sleep } from '../runtime/clock.ts'
import type { Pod } from '../api/kubernetes/core.ts'
import { podDisruptionBudgets, pods } from '../api/kubernetes/resources.ts'
import type { Transport } from '../kube/client/transport.ts'
import { EvacuationGround } from '../../test/build/evacuation-ground.ts'

test('a pod without evacuators is evicted, and the Evacuation goes after it, in three writes', async () => {
  await using ground = await EvacuationGround.open()
  const pod = await ground.createPod('web')
  await ground.evacuate(pod)
  await ground.pass(40)
  expect(await ground.podNamed('web')).toBeUndefined()
  expect(await ground.evacuationOf(pod)).toBeUndefined()
  expect(ground.writes.map(({ method, path }) => `${method} ${path.split('/').at(-1)}`)).toEqual([
    'POST eviction',
    `PATCH ${pod.metadata.uid}-web`,
    `DELETE ${pod.metadata.uid}-web`,
  ])
})

test('a pod behind a budget is evicted when the budget gives way, one call a step and one more', async () => {
  await using ground = await EvacuationGround.open()
  const pod = await ground.createPod('web')
  const budget = {
    metadata: { name: 'web', namespace: 'default' },
    spec: { minAvailable: 1, selector: { matchLabels: { app: 'web' } } },
  }
  await ground.do(ground.kube.create(podDisruptionBudgets, budget))
  await ground.pass(5)
  await ground.evacuate(pod)
  await ground.pass(20)
  const { status } = (await ground.evacuationOf(pod)) ?? {}
  expect(status).toMatchObject({
    message: 'default/web waits for budget web (1 healthy, 1 needed)',
    conditions: [{ type: 'Blocked', status: 'True', reason: 'DisruptionBudget' }],
  })
  expect(status?.failedEvictionCounter).toBe(ground.evictions)
  const before = ground.evictions
  await ground.do(
    ground.kube.patch(
      podDisruptionBudgets,
      { namespace: 'default', name: 'web' },
      { type: 'merge', body: { spec: { minAvailable: 0 } } },
    ),
  )
  await ground.pass(2)
  expect(ground.evictions).toBe(before + 1)
  expect(await ground.podNamed('web')).toBeUndefined()
})

test('a pod that takes the name of the other at the very moment of the eviction is not touched', async () => {
  await using ground = await EvacuationGround.open({ started: false })
  const first = await ground.createPod('web')
  let second: Pod | undefined
  /** Before the eviction arrives, the pod is gone and the next one is there. */
  const swapping = (transport: Transport): Transport => ({
    request: async (request) => {
      if (request.path.endsWith('/web/eviction') && second === undefined) {
        await ground.kube.delete(pods, { namespace: 'default', name: 'web' }, { gracePeriodSeconds: 0 })
        const spec = { containers: [{ name: 'main', image: 'web:1' }] }
        second = await ground.kube.create(pods, { metadata: { name: 'web', namespace: 'default' }, spec })
      }
      return transport.request(request)
    },
    watch: (request) => transport.watch(request),
    close: () => transport.close(),
  })
  await ground.start(swapping)
  await ground.evacuate(first)
  await ground.pass(60)
  const left = await ground.podNamed('web')
  expect(left?.metadata.uid).toBe(second?.metadata.uid)
  expect(left?.metadata.deletionTimestamp).toBeUndefined()
  expect(await ground.evacuationOf(first)).toBeUndefined()
})

test('the turn of each evacuator is counted once, also when the pod goes in the middle of it', async () => {
  await using ground = await EvacuationGround.open()
  const pod = await ground.createPod('web')
  const evacuators = [
    { evacuatorClass: 'first.example.com', priority: 11_000 },
    { evacuatorClass: 'second.example.com', priority: 9_000 },
  ]
  await ground.evacuate(pod, { evacuators })
  await ground.pass(30)
  await ground.setStatus(pod, { activeEvacuatorCompleted: true })
  await ground.pass(20)
  await ground.do(ground.kube.delete(pods, { namespace: 'default', name: 'web' }, { gracePeriodSeconds: 0 }))
  await ground.pass(60)
  const said = ground.turns.map(({ evacuatorClass, outcome, elapsedMs }) => {
    return `${evacuatorClass} ${outcome} after about ${Math.round(elapsedMs / 10_000)}0 s`
  })
  expect(said).toEqual(['first.example.com completed after about 30 s', 'second.example.com gone after about 20 s'])
})

describe('that it is the turn of an evacuator of this process', () => {
  const own = 'own.example.com'
  const setUp = async () => {
    const ground = await EvacuationGround.open({ ownEvacuators: new Set([own]) })
    const pod = await ground.createPod('web')
    await ground.evacuate(pod, { evacuators: [{ evacuatorClass: own, priority: 1 }] })
    const active = async () => (await ground.evacuationOf(pod))?.status?.activeEvacuatorClass
    const reports = () => ground.writes.filter(({ path }) => path.endsWith('/status'))
    return { ground, pod, active, reports }
  }

  test('is written after five seconds, not before', async () => {
    const { ground, active, reports } = await setUp()
    await using _ground = ground
    await ground.pass(4)
    expect(await active()).toBeUndefined()
    await ground.pass(3)
    expect([await active(), reports().length]).toEqual([own, 1])
  })

  test('is never written where the pod is gone by then', async () => {
    const { ground, pod, reports } = await setUp()
    await using _ground = ground
    await ground.pass(2)
    await ground.do(ground.kube.delete(pods, { namespace: 'default', name: 'web' }, { gracePeriodSeconds: 0 }))
    await ground.pass(30)
    expect(await ground.evacuationOf(pod)).toBeUndefined()
    expect(reports()).toEqual([])
  })

  test('is not written either while what is left of the Evacuation takes its time', async () => {
    await using ground = await EvacuationGround.open({ ownEvacuators: new Set([own]), started: false })
    const isFinish = (path: string) => path.includes('/evacuations/') && !path.endsWith('/status')
    await ground.start((transport) => ({
      request: async (request) => {
        if (request.method === 'PATCH' && isFinish(request.path)) await sleep(ground.clock, 20_000)
        return transport.request(request)
      },
      watch: (request) => transport.watch(request),
      close: () => transport.close(),
    }))
    const pod = await ground.createPod('web')
    await ground.evacuate(pod, { evacuators: [{ evacuatorClass: own, priority: 1 }] })
    await ground.pass(2)
    await ground.do(ground.kube.delete(pods, { namespace: 'default', name: 'web' }, { gracePeriodSeconds: 0 }))
    await ground.pass(60)
    expect(await ground.evacuationOf(pod)).toBeUndefined()
    expect(ground.writes.filter(({ path }) => path.endsWith('/status'))).toEqual([])
  })

  test('is decided again after a restart', async () => {
    const { ground, active } = await setUp()
    await using _ground = ground
    await ground.pass(3)
    await ground.stop()
    await ground.start()
    await ground.pass(4)
    expect(await active()).toBeUndefined()
    await ground.pass(3)
    expect(await active()).toBe(own)
  })
})
