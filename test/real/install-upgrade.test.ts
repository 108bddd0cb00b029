import { execFile } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { Agent, request } from 'undici'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { webhookPaths } from '../../src/admission/serving/webhook-configurations.ts'
import { evacuationName } from '../../src/api/evacuation/evacuation-name.ts'
import { evacuations, evacuationType } from '../../src/api/evacuation/evacuation.ts'
import { pods } from '../../src/api/kubernetes/resources.ts'
import { buildPod } from '../build/nodes-and-pods.ts'
import { connect } from '../cluster/connect.ts'
import { chart, release } from '../cluster/helm.ts'
import { missingForContainers } from '../cluster/kubelet/requirements.ts'
import { startLifeboat } from '../cluster/lifeboat.ts'
import { hasPart } from '../cluster/newer-parts.ts'
import { isContinuousIntegration } from '../continuous-integration.ts'
import { buildMaintenance, hashOf, type InstallWorld, openInstallWorld, podOf, replicasOf } from './install-world.ts'
import { missingOfPreviousRelease, openPreviousRelease, type PreviousRelease } from './previous-release.ts'

// From release 0.1.0 to this one. Its replicas answer webhooks under plain paths, ours only under paths with a secret,
// and for a while both are there.

const missing = [...(await missingForContainers()), await missingOfPreviousRelease()].filter((one) => one !== undefined)
if (missing.length > 0) console.log(`left out: upgrades from release 0.1.0, for want of ${missing.join(', ')}`)

const inNamespace = ['--namespace', release.namespace]
/** Without MutatingAdmissionPolicies one more has the place of the policy. */
const webhookCount = hasPart('mutatingPolicies') ? 5 : 6
const options = ['--set', 'image.pullPolicy=Never', '--wait', '--timeout', '120s']
const waiting = { timeout: 60_000, interval: 200 }

let world: InstallWorld
let previous: PreviousRelease

describe.skipIf(missing.length > 0 && !isContinuousIntegration())('from release 0.1.0', () => {
  const open = new AsyncDisposableStack()
  beforeAll(async () => {
    const building = openPreviousRelease()
    // Looked at below; until then nobody is to be told by a crash.
    building.catch(() => {})
    world = open.use(await openInstallWorld(['checkout']))
    previous = open.use(await building)
  }, 600_000)
  afterAll(() => open.disposeAsync(), 120_000)

  const kubectl = (args: readonly string[], stdin?: string) =>
    world.cluster.kubectl(args, stdin === undefined ? {} : { stdin })
  const configurations = async () => {
    const kinds = 'mutatingwebhookconfigurations,validatingwebhookconfigurations'
    const list = JSON.parse(await kubectl(['get', kinds, '-o', 'json'])) as { items: Configuration[] }
    return list.items
  }
  const askForMaintenance = () =>
    kubectl(['create', '--dry-run=server', '-f', '-'], buildMaintenance('asked', 'nowhere'))

  test('lifeboat run takes over from one that leads and is killed, and removes its webhooks', async () => {
    const { kubeconfigPath } = world.cluster
    const former = await startLifeboat(kubeconfigPath, [], previous.program)
    expect((await configurations()).map(({ metadata }) => metadata.name)).toContain('lifeboat-evacuations')
    await using next = await startLifeboat(kubeconfigPath, [], world.program)
    await askForMaintenance()
    await former.end('SIGKILL')
    await expect.poll(() => askForMaintenance().then(() => 'answered', String), waiting).toBe('answered')
    const names = (await configurations()).map(({ metadata }) => metadata.name)
    expect(names.filter((name) => !name.startsWith('lifeboat-admission-'))).toEqual([])
    expect(names).toHaveLength(webhookCount)
    await next.end('SIGTERM')
    expect(await configurations()).toEqual([])
    await promisify(execFile)(process.execPath, [world.program, 'uninstall', '--kubeconfig', kubeconfigPath])
  })

  test('helm upgrade in the middle of a drain refuses no request', async () => {
    const { cluster, helm, node } = world
    await node.importImage(previous.image)
    await helm(['install', release.name, previous.chart, ...inNamespace, '--create-namespace', ...options])
    const before = new Set((await replicasOf(cluster)).map(({ name }) => name))
    const pod = await podOf(cluster, 'checkout')
    await kubectl(['create', '-f', '-'], buildMaintenance('upgrade', pod.node))
    await expect.poll(() => hashOf(cluster, pod.name), waiting).toBe('')
    const stop = new AbortController()
    const asked = [
      askAgainAndAgain(stop.signal, askForMaintenance),
      askAgainAndAgain(stop.signal, await evacuationAsker()),
    ]
    await pause(2_000)
    await node.importImage(world.image)
    const startedMs = performance.now()
    await helm(['upgrade', release.name, chart, ...inNamespace, ...options])
    const seconds = ((performance.now() - startedMs) / 1_000).toFixed(1)
    await kubectl(['wait', '--for=condition=Drained', 'nodemaintenance/upgrade', '--timeout=90s'])
    const replicas = await replicasOf(cluster)
    expect(replicas.filter(({ name }) => before.has(name))).toEqual([])
    // The last replica of the former release may have ended just now, and another one lead a moment later.
    await expect
      .poll(async () => (await configurations()).flatMap(({ webhooks = [] }) => webhooks), waiting)
      .toHaveLength(webhookCount)
    await pause(2_000)
    stop.abort()
    const [maintenances, created] = await Promise.all(asked)
    expect([...(maintenances?.refusals ?? []), ...(created?.refusals ?? [])]).toEqual([])
    expect(created?.count).toBeGreaterThan(200)
    console.log(`upgrade ${seconds} s; ${maintenances?.count} and ${created?.count} requests, none refused`)
    expect((await podOf(cluster, 'checkout')).node).not.toBe(pod.node)
  })

  test('what Helm put in and what Lifeboat did do not get into one another', async () => {
    const items = await configurations()
    expect(items.map(({ metadata }) => metadata.name).filter((name) => !name.includes('admission'))).toEqual([])
    const clients = items.flatMap(({ webhooks = [] }) => webhooks.map(({ clientConfig }) => clientConfig))
    expect(clients).toHaveLength(webhookCount)
    for (const { caBundle, service } of clients) {
      expect(caBundle).not.toBe('')
      expect(service).toMatchObject({ name: 'lifeboat-webhook', port: 8443 })
      expect(service.path).toMatch(/^\/reviews\/[0-9a-f]{64}\/[a-z]+\/[a-z-]+$/)
    }
    await world.helm(['upgrade', release.name, chart, ...inNamespace, ...options])
    expect(await configurations()).toEqual(items)
  })

  test('no replica answers under the paths of the former release any more', async () => {
    const dispatcher = new Agent({ connect: { rejectUnauthorized: false } })
    const statuses = new Set<string>()
    for (const { address } of await replicasOf(world.cluster)) {
      for (const path of Object.values(webhookPaths)) {
        const sent = {
          method: 'POST',
          body: '{}',
          headers: { 'content-type': 'application/json' },
          dispatcher,
        } as const
        const answer = await request(`https://${address}:9443${path}`, sent)
        statuses.add(`${answer.statusCode} ${await answer.body.text()}`)
      }
    }
    await dispatcher.close()
    expect([...statuses]).toEqual(['404 '])
  })

  /** Asks for the Evacuation of a pod that stays, as it is on no node, as a dry run. */
  async function evacuationAsker(): Promise<() => Promise<unknown>> {
    const { kube } = open.use(await connect(world.cluster))
    const name = 'asked'
    const nodeSelector = { nowhere: 'true' }
    const waitingPod = buildPod({ name, namespace: 'shop', spec: { nodeSelector } })
    await kubectl(['create', '-f', '-'], JSON.stringify(waitingPod))
    const { metadata } = await kube.get(pods, { namespace: 'shop', name })
    const podRef = { name, uid: metadata.uid }
    const object = {
      ...evacuationType,
      metadata: { namespace: 'shop', name: evacuationName(podRef) },
      spec: { podRef, progressDeadlineSeconds: 1_800 },
    }
    return async () => {
      await kube.create(evacuations, object, { dryRun: true })
      await pause(20)
    }
  }
})

interface Configuration {
  readonly metadata: { readonly name: string }
  readonly webhooks?: readonly {
    readonly clientConfig: { readonly caBundle?: string; readonly service: { readonly path: string } }
  }[]
}

/** How often it was asked, and what was refused, with the time of its first refusal. */
async function askAgainAndAgain(
  until: AbortSignal,
  ask: () => Promise<unknown>,
): Promise<{ count: number; refusals: string[] }> {
  const refusals = new Map<string, string>()
  let count = 0
  for (; !until.aborted; count++) {
    await ask().catch((error: unknown) => {
      const message = String(error)
      if (!refusals.has(message)) refusals.set(message, new Date().toISOString())
    })
  }
  return { count, refusals: Array.from(refusals, ([message, at]) => `${at} ${message}`) }
}
