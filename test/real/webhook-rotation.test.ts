import { once } from 'node:events'
import { connect as connectTo, createServer, type AddressInfo, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { connect as connectTls } from 'node:tls'
import { Registry } from 'prom-client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openStoredServingCertificate } from '../../src/admission/serving/stored-serving-certificate.ts'
import type { ServingCertificate } from '../../src/admission/serving/serving-certificate.ts'
import { evacuationName } from '../../src/api/evacuation/evacuation-name.ts'
import { featureGateDefaults } from '../../src/api/feature-gates.ts'
import { install } from '../../src/manager/install/install.ts'
import { installation, userOfServiceAccount } from '../../src/manager/install/installation-names.ts'
import { listenerServing, urlAddress } from '../../src/manager/run/listener-serving.ts'
import { openManager, type Manager } from '../../src/manager/run/manager.ts'
import { uninstall } from '../../src/manager/install/uninstall.ts'
import type { Clock } from '../../src/runtime/clock.ts'
import { silentLog } from '../../src/runtime/log.ts'
import { systemClock, systemRandom } from '../../src/runtime/system.ts'
import { impersonating } from '../build/impersonating.ts'
import { buildPod } from '../build/nodes-and-pods.ts'
import { buildKube } from '../build/kube.ts'
import { connectTransport } from '../cluster/connect.ts'
import { createKubectl } from '../cluster/kubectl.ts'
import { ownCluster } from './own-cluster.ts'

// Two replicas of Lifeboat serve the webhooks of a real cluster while their certificate and the secret in their paths
// are renewed, which takes months: only their certificates live by another clock.

const cluster = ownCluster()
const kubectl = createKubectl(cluster)
const namespace = 'webhook-rotation'
const user = 'joe'
const waiting = { timeout: 30_000, interval: 50 }
const hourMs = 60 * 60 * 1_000
const dayMs = 24 * hourMs
/** Of requests, five of which go out at once, so that the API server needs connections to both replicas. */
const load = { perSecond: 50, atOnce: 5 }

/** Begins 61 days ago: the first certificate is due for renewal as soon as the clock shows today. */
const offset = { ms: -61 * dayMs }

function certificateClock(lookWithinMs: number): Clock {
  return {
    nowMs: () => systemClock.nowMs() + offset.ms,
    monotonicMs: () => systemClock.monotonicMs(),
    timer: (delayMs, callback) => systemClock.timer(Math.min(delayMs, lookWithinMs), callback),
  }
}

/** The registrar's look of every minute comes every second. */
const hastyClock: Clock = {
  nowMs: () => systemClock.nowMs(),
  monotonicMs: () => systemClock.monotonicMs(),
  timer: (delayMs, callback) => systemClock.timer(delayMs === 60_000 ? 1_000 : delayMs, callback),
}

/** As a Service: each connection goes to the next of the ports. */
async function openService(ports: readonly number[]): Promise<AsyncDisposable & { port: number }> {
  const open = new Set<Socket>()
  let next = 0
  const server = createServer((socket) => {
    const onward = connectTo(ports[next++ % ports.length] ?? 0, '127.0.0.1')
    for (const one of [socket, onward]) {
      open.add(one)
      one.on('error', () => {}).on('close', () => open.delete(one))
    }
    socket.pipe(onward).pipe(socket)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: async () => {
      server.close()
      for (const socket of open) socket.destroy()
    },
  }
}

interface Replica {
  readonly manager: Manager
  readonly certificate: ServingCertificate
  readonly port: number
  reviews(): Promise<number>
}

const open = new AsyncDisposableStack()
const ports: number[] = []
let replicas: [Replica, Replica]

async function openReplica(identity: string, lookWithinMs: number, service: { port: number }): Promise<Replica> {
  const transport = open.adopt(await connectTransport(cluster), (one) => one.close())
  const own = impersonating(transport, userOfServiceAccount(installation.namespace))
  const certificate = await openStoredServingCertificate({
    kube: buildKube(own, systemClock),
    clock: certificateClock(lookWithinMs),
    log: silentLog,
    namespace: installation.namespace,
    names: { dnsNames: [], addresses: ['127.0.0.1'] },
  })
  const registry = new Registry()
  const base = new URL(`https://127.0.0.1:${service.port}`)
  let port = 0
  const serving = listenerServing({
    certificate,
    address: (path, listening) => {
      port = listening
      return urlAddress(base)(path, listening)
    },
    host: '127.0.0.1',
    port: 0,
    clock: systemClock,
  })
  const manager = open.use(
    await openManager({
      transport: own,
      urgentTransport: own,
      registrar: { transport, rights: 'createAndDelete' },
      clock: hastyClock,
      random: systemRandom,
      log: silentLog,
      gates: featureGateDefaults,
      namespace: installation.namespace,
      identity,
      registry,
      controllerEvictTimeoutMs: 60_000,
      webhooks: {
        open: async (handlers) => {
          const served = await serving.open(handlers)
          served.client('/')
          ports.push(port)
          return served
        },
      },
    }),
  )
  const reviews = async () => {
    const [, count = '0'] =
      /^admission_reviews_total\{webhook="\/evacuations\/mutate",outcome="allowed"\} (\d+)$/m.exec(
        await registry.metrics(),
      ) ?? []
    return Number(count)
  }
  return { manager, certificate, port, reviews }
}

beforeAll(async () => {
  const transport = open.adopt(await connectTransport(cluster), (one) => one.close())
  const parts = { kube: buildKube(transport, systemClock), clock: systemClock }
  await install(parts, installation.namespace)
  open.defer(async () => {
    await uninstall(parts, { namespace: installation.namespace, force: true, print: () => {} })
  })
  const service = open.use(await openService(ports))
  replicas = [await openReplica('first', 200, service), await openReplica('second', 3_000, service)]
  await Promise.all(replicas.map(({ manager }) => manager.ready()))
  await kubectl(['create', 'namespace', namespace])
  const rights = ['--verb=create,delete', '--resource=pods,evacuations.evacuation.coordination.k8s.io']
  await kubectl(['-n', namespace, 'create', 'role', user, ...rights])
  await kubectl(['-n', namespace, 'create', 'rolebinding', user, `--role=${user}`, `--user=${user}`])
  // It stays, and nobody runs it. On a node that does not exist Kubernetes would collect it after a minute.
  const spec = { schedulingGates: [{ name: 'example.com/never' }] }
  await kubectl(['apply', '-f', '-'], { stdin: JSON.stringify(buildPod({ name: 'web', namespace, spec })) })
})

afterAll(async () => {
  await open.disposeAsync()
  await kubectl(['delete', 'namespace', namespace, '--wait=false'])
})

/** Asks for Evacuations, evenly, until it is told to stop. */
async function openLoad(): Promise<{ end(): Promise<{ sent: number; seconds: number; refused: string[] }> }> {
  const transport = await connectTransport(cluster)
  const uid = await kubectl(['-n', namespace, 'get', 'pod', 'web', '-o', 'jsonpath={.metadata.uid}'])
  const podRef = { name: 'web', uid }
  const body = {
    apiVersion: 'evacuation.coordination.k8s.io/v1alpha1',
    kind: 'Evacuation',
    metadata: { name: evacuationName(podRef), namespace },
    spec: { podRef, progressDeadlineSeconds: 1_800 },
  }
  const path = `/apis/evacuation.coordination.k8s.io/v1alpha1/namespaces/${namespace}/evacuations`
  const refused = new Set<string>()
  const pending = new Set<Promise<void>>()
  const startedMs = performance.now()
  let sent = 0
  const ask = async () => {
    const answer = await impersonating(transport, user).request({
      method: 'POST',
      path,
      query: { dryRun: 'All' },
      body,
    })
    if (answer.status !== 201) refused.add(`${answer.status} ${JSON.stringify(answer.body)}`)
  }
  const timer = setInterval(() => {
    const due = Math.floor(((performance.now() - startedMs) / 1_000) * load.perSecond)
    for (; sent + load.atOnce <= due;) {
      for (let count = 0; count < load.atOnce; count++, sent++) {
        const asked = ask().catch((error: unknown) => void refused.add(String(error)))
        pending.add(asked)
        void asked.finally(() => pending.delete(asked))
      }
    }
  }, 10)
  return {
    end: async () => {
      clearInterval(timer)
      const seconds = (performance.now() - startedMs) / 1_000
      await Promise.all(pending)
      await transport.close()
      return { sent, seconds, refused: [...refused] }
    },
  }
}

async function shownBy(port: number): Promise<string> {
  const socket = connectTls({ host: '127.0.0.1', port, rejectUnauthorized: false })
  await once(socket, 'secureConnect')
  const { fingerprint256 } = socket.getPeerCertificate()
  socket.destroy()
  return fingerprint256
}

const secretTold = async () => {
  const url = 'jsonpath={.webhooks[0].clientConfig.url}'
  const told = await kubectl(['get', 'mutatingwebhookconfiguration', 'lifeboat-admission-evacuations', '-o', url])
  return new URL(told).pathname.split('/')[2] ?? ''
}

test('certificate and path are renewed under 50 creations a second, none of which is refused', async () => {
  const acceptedCounts = () => replicas.map(({ certificate }) => certificate.acceptedPathSecrets().length)
  const shown = () => Promise.all(replicas.map(({ port }) => shownBy(port)))
  const reviews = () => Promise.all(replicas.map((replica) => replica.reviews()))
  const former = { secret: await secretTold(), shown: await shown() }
  expect(acceptedCounts()).toEqual([1, 1])
  const asking = await openLoad()
  await pause(2_000)
  const begun = await reviews()
  expect(begun.every((count) => count > 0)).toBe(true)
  // Today: due for renewal. One replica does it, the other finds out at its next look.
  offset.ms = 0
  await expect.poll(acceptedCounts, waiting).toEqual([2, 2])
  await expect.poll(async () => new Set([...former.shown, ...(await shown())]).size, waiting).toBe(2)
  expect(await secretTold()).toBe(former.secret)
  await pause(2_000)
  // An hour later the new secret is used, and the former one still let in.
  offset.ms = hourMs + 60_000
  await expect.poll(secretTold, waiting).not.toBe(former.secret)
  await pause(2_000)
  expect(acceptedCounts()).toEqual([2, 2])
  // A day later nobody gets in by it.
  offset.ms = 26 * hourMs
  await expect.poll(acceptedCounts, waiting).toEqual([1, 1])
  const late = await reviews()
  await pause(2_000)
  const last = await reviews()
  const { sent, seconds, refused } = await asking.end()
  expect(refused).toEqual([])
  expect(sent / seconds).toBeGreaterThan(0.9 * load.perSecond)
  expect(last.every((count, index) => count > (late[index] ?? 0))).toBe(true)
  expect(replicas.flatMap(({ certificate }) => certificate.acceptedPathSecrets())).not.toContain(former.secret)
  console.log(
    `${sent} creations in ${seconds.toFixed(1)} s, ${refused.length} refused; by replica ${last.join(' and ')}`,
  )
})
