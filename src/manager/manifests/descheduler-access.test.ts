import { describe, expect, test } from 'vitest'
import { defaultEvictorArgs, enabled, policyOf, profileOf } from '../../../test/build/cycle-policy.ts'
import { buildKube } from '../../../test/build/kube.ts'
import { buildDeployment } from '../../../test/build/nodes-and-pods.ts'
import { openLifeboatGround, type LifeboatGround } from '../../../test/build/lifeboat.ts'
import { evacuations } from '../../api/evacuation/evacuation.ts'
import { featureGateDefaults } from '../../api/feature-gates.ts'
import { configMaps, events, leases, pods, priorityClasses } from '../../api/kubernetes/resources.ts'
import { memoryName } from '../../descheduler/memory-store.ts'
import type { Mode } from '../../descheduler/mode.ts'
import { eventSinkOf } from '../../kube/events/event-sink.ts'
import { LeaderElection } from '../../kube/lease/leader-election.ts'
import { noKubeMetrics } from '../../kube/metrics.ts'
import { systemFiles } from '../../kube/auth/system-files.ts'
import { silentLog } from '../../runtime/log.ts'
import { seededRandom } from '../../runtime/random.ts'
import { applyAll } from '../install/apply.ts'
import { claimsLookup } from '../run/claims-lookup.ts'
import { deschedulerPolicies } from '../install/descheduler-objects.ts'
import { ownInstigation, type DeschedulerInstigation } from '../descheduling/descheduler-instigation.ts'
import { openDescheduling } from '../descheduling/descheduling.ts'
import { installation, userOfServiceAccount } from '../install/installation-names.ts'
import { buildDeschedulerAccess, buildOwnDeschedulingAccess, everyPurpose, type Purpose } from './descheduler-access.ts'
import type { Role } from './rbac.ts'

const { namespace, descheduler: name } = installation
const { signal } = new AbortController()
const account = { name: userOfServiceAccount(namespace, name), groups: ['system:authenticated'] }

/** Looks at everything that a policy can look at, and remembers who left. */
const policy = policyOf({
  profiles: [
    {
      ...profileOf('p', { deschedule: [enabled('PodLifeTime', { maxPodLifeTimeSeconds: 5 })] }),
      defaultEvictor: {
        ...defaultEvictorArgs,
        protections: new Set(['PodsWithoutPDB', 'PodsWithPVC'] as const),
        protectedStorageClasses: ['gold'],
        namespaceLabelSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'default' } },
        priorityThreshold: { name: 'high' },
      },
    },
  ],
  limits: { total: 1, perNode: undefined, perNamespace: undefined },
  lifeboat: {
    ...policyOf({ profiles: [] }).lifeboat,
    returnBackoffMs: 60_000,
  },
})

/** With these rights of its own, or, where it is a part of the controller, with those beside Lifeboat's. */
async function openAs(purposes: readonly Purpose[], part: 'itself' | 'controller' = 'itself') {
  const ground = await openLifeboatGround({ nodes: 2 })
  const parts = { kube: ground.admin, clock: ground.clock }
  await ground.until(applyAll(parts, deschedulerPolicies(namespace)))
  const build = part === 'itself' ? buildDeschedulerAccess : buildOwnDeschedulingAccess
  await ground.until(applyAll(parts, build(namespace, purposes)))
  await ground.until(ground.admin.create(priorityClasses, { metadata: { name: 'high' }, value: 1_000 }))
  const post = (path: string, body: object) =>
    ground.until(ground.adminTransport.request({ method: 'POST', path, body }))
  const budget = { metadata: { name: 'all' }, spec: { maxUnavailable: 1, selector: {} } }
  await post('/apis/policy/v1/namespaces/default/poddisruptionbudgets', budget)
  await post(
    '/apis/apps/v1/namespaces/default/deployments',
    buildDeployment({ name: 'web', namespace: 'default', replicas: 1 }),
  )
  await ground.pass(10_000)
  const user = part === 'itself' ? account : { ...account, name: userOfServiceAccount(namespace) }
  return { ground, kube: buildKube(ground.cluster.transport(user), ground.clock) }
}

type Opened = Awaited<ReturnType<typeof openAs>>

/** Two cycles as the account of the descheduler, the second after the TTL; what was asked for, and what was not allowed. */
async function runAs(
  { ground, kube }: Opened,
  { mode, dryRun = false, instigation }: { mode: Mode; dryRun?: boolean; instigation?: DeschedulerInstigation },
) {
  const { watch, descheduler, run } = await ground.until(
    openDescheduling({
      kube,
      clock: ground.clock,
      random: seededRandom(1),
      log: silentLog,
      metrics: noKubeMetrics,
      policy,
      mode,
      dryRun,
      namespace,
      requestTtlMs: 30_000,
      turn: async () => {},
      get: () => Promise.reject(new Error('nothing is measured')),
      files: systemFiles,
      signal,
      on: {},
      ...(instigation === undefined ? {} : { instigation }),
    }),
  )
  const stop = new AbortController()
  const running = run(stop.signal)
  try {
    await ground.until(watch.synced())
    const { strategies } = await ground.until(descheduler.cycle(policy, signal))
    const requests = await evacuationCount(ground)
    await ground.pass(40_000)
    await ground.until(descheduler.cycle(policy, signal))
    return { asked: strategies.flatMap(({ left }) => left).length, requests, refused: refusals(strategies) }
  } finally {
    stop.abort(new Error('seen enough'))
    await running
  }
}

const refusals = (strategies: readonly { readonly refused: readonly object[] }[]) =>
  strategies.flatMap(({ refused }) => refused.map((each) => JSON.stringify(each)))

const evacuationCount = async (ground: LifeboatGround) =>
  (await ground.until(ground.admin.list(evacuations))).items.length

describe('with the rights for it and no others, the descheduler', () => {
  test.each<{ name: string; purposes: Purpose[]; mode: Mode; dryRun?: boolean; requests: number }>([
    { name: 'evacuates', purposes: ['look', 'ask', 'evacuate', 'remember'], mode: 'evacuate', requests: 1 },
    { name: 'evicts', purposes: ['look', 'ask', 'remember'], mode: 'evict', requests: 0 },
    { name: 'tries in mode evacuate', purposes: ['look'], mode: 'evacuate', dryRun: true, requests: 0 },
    { name: 'tries in mode evict', purposes: ['look'], mode: 'evict', dryRun: true, requests: 0 },
  ])('$name', async ({ purposes, mode, dryRun = false, requests }) => {
    const opened = await openAs(purposes)
    await using ground = opened.ground
    expect(await runAs(opened, { mode, dryRun })).toEqual({ asked: 1, requests, refused: [] })
    const { items } = await ground.until(ground.admin.list(configMaps, { namespace }))
    expect(items.some(({ metadata }) => metadata.name === memoryName)).toBe(!dryRun)
  })

  test('leads, and tells by Events', async () => {
    const { ground, kube } = await openAs(['ask', 'lead'])
    await using _ground = ground
    const stop = new AbortController()
    const election = new LeaderElection({
      kube,
      clock: ground.clock,
      random: seededRandom(1),
      log: silentLog,
      namespace,
      name,
      identity: 'here',
    })
    const running = election.run(stop.signal, async (leading) => {
      await new Promise((resolve) => leading.addEventListener('abort', resolve))
    })
    await ground.pass(10_000)
    expect(election.isLeading()).toBe(true)
    const event = {
      metadata: { name: 'e', namespace: 'default' },
      involvedObject: { kind: 'Pod', namespace: 'default' },
    }
    const sink = eventSinkOf(kube)
    await ground.until(sink.create('default', event as never))
    await ground.until(
      sink.patch('default', 'e', { count: 2, lastTimestamp: '2026-01-01T00:00:00Z', message: 'again' }),
    )
    expect((await ground.until(ground.admin.get(events, { namespace: 'default', name: 'e' }))).count).toBe(2)
    stop.abort(new Error('seen enough'))
    await ground.until(running)
    expect((await ground.until(ground.admin.get(leases, { namespace, name }))).spec?.holderIdentity ?? '').toBe('')
  })
})

describe('the account', () => {
  test('asks for no Evacuation without the right to delete the pod', async () => {
    const opened = await openAs(['look', 'ask', 'remember'])
    await using _ground = opened.ground
    const { asked, requests, refused } = await runAs(opened, { mode: 'evacuate' })
    expect({ asked, requests }).toEqual({ asked: 0, requests: 0 })
    expect(refused).toEqual([expect.stringContaining('evacuations')])
  })

  test('deletes no pod all the same', async () => {
    const { ground, kube } = await openAs(everyPurpose)
    await using _ground = ground
    const [pod = ''] = ground.podNames()
    await expect(ground.until(kube.delete(pods, { namespace: 'default', name: pod }))).rejects.toThrow(
      'may evict pods and ask for their Evacuation, and not delete them',
    )
  })

  test('is called as everything of the descheduler, and has no wildcard and no Secret', () => {
    const objects = buildDeschedulerAccess('here')
    expect(new Set(objects.map(({ metadata }) => metadata.name))).toEqual(new Set(['lifeboat-descheduler']))
    const rules = objects.flatMap((object) => ('rules' in object ? (object as Role).rules : []))
    const words = rules.flatMap(({ apiGroups, resources, verbs }) => apiGroups.concat(resources, verbs))
    expect(words.filter((word) => word.includes('*') || word === 'secrets')).toEqual([])
  })
})

describe('as a part of the controller, with the rights of Lifeboat', () => {
  const runAsController = (opened: Opened) => {
    const { kube, ground } = opened
    const parts = {
      kube,
      clock: ground.clock,
      gates: featureGateDefaults,
      namespace: 'lifeboat-system',
      log: silentLog,
      events: { record: () => {} },
    }
    return runAs(opened, { mode: 'evacuate', instigation: ownInstigation({ ...parts, claims: claimsLookup(parts) }) })
  }

  test('and those beside them, it evacuates and remembers', async () => {
    const opened = await openAs(everyPurpose, 'controller')
    await using ground = opened.ground
    expect(await runAsController(opened)).toEqual({ asked: 1, requests: 1, refused: [] })
    const { items } = await ground.until(ground.admin.list(configMaps, { namespace }))
    expect(items.some(({ metadata }) => metadata.name === memoryName)).toBe(true)
  })

  test.each<{ without: Purpose; path: string }>([
    { without: 'look', path: '/priorityclasses/high' },
    { without: 'remember', path: '/configmaps/lifeboat-descheduler' },
  ])('and without those to $without, it does not run', async ({ without, path }) => {
    const purposes = everyPurpose.filter((purpose) => purpose !== without)
    const opened = await openAs(purposes, 'controller')
    await using _ground = opened.ground
    await expect(runAsController(opened)).rejects.toThrow(path.split('/').at(-1) ?? '')
  })

  test('it gets only what Lifeboat has not, and no account', () => {
    const objects = buildOwnDeschedulingAccess('here')
    expect(objects.map(({ kind }) => kind)).toEqual(['ClusterRole', 'ClusterRoleBinding', 'Role', 'RoleBinding'])
    const rights = objects.flatMap((object) =>
      'rules' in object
        ? (object as Role).rules.map(({ resources, resourceNames = [], verbs }) =>
            [...verbs, ...resources, ...resourceNames].join(' '),
          )
        : [],
    )
    expect(rights).toEqual([
      'list watch namespaces',
      'get priorityclasses',
      'list nodes',
      'list pods',
      'create configmaps',
      'get patch configmaps lifeboat-descheduler',
      'update leases lifeboat-descheduler',
    ])
  })
})
