import type { Registry } from 'prom-client'
import { describe, expect, test } from 'vitest'
import { unmeasuredParts } from '../../../test/build/descheduling-parts.ts'
import { openLifeboatGround, type LifeboatGround, type ManagerChoices } from '../../../test/build/lifeboat.ts'
import { evacuations } from '../../api/evacuation/evacuation.ts'
import { leases } from '../../api/kubernetes/resources.ts'
import { annotations } from '../../api/names.ts'
import { TransportError, type TransportRequest } from '../../kube/client/transport.ts'
import { silentLog, type Log } from '../../runtime/log.ts'
import { applyAll } from '../install/apply.ts'
import { installation } from '../install/installation-names.ts'
import { buildOwnDeschedulingAccess } from '../manifests/descheduler-access.ts'

const { namespace, descheduler: lease } = installation
const minute = 60_000
const evictable = { 'descheduler.alpha.kubernetes.io/evict': '' }
const machines = { 'evacuation.coordination.k8s.io/priority_machines.example.com': '11000' }

/** Wants every running pod gone, at most so many at a time. */
const policyOf = (total: number | string) => `
apiVersion: descheduler/v1alpha2
kind: DeschedulerPolicy
maxNoOfPodsToEvictTotal: ${total}
profiles:
  - name: p
    pluginConfig: [{ name: PodLifeTime, args: { states: [Running], namespaces: { include: [default] } } }]
    plugins: { deschedule: { enabled: [PodLifeTime] } }
`

/** A cluster with pods that the policy wants gone and that take their time, and Lifeboats with a descheduler. */
class World implements AsyncDisposable {
  readonly ground: LifeboatGround
  readonly said: string[] = []
  /** By identity: what was sent. */
  readonly sent: { readonly by: string; readonly request: TransportRequest; readonly atMs: number }[] = []
  policy = policyOf(1)
  isReachable = true

  constructor(ground: LifeboatGround) {
    this.ground = ground
  }

  static async open(): Promise<World> {
    const ground = await openLifeboatGround({ nodes: 2 })
    const parts = { kube: ground.admin, clock: ground.clock }
    await ground.until(applyAll(parts, buildOwnDeschedulingAccess(namespace)))
    for (const name of ['a', 'b', 'c']) await ground.createPod(name, { ...evictable, ...machines })
    return new World(ground)
  }

  async start(identity: string) {
    const say = (_fields: object, message: string) => void this.said.push(`${identity}: ${message}`)
    const log: Log = { ...silentLog, error: say, info: say, child: () => log }
    const { turn, get, files } = unmeasuredParts
    const readPolicy = async () => this.policy
    const settings = { turn, get, files, version: '1.2.3', readPolicy, intervalMs: 5 * minute, requestTtlMs: undefined }
    const wrap: ManagerChoices['wrap'] = (transport) => {
      const note = (request: TransportRequest) =>
        void this.sent.push({ by: identity, request, atMs: this.ground.clock.monotonicMs() })
      return {
        ...transport,
        request: async (request) => {
          note(request)
          if (!this.isReachable) throw new TransportError('connection refused', { sent: 'no' })
          return transport.request(request)
        },
        watch: (request) => (note(request), transport.watch(request)),
        close: () => transport.close(),
      }
    }
    const opened = await this.ground.open({ identity, log, wrap, descheduling: settings })
    await this.ground.until(opened.manager.ready())
    return opened
  }

  /** Names of the pods that the descheduler asked to leave. */
  async asked(): Promise<string[]> {
    const { items } = await this.ground.until(this.ground.admin.list(evacuations))
    return items
      .filter(({ metadata }) => metadata.annotations?.[annotations.deschedulerRequest] !== undefined)
      .map(({ spec }) => spec.podRef.name)
      .toSorted()
  }

  requestsBy(identity: string, pathEnd: string): number {
    return this.sent.filter(({ by, request }) => by === identity && request.path.endsWith(pathEnd)).length
  }

  async holder(): Promise<string> {
    const { items } = await this.ground.until(this.ground.admin.list(leases, { namespace }))
    return items.find(({ metadata }) => metadata.name === lease)?.spec?.holderIdentity ?? ''
  }

  [Symbol.asyncDispose](): Promise<void> {
    return Promise.resolve(this.ground[Symbol.asyncDispose]())
  }
}

const metricIn = async (registry: Registry, name: string) =>
  new RegExp(`^${name}(?:\\{.*\\})? (\\S+)$`, 'm').exec(await registry.metrics())?.[1]

describe('the descheduler within the controller', () => {
  test('asks at each interval, as the leader alone, and is seen in its metrics', async () => {
    await using world = await World.open()
    const leader = await world.start('first')
    const other = await world.start('second')
    await world.ground.pass(1_000)
    expect(await world.asked()).toEqual(['a'])
    expect(await world.holder()).toBe('first')
    world.policy = policyOf(2)
    await world.ground.pass(5 * minute)
    expect(await world.asked()).toEqual(['a', 'b'])
    expect(await metricIn(leader.registry, 'descheduler_loop_duration_seconds_count')).toBe('2')
    expect(await metricIn(leader.registry, 'descheduler_pod_evacuations_in_progress')).toBe('1')
    expect(await metricIn(other.registry, 'descheduler_loop_duration_seconds_count')).toBe('0')
    expect(world.requestsBy('second', `/leases/${lease}`)).toBe(0)
    // All pods of the cluster are listed only by who leads.
    expect(world.requestsBy('first', '/api/v1/pods')).toBeGreaterThan(0)
    expect(world.said.filter((line) => line.endsWith('the policy changed'))).toEqual(['first: the policy changed'])
  })

  test('ends with its leadership, and the next leader continues without asking twice', async () => {
    await using world = await World.open()
    const first = await world.start('first')
    await world.start('second')
    await world.ground.pass(1_000)
    await world.ground.stop(first)
    const sentByFirst = world.sent.filter(({ by }) => by === 'first').length
    world.policy = policyOf(2)
    await world.ground.pass(minute)
    expect(world.sent.filter(({ by }) => by === 'first')).toHaveLength(sentByFirst)
    expect(await world.holder()).toBe('second')
    expect(await world.asked()).toEqual(['a', 'b'])
    expect(world.said.filter((line) => line === 'second: cycle')).toHaveLength(1)
  })

  test('ends when the cluster is out of reach, and begins again when this process leads again', async () => {
    await using world = await World.open()
    const { manager, registry } = await world.start('first')
    await world.ground.pass(1_000)
    world.isReachable = false
    await world.ground.pass(30_000)
    expect(manager.isLeading()).toBe(false)
    expect(await metricIn(registry, 'descheduler_pod_evacuations_in_progress')).toBeUndefined()
    const lists = world.requestsBy('first', '/api/v1/pods')
    await world.ground.pass(6 * minute)
    expect(world.requestsBy('first', '/api/v1/pods')).toBe(lists)
    world.isReachable = true
    world.policy = policyOf(2)
    await world.ground.pass(minute)
    expect(manager.isLeading()).toBe(true)
    expect(await world.asked()).toEqual(['a', 'b'])
  })

  test('waits for a descheduler in a process of its own to end', async () => {
    await using world = await World.open()
    const { ground } = world
    const { admin, clock } = ground
    const renewTime = new Date(clock.nowMs()).toISOString().replace('Z', '000Z')
    const spec = { holderIdentity: 'own-process', leaseDurationSeconds: 15, renewTime }
    await ground.until(admin.create(leases, { metadata: { namespace, name: lease }, spec }))
    const { manager } = await world.start('first')
    expect(manager.isLeading()).toBe(true)
    await ground.pass(10_000)
    expect(await world.asked()).toEqual([])
    await ground.until(
      admin.patch(leases, { namespace, name: lease }, { type: 'merge', body: { spec: { holderIdentity: '' } } }),
    )
    await ground.pass(5_000)
    expect(await world.asked()).toEqual(['a'])
  })
})

describe('a policy that cannot be followed', () => {
  test.each([
    { name: 'is wrong', policy: policyOf('many') },
    { name: 'is for another mode', policy: `${policyOf(1)}gracePeriodSeconds: 5\n` },
    { name: 'is no YAML', policy: '{' },
  ])('because it $name leaves Lifeboat ready and at work, and is followed once it is right', async ({ policy }) => {
    await using world = await World.open()
    world.policy = policy
    const { manager, registry } = await world.start('first')
    await world.ground.pass(1_000)
    expect(manager.missing()).toEqual([])
    expect(world.said).toContain('first: a cycle failed')
    expect(await metricIn(registry, 'descheduler_policy_problems')).toBe('1')
    // Evacuations of others go on.
    await world.ground.evacuate(await world.ground.createPod('plain'))
    await world.ground.pass(25_000)
    expect(world.ground.podNames()).toEqual(['a', 'b', 'c'])
    world.policy = policyOf(1)
    await world.ground.pass(30_000)
    expect(await world.asked()).toEqual(['a'])
    expect(await metricIn(registry, 'descheduler_policy_problems')).toBe('0')
  })

  test('is told by who leads, and by nobody afterwards', async () => {
    await using world = await World.open()
    world.policy = policyOf('many')
    const first = await world.start('first')
    await world.ground.pass(1_000)
    await world.ground.stop(first)
    expect(await metricIn(first.registry, 'descheduler_policy_problems')).toBe('0')
  })
})
