import { expect, test } from 'vitest'
import { defaultEvictorArgs, enabled, policyOf, profileOf } from '../../../test/build/cycle-policy.ts'
import { openLifeboatGround } from '../../../test/build/lifeboat.ts'
import { openServedCluster } from '../../../test/build/served-cluster.ts'
import { evacuations } from '../../api/evacuation/evacuation.ts'
import { pods, priorityClasses } from '../../api/kubernetes/resources.ts'
import type { Mode } from '../../descheduler/mode.ts'
import type { Policy } from '../../descheduler/policy/policy.ts'
import { UnfollowablePolicyError } from '../../descheduler/policy/problem.ts'
import type { Kube } from '../../kube/client/client.ts'
import type { Clock } from '../../runtime/clock.ts'
import { systemClock } from '../../runtime/system.ts'
import { openDescheduling } from './descheduling.ts'
import { unmeasuredParts } from '../../../test/build/descheduling-parts.ts'

const { signal } = new AbortController()
const old = policyOf({
  profiles: [profileOf('p', { deschedule: [enabled('PodLifeTime', { maxPodLifeTimeSeconds: 5 })] })],
  limits: { total: 2, perNode: undefined, perNamespace: undefined },
})

interface Choices {
  readonly policy?: Policy
  readonly mode?: Mode
  readonly dryRun?: boolean
  readonly clock?: Clock
}

const open = (kube: Kube, { policy = old, mode = 'evacuate', dryRun = false, clock = systemClock }: Choices = {}) =>
  openDescheduling({
    ...unmeasuredParts,
    kube,
    clock,
    policy,
    mode,
    dryRun,
    namespace: 'default',
    requestTtlMs: undefined,
    signal,
    on: {},
  })

const threshold = (name: string): Policy => ({
  ...old,
  profiles: [{ ...profileOf('p', {}), defaultEvictor: { ...defaultEvictorArgs, priorityThreshold: { name } } }],
})
const noEvacuations =
  'this cluster has no Evacuations: install Lifeboat (lifeboat install), or use lifeboat descheduler --mode evict'
const noGrace =
  'gracePeriodSeconds is 5: an Evacuation cannot carry it; leave it out, or use lifeboat descheduler --mode evict'

test.each<{ readonly name: string; readonly choices: Choices; readonly expected: readonly string[] }>([
  { name: 'evacuations, on a cluster without', choices: {}, expected: [noEvacuations] },
  { name: 'a dry run there', choices: { dryRun: true }, expected: [] },
  { name: 'evictions there', choices: { mode: 'evict' }, expected: [] },
  {
    name: 'a grace period for evacuations',
    choices: { policy: { ...old, gracePeriodSeconds: 5 } },
    expected: [noGrace, noEvacuations],
  },
  { name: 'one for evictions', choices: { mode: 'evict', policy: { ...old, gracePeriodSeconds: 5 } }, expected: [] },
  { name: 'a priority class that is there', choices: { mode: 'evict', policy: threshold('high') }, expected: [] },
  {
    name: 'one that is not',
    choices: { mode: 'evict', policy: threshold('hgih') },
    expected: [
      'profile p, plugin DefaultEvictor: args.priorityThreshold.name is "hgih": there is no such PriorityClass',
    ],
  },
])('$name: $expected', async ({ choices, expected }) => {
  await using served = await openServedCluster()
  await served.admin.create(priorityClasses, { metadata: { name: 'high' }, value: 1_000 })
  const problems = await open(served.admin, choices).then(
    () => [],
    (error: unknown) => (error instanceof UnfollowablePolicyError ? error.problems : [String(error)]),
  )
  expect(problems).toEqual(expected)
})

test.each([
  { nodeFitAsScheduler: false, expected: ['a', 'b'] },
  { nodeFitAsScheduler: true, expected: [] },
])('where nodeFit looks as the scheduler does ($nodeFitAsScheduler), a taken host port counts', async (row) => {
  const { nodeFitAsScheduler, expected } = row
  await using served = await openServedCluster({ nodes: 2 })
  const { admin: kube } = served
  for (const [index, name] of ['a', 'b'].entries()) {
    const containers = [{ name: 'main', image: 'web:1', ports: [{ containerPort: 80, hostPort: 80 }] }]
    const metadata = { name, namespace: 'default', annotations: { 'descheduler.alpha.kubernetes.io/evict': '' } }
    await kube.create(pods, { metadata, spec: { nodeName: `node-${index + 1}`, containers } })
  }
  const fitting = { ...defaultEvictorArgs, nodeFit: true }
  const profile = { ...profileOf('p', { deschedule: [enabled('PodLifeTime', { states: ['Pending', 'Running'] })] }) }
  const policy = policyOf({
    profiles: [{ ...profile, defaultEvictor: fitting }],
    lifeboat: { maxPercentPerOwner: undefined, returnBackoffMs: undefined, nodeFitAsScheduler, window: undefined },
  })
  const stop = new AbortController()
  const { watch, descheduler, run } = await open(kube, { policy, mode: 'evict', dryRun: true })
  const running = run(stop.signal)
  await watch.synced()
  const { strategies } = await descheduler.cycle(policy, signal)
  expect(strategies[0]?.left.map(({ name }) => name).toSorted()).toEqual(expected)
  stop.abort(new Error('seen enough'))
  await running
})

test('asks for Evacuations that say why, and counts them the next time', async () => {
  await using ground = await openLifeboatGround({ nodes: 2 })
  const labels = { app: 'web' }
  const template = { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'web:1' }] } }
  const body = { metadata: { name: 'web' }, spec: { replicas: 4, selector: { matchLabels: labels }, template } }
  const path = '/apis/apps/v1/namespaces/default/deployments'
  await ground.until(ground.adminTransport.request({ method: 'POST', path, body }))
  await ground.pass(10_000)
  const stop = new AbortController()
  const { watch, descheduler, run } = await ground.until(open(ground.admin, { clock: ground.clock }))
  const running = run(stop.signal)
  await ground.until(watch.synced())
  for (let cycles = 1; cycles <= 2; cycles++) await ground.until(descheduler.cycle(old, signal))
  const { items } = await ground.until(ground.admin.list(evacuations, { namespace: 'default' }))
  expect(items).toHaveLength(2)
  for (const { metadata } of items) {
    expect(metadata.finalizers).toContain('evacuation.coordination.k8s.io/instigator_descheduler.sigs.k8s.io')
    expect(metadata.annotations).toMatchObject({
      'evacuation.coordination.k8s.io/descheduler-request': expect.stringContaining('"strategy":"PodLifeTime"'),
      'evacuation.coordination.k8s.io/node': expect.stringMatching(/^node-/),
    })
  }
  stop.abort(new Error('seen enough'))
  await running
})
