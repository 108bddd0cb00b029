import { describe, expect, test } from 'vitest'
import { createDaemonSet, maintenanceOf } from '../../../test/build/daemon-set-under-maintenance.ts'
import { openLifeboatGround, type LifeboatGround } from '../../../test/build/lifeboat.ts'
import { evictTimeRows, podOf, timeOf, type EvictTimeRow } from '../../../test/scenarios/evict-time.ts'
import { slowTransport } from '../../../test/build/slow-transport.ts'
import type { FeatureGate } from '../../api/feature-gates.ts'
import type { Pod } from '../../api/kubernetes/core.ts'
import { pods } from '../../api/kubernetes/resources.ts'
import { nodeMaintenances } from '../../api/maintenance/node-maintenance.ts'
import { isMutatingPolicy, withoutWebhooks } from '../register/admission-objects.ts'
import { applyAll } from '../install/apply.ts'
import { everyAdmissionObject } from '../install/install.ts'
import { installation } from '../install/installation-names.ts'
import { seededRandom } from '../../runtime/random.ts'
import type { Log } from '../../runtime/log.ts'
import { silentLog } from '../../runtime/log.ts'
import type { Transport, TransportRequest } from '../../kube/client/transport.ts'

const configurations = ['mutatingwebhookconfigurations', 'validatingwebhookconfigurations']
const policies = [
  'validatingadmissionpolicies',
  'mutatingadmissionpolicies',
  'validatingadmissionpolicybindings',
  'mutatingadmissionpolicybindings',
]

interface Configured {
  readonly webhooks?: readonly { readonly clientConfig: { readonly url?: string } }[]
  readonly spec?: { readonly matchConditions?: readonly { readonly expression: string }[] }
}

function storedIn({ cluster }: LifeboatGround, plurals: readonly string[]) {
  return plurals.flatMap((plural) =>
    cluster.store
      .list(`${plural}.admissionregistration.k8s.io`)
      .map((object) => ({ name: `${plural}/${object.metadata.name}`, object: object as Configured })),
  )
}

const namesIn = (ground: LifeboatGround, plurals: readonly string[]) =>
  storedIn(ground, plurals).map(({ name }) => name.replace('gadmission', 'g').replace('webhookconfigurations', ''))

/** Which processes the API server is sent to. */
function hostsIn(ground: LifeboatGround): string[] {
  const urls = storedIn(ground, configurations).flatMap(({ object }) =>
    (object.webhooks ?? []).map(({ clientConfig }) => new URL(clientConfig.url ?? '').hostname),
  )
  return [...new Set(urls)]
}

function noted(): { log: Log; lines: string[] } {
  const lines: string[] = []
  const log: Log = { ...silentLog, info: (_fields, message) => lines.push(message), child: () => log }
  return { log, lines }
}

function counted(): { wrap: (transport: Transport) => Transport; requests: TransportRequest[] } {
  const requests: TransportRequest[] = []
  const note = (request: TransportRequest) => void requests.push(request)
  const wrap = (transport: Transport): Transport => ({
    request: (request) => (note(request), transport.request(request)),
    watch: (request) => (note(request), transport.watch(request)),
    close: () => transport.close(),
  })
  return { wrap, requests }
}

test('it gets ready, leads, says so once each, and sees an evacuation through', async () => {
  await using ground = await openLifeboatGround({ nodes: 1 })
  const { log, lines } = noted()
  // Slow enough for a look at it before it is ready.
  const network = { clock: ground.clock, random: seededRandom(1), slowness: { requestMaxMs: 300, watchMaxMs: 0 } }
  const { manager } = await ground.open({ log, wrap: (transport) => slowTransport(transport, network) })
  expect(manager.missing()).toContain('the API server reaching the webhook: not there yet')
  expect(manager.missingToBeReached()).toEqual(manager.missing().slice(0, -1))
  expect(manager.missingToBeReached()).toContain('the API server being told of the webhook: not there yet')
  await ground.until(manager.ready(), 10_000)
  expect(manager.missing()).toEqual([])
  expect(manager.isLeading()).toBe(true)
  const pod = await ground.createPod('cart')
  await ground.evacuate(pod)
  await ground.pass(60_000)
  expect(ground.podNames()).toEqual([])
  expect(ground.evacuationCount()).toBe(0)
  expect(lines.filter((line) => line === 'ready' || line === 'leading').toSorted()).toEqual(['leading', 'ready'])
})

describe('with its gates', () => {
  const all = {
    configurations: [
      'mutating/lifeboat-admission-daemon-set-pods',
      'mutating/lifeboat-admission-evacuations',
      'mutating/lifeboat-admission-node-maintenances',
      'validating/lifeboat-admission-evictions',
      'validating/lifeboat-admission-node-maintenances',
    ],
    policies: [
      'validatingpolicies/lifeboat-cordon',
      'validatingpolicies/lifeboat-evacuation-rights',
      'validatingpolicies/lifeboat-evacuator-annotations',
      'validatingpolicies/lifeboat-evict-policy',
      'validatingpolicies/lifeboat-own-account',
      'mutatingpolicies/lifeboat-evict-time',
      'validatingpolicybindings/lifeboat-cordon',
      'validatingpolicybindings/lifeboat-evacuation-rights',
      'validatingpolicybindings/lifeboat-evacuator-annotations',
      'validatingpolicybindings/lifeboat-evict-policy',
      'validatingpolicybindings/lifeboat-own-account',
      'mutatingpolicybindings/lifeboat-evict-time',
    ],
  }
  const without = (names: readonly string[], part: string) => names.filter((name) => !name.endsWith(part))
  const rows: readonly {
    name: string
    off: readonly FeatureGate[]
    configurations: readonly string[]
    policies: readonly string[]
  }[] = [
    { name: 'all on: all is registered', off: [], ...all },
    {
      name: 'interception off: evictions of others are left alone',
      off: ['EvictionInterception'],
      ...all,
      configurations: without(all.configurations, 'evictions'),
    },
    {
      name: 'DaemonSets unaware of maintenance: no pod is held',
      off: ['NodeMaintenanceAwareDaemonSet'],
      ...all,
      configurations: without(all.configurations, 'daemon-set-pods'),
    },
    {
      name: 'maintenances off: nobody checks them, and no pod is held',
      off: ['DeclarativeNodeMaintenance'],
      configurations: without(without(all.configurations, 'node-maintenances'), 'daemon-set-pods'),
      policies: without(all.policies, 'cordon'),
    },
    {
      name: 'evict policy off: nobody checks the annotation, and no pod gets time',
      off: ['PodEvictPolicy'],
      ...all,
      policies: without(without(all.policies, 'evict-policy'), 'evict-time'),
    },
    {
      name: 'the API off: only what limits its own account, and who may write an Evacuation',
      off: ['EvacuationAPI'],
      configurations: [],
      policies: all.policies.filter((name) => /(own-account|evacuation-rights)$/.test(name)),
    },
  ]
  const gatesOff = (off: readonly FeatureGate[]) => Object.fromEntries(off.map((gate) => [gate, false]))

  test.each(rows)('$name', async (row) => {
    await using ground = await openLifeboatGround()
    const { manager } = await ground.open({ gates: gatesOff(row.off) })
    await ground.until(manager.ready(), 10_000)
    expect(namesIn(ground, configurations)).toEqual(row.configurations)
    expect(namesIn(ground, policies)).toEqual(row.policies)
  })

  test.each(rows)('$name, also after a start with all on that ended by force', async (row) => {
    await using ground = await openLifeboatGround()
    const before = await ground.open({ identity: 'before' })
    await ground.until(before.manager.ready(), 10_000)
    before.kill()
    const { manager } = await ground.open({ gates: gatesOff(row.off) })
    await ground.until(manager.ready(), 10_000)
    expect(namesIn(ground, configurations)).toEqual(row.configurations)
    expect(namesIn(ground, policies)).toEqual(row.policies)
  })

  test.each(rows)('$name, in a cluster whose objects it may only change', async (row) => {
    await using ground = await openLifeboatGround()
    const installer = await ground.open({ identity: 'installer' })
    await ground.until(installer.manager.ready(), 10_000)
    installer.kill()
    const { manager } = await ground.open({ gates: gatesOff(row.off), rights: 'updateOnly' })
    await ground.until(manager.ready(), 30_000)
    await ground.pass(20_000)
    const effective = storedIn(ground, [...configurations, ...policies]).filter(
      ({ object }) =>
        object.webhooks?.length !== 0 &&
        object.spec?.matchConditions?.some(({ expression }) => expression === 'false') !== true,
    )
    const names = effective.map(({ name }) => name.replace('gadmission', 'g').replace('webhookconfigurations', ''))
    // A binding without effect stays: it is its policy that was switched off.
    const bindings = all.policies.filter((name) => name.includes('bindings'))
    const expected = [...row.configurations, ...row.policies.filter((name) => !name.includes('bindings')), ...bindings]
    expect(names).toEqual(expected)
  })

  test('off it watches nothing and loses nothing; on again it goes on', async () => {
    await using ground = await openLifeboatGround({ nodes: 1 })
    const { wrap, requests } = counted()
    const off = await ground.open({ gates: { EvacuationAPI: false }, wrap })
    await ground.until(off.manager.ready(), 10_000)
    const pod = await ground.createPod('cart')
    await ground.evacuate(pod)
    await ground.pass(600_000)
    expect(ground.podNames()).toEqual(['cart'])
    expect(ground.evacuationCount()).toBe(1)
    const others = requests.filter(({ path, query }) => !path.includes('/leases') && query?.['dryRun'] === undefined)
    // Once, and once more a little later: is a pod held that should not be?
    expect(others.map(({ method, path }) => `${method} ${path}`)).toEqual(['GET /api/v1/pods', 'GET /api/v1/pods'])
    await ground.stop(off)
    const on = await ground.open({ identity: 'on-again' })
    await ground.until(on.manager.ready(), 10_000)
    await ground.pass(60_000)
    expect(ground.podNames()).toEqual([])
    expect(ground.evacuationCount()).toBe(0)
  })

  test('a configuration of the same name that is not labelled as ours is not taken out', async () => {
    await using ground = await openLifeboatGround()
    const body = {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingWebhookConfiguration',
      metadata: { name: 'lifeboat-admission-evictions' },
      webhooks: [],
    }
    const path = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations'
    await ground.until(ground.adminTransport.request({ method: 'POST', path, body }))
    const { manager } = await ground.open({ gates: { EvacuationAPI: false } })
    await ground.until(manager.ready(), 10_000)
    expect(namesIn(ground, configurations)).toEqual(['validating/lifeboat-admission-evictions'])
  })
})

describe('of two managers', () => {
  test('one that may only change is ready beside a leader that tells of other webhooks, as of another release', async () => {
    await using ground = await openLifeboatGround()
    const parts = { kube: ground.admin, clock: ground.clock }
    const bare = everyAdmissionObject(installation.namespace).map(withoutWebhooks)
    await ground.until(applyAll(parts, bare))
    // Its webhooks go nowhere near the names that the other looks at.
    const former = await ground.open({ identity: 'former', gates: { EvacuationAPI: false }, rights: 'updateOnly' })
    await ground.until(former.manager.ready(), 10_000)
    expect(former.manager.isLeading()).toBe(true)
    const next = await ground.open({ identity: 'next', rights: 'updateOnly' })
    await ground.pass(1_000)
    expect(next.manager.missingToBeReached()).toContain('the API server being told of the webhook: not there yet')
    await ground.pass(9_000)
    expect(next.manager.missingToBeReached()).toEqual([])
    expect(next.manager.missing()).not.toEqual([])
    await ground.stop(former)
    await ground.until(next.manager.ready(), 10_000)
    expect(hostsIn(ground)).toEqual(['next.invalid'])
  })

  test('the one that leads is not ready before it has told the API server', async () => {
    await using ground = await openLifeboatGround()
    const { manager } = await ground.open({ rights: 'updateOnly' })
    await ground.pass(60_000)
    expect(manager.isLeading()).toBe(true)
    expect(manager.missingToBeReached()).toEqual([expect.stringMatching(/^the API server being told of the webhook: /)])
  })

  test('one leads; when it is killed the other takes over, webhooks and work', async () => {
    await using ground = await openLifeboatGround({ nodes: 1 })
    const first = await ground.open({ identity: 'first' })
    await ground.until(first.manager.ready(), 10_000)
    const second = await ground.open({ identity: 'second' })
    await ground.until(second.manager.ready(), 10_000)
    await ground.pass(120_000)
    expect([first.manager.isLeading(), second.manager.isLeading()]).toEqual([true, false])
    expect(hostsIn(ground)).toEqual(['first.invalid'])
    first.kill()
    await ground.pass(20_000)
    expect([first.manager.isLeading(), second.manager.isLeading()]).toEqual([false, true])
    expect(hostsIn(ground)).toEqual(['second.invalid'])
    const pod = await ground.createPod('cart')
    await ground.evacuate(pod)
    await ground.pass(60_000)
    expect(ground.podNames()).toEqual([])
  })

  test('the one that stops in good order takes its webhooks out, and the other has its own in within seconds', async () => {
    await using ground = await openLifeboatGround()
    const first = await ground.open({ identity: 'first' })
    await ground.until(first.manager.ready(), 10_000)
    const second = await ground.open({ identity: 'second' })
    await ground.until(second.manager.ready(), 10_000)
    await ground.stop(first)
    await ground.pass(4_000)
    expect(second.manager.isLeading()).toBe(true)
    expect(hostsIn(ground)).toEqual(['second.invalid'])
  })

  test('the one that waits leaves the webhooks of the other alone when it stops', async () => {
    await using ground = await openLifeboatGround()
    const first = await ground.open({ identity: 'first' })
    await ground.until(first.manager.ready(), 10_000)
    const second = await ground.open({ identity: 'second' })
    await ground.until(second.manager.ready(), 10_000)
    await ground.stop(second)
    expect(hostsIn(ground)).toEqual(['first.invalid'])
  })

  test('the second, started after a kill, does not wait for the Lease to have its webhooks in', async () => {
    await using ground = await openLifeboatGround()
    const first = await ground.open({ identity: 'first' })
    await ground.until(first.manager.ready(), 10_000)
    first.kill()
    const second = await ground.open({ identity: 'second' })
    await ground.until(second.manager.ready(), 2_000)
    expect(second.manager.isLeading()).toBe(false)
    expect(hostsIn(ground)).toEqual(['second.invalid'])
  })
})

test('no DaemonSet pod is taken off its node before the API server reaches the webhook that holds the next one', async () => {
  await using ground = await openLifeboatGround({ nodes: 1 })
  const [node = ''] = ground.cluster.store.list('nodes').map(({ metadata }) => metadata.name)
  await createDaemonSet(ground)
  const [before] = podsOn(ground)
  expect(before).toEqual({ uid: expect.any(String), node })
  const wall = { stands: true }
  const { manager } = await ground.open({ wrap: refusingDryRuns(wall) })
  await ground.pass(5_000)
  await ground.until(ground.admin.create(nodeMaintenances, maintenanceOf(node)))
  await ground.pass(30_000)
  expect(manager.isLeading()).toBe(true)
  expect(podsOn(ground)).toEqual([before])
  wall.stands = false
  await ground.pass(10_000)
  expect(podsOn(ground)).toEqual([{ uid: expect.not.stringMatching(before?.uid ?? ''), node: '' }])
})

const podsOn = ({ cluster }: LifeboatGround) =>
  cluster.store
    .list('pods')
    .map(({ metadata, spec }) => ({ uid: metadata.uid, node: (spec as Pod['spec'])?.nodeName ?? '' }))

/** While it stands, the probe of the webhook does not come through. */
function refusingDryRuns(wall: { readonly stands: boolean }) {
  return (transport: Transport): Transport => ({
    request: (request) =>
      wall.stands && request.query?.['dryRun'] !== undefined
        ? Promise.reject(new Error('no way through'))
        : transport.request(request),
    watch: (request) => transport.watch(request),
    close: () => transport.close(),
  })
}

test('what somebody takes out by hand is back within a minute', async () => {
  await using ground = await openLifeboatGround()
  const { manager } = await ground.open()
  await ground.until(manager.ready(), 10_000)
  const path = '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/lifeboat-admission-evacuations'
  await ground.until(ground.adminTransport.request({ method: 'DELETE', path }))
  expect(namesIn(ground, configurations)).toHaveLength(4)
  await ground.pass(61_000)
  expect(namesIn(ground, configurations)).toHaveLength(5)
})

test('stopped in good order it leaves no webhook, gives the Lease away, and stays stopped', async () => {
  await using ground = await openLifeboatGround()
  const opened = await ground.open()
  await ground.until(opened.manager.ready(), 10_000)
  await ground.stop(opened)
  expect(namesIn(ground, configurations)).toEqual([])
  const lease = ground.cluster.store.get('leases.coordination.k8s.io', 'lifeboat-system/lifeboat')
  expect(lease).toMatchObject({ spec: { holderIdentity: '' } })
  await ground.pass(120_000)
  expect(namesIn(ground, configurations)).toEqual([])
})

describe('within a cluster, pods under ControllerTakeOver get the time that the replica was told', () => {
  test.each([
    { by: 'the policy that was installed, with nobody there', isInstalled: true, without: 390 },
    { by: 'its webhook where there is no policy', isInstalled: false, without: 300 },
  ])('by $by', async ({ isInstalled, without }) => {
    await using ground = await openLifeboatGround()
    const parts = { kube: ground.admin, clock: ground.clock }
    const objects = everyAdmissionObject(installation.namespace).map(withoutWebhooks)
    await ground.until(applyAll(parts, isInstalled ? objects : objects.filter((one) => !isMutatingPolicy(one))))
    const seconds = async () => {
      const [row] = evictTimeRows as [EvictTimeRow]
      const created = ground.admin.create(pods, withNamespace(podOf(row)), { dryRun: true })
      return new Set(timeOf(await ground.until(created)).seconds)
    }
    const opened = await ground.open({ rights: 'updateOnly', controllerEvictTimeoutMs: 90_000 })
    await ground.until(opened.manager.ready())
    expect(await seconds()).toEqual(new Set([390]))
    const reviewed = 'admission_reviews_total{webhook="/pods/evict-time",outcome="allowed"} 1'
    expect((await opened.registry.metrics()).includes(reviewed)).toBe(!isInstalled)
    opened.kill()
    expect(await seconds()).toEqual(new Set([without]))
  })
})

function withNamespace(pod: ReturnType<typeof podOf>) {
  return { ...pod, metadata: { ...pod.metadata, namespace: 'default' } }
}
