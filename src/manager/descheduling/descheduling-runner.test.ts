import { Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { enabled, policyOf, profileOf } from '../../../test/build/cycle-policy.ts'
import { openLifeboatGround } from '../../../test/build/lifeboat.ts'
import type { ClusterEvent } from '../../kube/events/cluster-event.ts'
import { DeschedulingRunner } from './descheduling-runner.ts'
import { unmeasuredParts } from '../../../test/build/descheduling-parts.ts'

const policy = policyOf({
  profiles: [profileOf('p', { deschedule: [enabled('PodLifeTime', { states: ['Running'] })] })],
  limits: { total: 1, perNode: undefined, perNamespace: undefined },
})

test('policies that follow one another count in the same metrics, which tell what is under way', async () => {
  await using ground = await openLifeboatGround({ nodes: 2 })
  await using opened = await ground.open()
  await ground.until(opened.manager.ready())
  const evictable = { 'descheduler.alpha.kubernetes.io/evict': '' }
  const machines = { 'evacuation.coordination.k8s.io/priority_machines.example.com': '11000' }
  for (const name of ['a', 'b']) await ground.createPod(name, { ...evictable, ...machines })
  const events: ClusterEvent[] = []
  const registry = new Registry()
  const runner = new DeschedulingRunner({
    ...unmeasuredParts,
    kube: ground.admin,
    clock: ground.clock,
    registry,
    events: { record: (event) => events.push(event) },
    version: '1.2.3',
    mode: 'evacuate',
    dryRun: false,
    namespace: 'default',
    requestTtlMs: undefined,
  })
  const { signal } = new AbortController()
  const inProgress = async () =>
    /^descheduler_pod_evacuations_in_progress\{.*\} (\d+)$/m.exec(await registry.metrics())?.[1]
  for (const total of [1, 2]) {
    const limits = { total, perNode: undefined, perNamespace: undefined }
    const running = await ground.until(runner.open({ ...policy, limits }, signal))
    const { strategies } = await ground.until(running.cycle(signal))
    expect(strategies[0]?.left).toHaveLength(1)
    await ground.pass(1_000)
    expect(await inProgress()).toBeDefined()
    await ground.until(running.close())
    expect(await inProgress()).toBeUndefined()
  }
  expect(events.map(({ reason }) => reason)).toEqual(['PodLifeTime', 'PodLifeTime'])
  expect(await registry.metrics()).toMatch(/^descheduler_loop_duration_seconds_count 2$/m)
})
