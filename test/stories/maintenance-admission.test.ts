import { setTimeout as pause } from 'node:timers/promises'
import { impersonating } from '../build/impersonating.ts'
import { openLifeboatGround } from '../build/lifeboat.ts'
import { connectTransport } from '../cluster/connect.ts'
import { startLifeboat } from '../cluster/lifeboat.ts'
import type { Transport } from '../../src/kube/client/transport.ts'
import { maintenanceAdmissionStories } from '../scenarios/maintenance-admission.ts'
import { tellExpected, titled, type StoryGround } from '../scenarios/run-story.ts'
import { ownCluster } from '../real/own-cluster.ts'
import { tellStories } from './tell-stories.ts'

/** `lifeboat run` beside the cluster that all share. */
async function openReal(): Promise<StoryGround> {
  await using opening = new AsyncDisposableStack()
  const cluster = ownCluster()
  const transport = opening.use(await connected(cluster))
  opening.use(await startLifeboat(cluster.kubeconfigPath))
  const opened = opening.move()
  return {
    name: 'the real cluster',
    nowMs: () => Date.now(),
    as: (user) => (user === undefined ? transport : impersonating(transport, user)),
    pass: (milliseconds) => pause(milliseconds),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}

async function connected(cluster: { readonly kubeconfigPath: string }): Promise<Transport & AsyncDisposable> {
  const transport = await connectTransport(cluster)
  return Object.assign(transport, { [Symbol.asyncDispose]: () => transport.close() })
}

async function openEmbedded(): Promise<StoryGround> {
  const ground = await openLifeboatGround()
  const { manager } = await ground.open()
  await ground.until(manager.ready())
  const inTime = (transport: Transport): Transport => ({
    // A webhook may wait for something: time must go on while somebody waits for it.
    request: (request) => ground.until(transport.request(request)),
    watch: (request) => transport.watch(request),
    close: () => transport.close(),
  })
  return {
    name: 'the embedded cluster',
    nowMs: () => ground.clock.nowMs(),
    as: (user) =>
      inTime(
        user === undefined
          ? ground.adminTransport
          : ground.cluster.transport({ name: user, groups: ['system:authenticated'] }),
      ),
    pass: (milliseconds) => ground.pass(milliseconds),
    [Symbol.asyncDispose]: () => ground[Symbol.asyncDispose](),
  }
}

const maintenances = '/apis/nodemaintenance.k8s.io/v1alpha1/nodemaintenances'
const kind = { apiVersion: 'nodemaintenance.k8s.io/v1alpha1', kind: 'NodeMaintenance' }
const probe = { ...kind, metadata: { name: 'probe' }, spec: { nodeSelector: { nodeSelectorTerms: [{}] } } }

/** Lifeboat is ready when its first webhook is reached; the API server may hear of the others a moment later. */
async function untilInEffect(ground: StoryGround): Promise<void> {
  for (let attempts = 1; ; attempts++) {
    const request = { method: 'POST', path: maintenances, body: probe, query: { dryRun: 'All' } } as const
    const { body, headers } = await ground.as(undefined).request(request)
    const { spec } = body as { spec?: { drainPlan?: unknown[] } }
    if (spec?.drainPlan?.length === 12 && headers['warning'] !== undefined) return
    if (attempts > 300) throw new Error(`${ground.name}: ${JSON.stringify(body)}`)
    await ground.pass(100)
  }
}

async function inEffect(opening: Promise<StoryGround>): Promise<StoryGround> {
  const ground = await opening
  await untilInEffect(ground)
  return ground
}

tellStories({
  stories: { 'maintenance-admission': titled(maintenanceAdmissionStories) },
  grounds: { embedded: () => inEffect(openEmbedded()), real: () => inEffect(openReal()) },
  tell: tellExpected,
})
