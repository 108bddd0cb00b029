import { setTimeout as pause } from 'node:timers/promises'
import { Registry } from 'prom-client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeServingCertificate } from '../../src/admission/serving/serving-certificate.ts'
import { featureGateDefaults } from '../../src/api/feature-gates.ts'
import type { Transport } from '../../src/kube/client/transport.ts'
import { install } from '../../src/manager/install/install.ts'
import { installation, userOfServiceAccount } from '../../src/manager/install/installation-names.ts'
import { listenerServing, urlAddress } from '../../src/manager/run/listener-serving.ts'
import { openManager } from '../../src/manager/run/manager.ts'
import { uninstall } from '../../src/manager/install/uninstall.ts'
import { silentLog } from '../../src/runtime/log.ts'
import { systemClock, systemRandom } from '../../src/runtime/system.ts'
import { impersonating } from '../build/impersonating.ts'
import { buildKube } from '../build/kube.ts'
import { startCluster } from '../cluster/cluster.ts'
import { connectTransport } from '../cluster/connect.ts'
import { hasPart } from '../cluster/newer-parts.ts'
import { evictTimeRows, podOf, timeOf } from '../scenarios/evict-time.ts'

// Lifeboat on an API server that does not know MutatingAdmissionPolicies, as those before 1.36, and on one that does:
// both make the same of the same pods.

const group = '/apis/admissionregistration.k8s.io/v1'
const unserved = ['mutatingadmissionpolicies', 'mutatingadmissionpolicybindings'].map(
  (plural) => `admissionregistration.k8s.io/v1/${plural}=false`,
)
/** The plugin would wait for the kinds for good. */
const switchedOff = [`--runtime-config=${unserved.join(',')}`, '--disable-admission-plugins=MutatingAdmissionPolicy']
const kinds = hasPart('mutatingPolicies')
  ? [
      { name: 'without the kind', flags: switchedOff, by: 'webhook' },
      { name: 'with the kind', flags: [], by: 'policy' },
    ]
  : [{ name: 'without the kind', flags: [], by: 'webhook' }]
const { namespace } = installation

async function openLifeboat(transport: Transport): Promise<AsyncDisposable> {
  await using opening = new AsyncDisposableStack()
  const parts = { kube: buildKube(transport, systemClock), clock: systemClock }
  await install(parts, namespace)
  const own = impersonating(transport, userOfServiceAccount(namespace))
  const names = { dnsNames: [], addresses: ['127.0.0.1'] }
  const manager = opening.use(
    await openManager({
      transport: own,
      urgentTransport: own,
      registrar: { transport, rights: 'createAndDelete' },
      clock: systemClock,
      random: systemRandom,
      log: silentLog,
      gates: featureGateDefaults,
      namespace,
      identity: 'test',
      registry: new Registry(),
      controllerEvictTimeoutMs: 60_000,
      webhooks: listenerServing({
        certificate: makeServingCertificate({ clock: systemClock, names }),
        address: (path, port) => urlAddress(new URL(`https://127.0.0.1:${port}`))(path, port),
        host: '127.0.0.1',
        port: 0,
        clock: systemClock,
      }),
    }),
  )
  await manager.ready()
  return opening.move()
}

describe.each(kinds)('an API server $name', ({ flags, by }) => {
  const open = new AsyncDisposableStack()
  let transport: Transport
  let lifeboat: AsyncDisposable

  const get = async (path: string) => (await transport.request({ method: 'GET', path: `${group}/${path}` })).status
  const registered = async () => ({
    policy: await get('mutatingadmissionpolicies/lifeboat-evict-time'),
    binding: await get('mutatingadmissionpolicybindings/lifeboat-evict-time'),
    webhook: await get('mutatingwebhookconfigurations/lifeboat-admission-evict-time'),
  })
  const tried = async (body: object) => {
    const path = '/api/v1/namespaces/default/pods'
    return (await transport.request({ method: 'POST', path, body, query: { dryRun: 'All' } })).body as object
  }

  beforeAll(async () => {
    const cluster = open.use(await startCluster({ components: ['etcd', 'kube-apiserver'], apiServerFlags: flags }))
    transport = open.adopt(await connectTransport(cluster), (one) => one.close())
    lifeboat = open.use(await openLifeboat(transport))
    await untilInEffect(tried)
  }, 120_000)
  afterAll(() => open.disposeAsync())

  test(`gets a ${by}`, async () => {
    const expected = { policy: 404, binding: 404, webhook: 404 }
    const made = by === 'policy' ? { policy: 200, binding: 200 } : { webhook: 200 }
    expect(await registered()).toEqual({ ...expected, ...made })
  })

  test.each(evictTimeRows)('a pod $name', async ({ seconds, added, ...row }) => {
    expect(timeOf(await tried(podOf(row)))).toEqual({ seconds, added })
  })

  test('is left with nothing of it by uninstall', async () => {
    await lifeboat[Symbol.asyncDispose]()
    const parts = { kube: buildKube(transport, systemClock), clock: systemClock }
    // No controller is here that would let a namespace end.
    await uninstall(parts, { namespace, force: true, releaseOnly: true, print: () => {} })
    expect(await registered()).toEqual({ policy: 404, binding: 404, webhook: 404 })
  })
})

/** The API server takes a moment to hear of it. */
async function untilInEffect(tried: (body: object) => Promise<object>): Promise<void> {
  const [first] = evictTimeRows
  if (first === undefined) throw new Error('there are no rows')
  for (let attempts = 1; timeOf(await tried(podOf(first))).added === undefined; attempts++) {
    if (attempts > 300) throw new Error('no time is made')
    await pause(100)
  }
}
