import { expect, test } from 'vitest'
import type { AdmissionReview } from '../src/embedded/server/admission/webhooks/admission-review.ts'
import { namespaces, nodes, pods } from '../src/api/kubernetes/resources.ts'
import { annotations } from '../src/api/names.ts'
import type { Transport } from '../src/kube/client/transport.ts'
import { openDescheduling } from '../src/manager/descheduling/descheduling.ts'
import { enabled, policyOf, profileOf } from './build/cycle-policy.ts'
import { unmeasuredParts } from './build/descheduling-parts.ts'
import { killedAt, killMomentsAt, neverKilled, type KillPoint } from './build/kill-points.ts'
import { buildKube } from './build/kube.ts'
import { openLifeboatGround, type LifeboatGround } from './build/lifeboat.ts'
import { buildNode } from './build/nodes-and-pods.ts'

// Evictions in the background: of a promise nothing tells until its pod is marked, half a minute later. The descheduler
// dies at each of its writes in turn, and the next one finds a pod that comes before all others in the order. Never two
// machines move at a time, and none is asked twice.

const namespace = 'shop'
const cycleMs = 20_000
const markedAfterMs = 30_000
const movedAfterMs = 60_000
const policy = policyOf({
  profiles: [profileOf('p', { deschedule: [enabled('RemovePodsViolatingNodeTaints', {})] })],
  limits: { total: 1, perNode: undefined, perNamespace: undefined },
})

/** Its webhook promises to move machines, and its controller does so. */
class Hypervisor {
  readonly asked: Record<string, number> = {}
  readonly #ground: LifeboatGround
  readonly #movingSinceMs = new Map<string, number>()
  most = 0

  constructor(ground: LifeboatGround) {
    this.#ground = ground
  }

  get hasPromised(): boolean {
    return this.#movingSinceMs.size > 0
  }

  async install(): Promise<void> {
    const url = 'https://hypervisor.test/evictions'
    this.#ground.webhooks.register({ url }, ({ request }: AdmissionReview) => this.#admit(request))
    const webhook = {
      name: 'evictions.example.com',
      clientConfig: { url, caBundle: '' },
      rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods/eviction'] }],
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
    }
    const path = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations'
    const body = { metadata: { name: 'hypervisor' }, webhooks: [webhook] }
    const { status } = await this.#ground.until(this.#ground.adminTransport.request({ method: 'POST', path, body }))
    if (status !== 201) throw new Error(`the webhook was not registered: ${status}`)
  }

  async create(name: string): Promise<void> {
    const metadata = {
      name,
      namespace,
      annotations: {
        'descheduler.alpha.kubernetes.io/evict': '',
        'descheduler.alpha.kubernetes.io/request-evict-only': '',
      },
    }
    const containers = [{ name: 'main', image: 'web:1' }]
    const spec = { nodeName: 'n1', terminationGracePeriodSeconds: 1, containers }
    await this.#ground.until(this.#ground.admin.create(pods, { metadata, spec }))
  }

  /** Marks who has been moving for a while, and ends who has moved. */
  async work(): Promise<void> {
    const { admin, clock } = this.#ground
    for (const [name, sinceMs] of this.#movingSinceMs) {
      const key = { namespace, name }
      const elapsedMs = clock.nowMs() - sinceMs
      if (elapsedMs >= movedAfterMs) {
        await this.#ground.until(admin.delete(pods, key))
        this.#movingSinceMs.delete(name)
      } else if (elapsedMs >= markedAfterMs) {
        const body = { metadata: { annotations: { [annotations.evictionInProgress]: 'true' } } }
        await this.#ground.until(admin.patch(pods, key, { type: 'merge', body }))
      }
    }
  }

  #admit(request: AdmissionReview['request']): object {
    const name = String(request['name'])
    this.asked[name] = (this.asked[name] ?? 0) + 1
    if (!this.#movingSinceMs.has(name)) this.#movingSinceMs.set(name, this.#ground.clock.nowMs())
    this.most = Math.max(this.most, this.#movingSinceMs.size)
    const status = { code: 429, message: `Eviction triggered evacuation of VMI "${namespace}/${name}"` }
    return {
      apiVersion: 'admission.k8s.io/v1',
      kind: 'AdmissionReview',
      response: { uid: request.uid, allowed: false, status },
    }
  }
}

interface Told {
  readonly writes: number
  readonly restarts: number
  readonly asked: Readonly<Record<string, number>>
  readonly most: number
  /** Who is still there at the end. */
  readonly left: readonly string[]
}

async function arrange(ground: LifeboatGround): Promise<Hypervisor> {
  await ground.until(ground.admin.create(namespaces, { metadata: { name: namespace } }))
  const taints = [{ key: 'old', effect: 'NoSchedule' as const }]
  await ground.until(ground.admin.create(nodes, buildNode({ name: 'n1', taints })))
  await ground.until(ground.admin.create(nodes, buildNode({ name: 'n2' })))
  await ground.pass(1_000)
  const hypervisor = new Hypervisor(ground)
  await hypervisor.install()
  for (const name of ['b', 'c']) await hypervisor.create(name)
  await ground.pass(2_000)
  return hypervisor
}

async function tell(point: KillPoint): Promise<Told> {
  await using ground = await openLifeboatGround()
  const hypervisor = await arrange(ground)
  const counted = { writes: 0, restarts: 0 }
  const plain: Transport = {
    request: (request) => {
      if (request.method !== 'GET') counted.writes++
      return ground.adminTransport.request(request)
    },
    watch: (request) => ground.adminTransport.watch(request),
    close: () => ground.adminTransport.close(),
  }
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
        mode: 'evict',
        dryRun: false,
        namespace,
        requestTtlMs: undefined,
        signal: stop.signal,
        on: {},
      }),
    )
    void opened.run(stop.signal)
    await ground.until(opened.watch.synced())
    return opened.descheduler
  }
  let descheduler = await start(killedAt(plain, point, () => void (isDead = true)))
  let isFirstAsked = false
  for (let cycle = 0; cycle < 60 && (ground.podNames().length > 0 || !isFirstAsked); cycle++) {
    const { signal } = stop
    const cycling = descheduler.cycle(policy, signal).catch((error: unknown) => {
      if (!signal.aborted) throw error
    })
    await ground.pass(1_000)
    if (!isFirstAsked && hypervisor.hasPromised) {
      isFirstAsked = true
      await hypervisor.create('a')
    }
    if (isDead) {
      isDead = false
      counted.restarts++
      stop.abort(new Error('it died'))
      await ground.until(cycling)
      await ground.pass(1_000)
      descheduler = await start(plain)
    } else {
      await ground.until(cycling)
      await ground.clock.advance(cycleMs)
    }
    await hypervisor.work()
    await ground.pass(2_000)
  }
  stop.abort(new Error('seen enough'))
  const { asked, most } = hypervisor
  return { ...counted, asked, most, left: ground.podNames() }
}

test('killed at any write, the next one counts what is promised and asks for nothing twice', async () => {
  const whole = await tell(neverKilled)
  const once = { a: 1, b: 1, c: 1 }
  expect(whole).toMatchObject({ restarts: 0, most: 1, left: [], asked: once })
  expect(whole.writes).toBeGreaterThanOrEqual(6)
  for (let write = 1; write <= whole.writes; write++) {
    for (const moment of killMomentsAt(write)) {
      const { restarts, most, left, asked } = await tell({ write, moment })
      const at = { write, moment }
      expect({ ...at, restarts, most, left, asked }).toEqual({ ...at, restarts: 1, most: 1, left: [], asked: once })
    }
  }
}, 120_000)
