import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { openLifeboatGround } from '../build/lifeboat.ts'
import { connectTransport } from '../cluster/connect.ts'
import { createKubectl } from '../cluster/kubectl.ts'
import { startLifeboat } from '../cluster/lifeboat.ts'
import type { Transport } from '../../src/kube/transport.ts'
import { maintenanceAdmissionStories } from '../scenarios/maintenance-admission.ts'
import { impersonating, runStory, titled, type StoryGround } from '../scenarios/run-story.ts'

const cluster = inject('cluster')

/** `lifeboat run` beside the cluster that all share. */
async function openReal(): Promise<StoryGround> {
  await using opening = new AsyncDisposableStack()
  const transport = opening.use(await connected())
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

async function connected(): Promise<Transport & AsyncDisposable> {
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

let real: StoryGround
let embedded: StoryGround
beforeAll(async () => {
  real = await openReal()
  embedded = await openEmbedded()
  for (const ground of [real, embedded]) await untilInEffect(ground)
})
afterAll(async () => {
  await embedded[Symbol.asyncDispose]()
  await real[Symbol.asyncDispose]()
})

let count = 0

test.each(titled(maintenanceAdmissionStories))('$title', async (story) => {
  const namespace = `maintenance-admission-${++count}`
  const seen = await runStory(story, real, namespace)
  expect(seen).toEqual(story.expected)
  // The real one is always right: a difference is a bug of the embedded one.
  expect(await runStory(story, embedded, namespace)).toEqual(seen)
})

test('kubectl apply of the same manifest leaves a NodeMaintenance as it is', async () => {
  const kubectl = createKubectl(cluster)
  const manifest = {
    ...kind,
    metadata: { name: 'applied-twice' },
    spec: { ...probe.spec, drainPlan: [{ podPriority: 1_000, podType: 'Default' }] },
  }
  const apply = () => kubectl(['apply', '-f', '-'], { stdin: JSON.stringify(manifest) })
  const generation = () => kubectl(['get', 'nodemaintenance', 'applied-twice', '-o', 'jsonpath={.metadata.generation}'])
  expect(await apply()).toContain('created')
  await apply()
  expect(await generation()).toBe('1')
  await kubectl(['delete', 'nodemaintenance', 'applied-twice'])
})
