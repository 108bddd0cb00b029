import { expect, test } from 'vitest'
import { evacuations } from '../src/api/evacuation/evacuation.ts'
import { namespaces, nodes, pods } from '../src/api/kubernetes/resources.ts'
import { evacuationGroup } from '../src/api/names.ts'
import type { Transport } from '../src/kube/client/transport.ts'
import { openDescheduling } from '../src/manager/descheduling/descheduling.ts'
import { killedAt, killMomentsAt, neverKilled, type KillPoint } from './build/kill-points.ts'
import { enabled, policyOf, profileOf } from './build/cycle-policy.ts'
import { buildKube } from './build/kube.ts'
import { openLifeboatGround, type LifeboatGround } from './build/lifeboat.ts'
import { buildNode } from './build/nodes-and-pods.ts'
import { unmeasuredParts } from './build/descheduling-parts.ts'

// The descheduler dies at each of its writes in turn, and the next one knows only what is in the cluster. Whatever
// happens, no more pods are on their way than the limits allow, and none is asked for twice while its request stands.

const machines = 'machines.example.com'
const limit = 2
const ttlMs = 30_000
const policy = policyOf({
  profiles: [
    profileOf('p', {
      deschedule: [enabled('PodLifeTime', { states: ['Running'], namespaces: { include: ['shop'] } })],
    }),
  ],
  limits: { total: limit, perNode: undefined, perNamespace: undefined },
  lifeboat: { maxPercentPerOwner: undefined, returnBackoffMs: 60_000, nodeFitAsScheduler: false, window: undefined },
})

interface Told {
  readonly writes: number
  readonly restarts: number
  /** How often each pod was asked to leave, whatever the answer. */
  readonly asked: Readonly<Record<string, number>>
  /** The most that were on their way at any time. */
  readonly most: number
  readonly left: readonly string[]
}

/** Pods leave when their evacuator says so; the first one never gets that far. */
async function arrange(ground: LifeboatGround): Promise<void> {
  const { admin: kube } = ground
  await ground.until(kube.create(namespaces, { metadata: { name: 'shop' } }))
  for (const name of ['n1', 'n2']) await ground.until(kube.create(nodes, buildNode({ name })))
  await ground.pass(1_000)
  const annotations = {
    'descheduler.alpha.kubernetes.io/evict': '',
    [`evacuation.coordination.k8s.io/priority_${machines}`]: '11000',
  }
  for (const [index, name] of ['a', 'b', 'c', 'd'].entries()) {
    const spec = {
      nodeName: `n${(index % 2) + 1}`,
      terminationGracePeriodSeconds: 1,
      containers: [{ name: 'main', image: 'web:1' }],
    }
    await ground.until(kube.create(pods, { metadata: { name, namespace: 'shop', annotations }, spec }))
  }
  await ground.pass(5_000)
}

/** Whoever has been moving for a while has moved. */
async function playEvacuator(ground: LifeboatGround): Promise<void> {
  const { items } = await ground.until(ground.admin.list(evacuations, { namespace: 'shop' }))
  for (const { metadata, spec, status } of items) {
    const isDue = status?.activeEvacuatorClass === machines && spec.podRef.name !== 'a'
    const ageMs = ground.clock.nowMs() - Date.parse(metadata.creationTimestamp ?? '')
    if (!isDue || ageMs < 12_000 || metadata.deletionTimestamp !== undefined) continue
    const key = { namespace: 'shop', name: metadata.name }
    const body = { status: { activeEvacuatorCompleted: true } }
    await ground.until(ground.admin.patch(evacuations, key, { type: 'merge', body }, { subresource: 'status' }))
  }
}

async function tell(point: KillPoint): Promise<Told> {
  await using ground = await openLifeboatGround()
  const lifeboat = await ground.open()
  await ground.until(lifeboat.manager.ready())
  await arrange(ground)
  const asked: Record<string, number> = {}
  const counted = { writes: 0, restarts: 0, most: 0 }
  const live = () => {
    const uids = new Set(ground.cluster.store.list('pods').map(({ metadata }) => metadata.uid))
    return ground.cluster.store.list(`evacuations.${evacuationGroup}`).filter(({ metadata, spec }) => {
      const { podRef } = spec as { podRef: { uid: string } }
      return metadata.deletionTimestamp === undefined && uids.has(podRef.uid)
    }).length
  }
  const noting = (transport: Transport): Transport => ({
    request: async (request) => {
      if (request.method !== 'GET') counted.writes++
      const answer = await transport.request(request)
      if (request.method === 'POST' && request.path.endsWith('/evacuations')) {
        const { spec } = request.body as { spec: { podRef: { name: string } } }
        asked[spec.podRef.name] = (asked[spec.podRef.name] ?? 0) + 1
      }
      counted.most = Math.max(counted.most, live())
      return answer
    },
    watch: (request) => transport.watch(request),
    close: () => transport.close(),
  })
  const plain = noting(ground.adminTransport)
  let isDead = false
  let stop = new AbortController()
  const start = async (transport: Transport) => {
    stop = new AbortController()
    const opened = await ground.until(
      openDescheduling({
        ...unmeasuredParts,
        kube: buildKube(transport, ground.clock),
        clock: ground.clock,
        policy,
        mode: 'evacuate',
        dryRun: false,
        namespace: 'shop',
        requestTtlMs: ttlMs,
        signal: stop.signal,
        on: {},
      }),
    )
    void opened.run(stop.signal)
    await ground.until(opened.watch.synced())
    return opened.descheduler
  }
  let descheduler = await start(killedAt(plain, point, () => void (isDead = true)))
  for (let cycle = 0; cycle < 24; cycle++) {
    const { signal } = stop
    const cycling = descheduler.cycle(policy, signal).catch((error: unknown) => {
      if (!signal.aborted) throw error
    })
    await ground.pass(5_000)
    if (isDead) {
      isDead = false
      counted.restarts++
      stop.abort(new Error('it died'))
      await ground.until(cycling)
      descheduler = await start(plain)
    }
    await ground.until(cycling)
    await playEvacuator(ground)
  }
  stop.abort(new Error('seen enough'))
  const left = ground.cluster.store.list('pods').filter(({ metadata }) => metadata.namespace === 'shop')
  return { ...counted, asked, left: left.map(({ metadata }) => metadata.name).toSorted() }
}

test('killed at any write, the next one keeps to the limits and asks for nothing twice', async () => {
  const whole = await tell(neverKilled)
  expect(whole).toMatchObject({ restarts: 0, most: limit, left: ['a'], asked: { b: 1, c: 1, d: 1 } })
  expect(whole.writes).toBeGreaterThan(6)
  for (let write = 1; write <= whole.writes; write++) {
    for (const moment of killMomentsAt(write)) {
      const { restarts, most, left, asked } = await tell({ write, moment })
      expect({ write, moment, restarts, left }).toEqual({ write, moment, restarts: 1, left: ['a'] })
      expect(most, `most on their way, killed at write ${write}, ${moment}`).toBeLessThanOrEqual(limit)
      const { a: _, ...others } = asked
      expect({ write, moment, others }).toEqual({ write, moment, others: { b: 1, c: 1, d: 1 } })
    }
  }
}, 120_000)
