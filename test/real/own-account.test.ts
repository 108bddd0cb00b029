import { afterAll, beforeAll, expect, test } from 'vitest'
import { installation, userOfServiceAccount } from '../../src/manager/installation-names.ts'
import type { Method, Transport } from '../../src/kube/transport.ts'
import { connectTransport } from '../cluster/connect.ts'
import { startLifeboat } from '../cluster/lifeboat.ts'
import { ownCluster } from './own-cluster.ts'

// What somebody can do who has Lifeboat's account: no pod can be created with it, whether Lifeboat runs or not.

const cluster = ownCluster()
const namespace = 'own-account'
const podsPath = `/api/v1/namespaces/${namespace}/pods`
const policyPath = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies/lifeboat-own-account'
const merge = { 'content-type': 'application/merge-patch+json' }
const pod = { metadata: { generateName: 'logs-' }, spec: { containers: [{ name: 'main', image: 'logs:1' }] } }
let transport: Transport

beforeAll(async () => {
  transport = await connectTransport(cluster)
  await transport.request({ method: 'POST', path: '/api/v1/namespaces', body: { metadata: { name: namespace } } })
})
afterAll(async () => {
  await transport.request({ method: 'DELETE', path: `/api/v1/namespaces/${namespace}` })
  await transport.close()
})

interface Deed {
  readonly method: Method
  readonly path: string
  readonly body?: unknown
  readonly query?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
}

/** As Lifeboat's account; the test cluster's admin may act as anybody. */
async function asLifeboat(deed: Deed): Promise<string> {
  const headers = { ...deed.headers, 'impersonate-user': userOfServiceAccount(installation.namespace) }
  const { status, body } = await transport.request({ ...deed, headers })
  const { message = '' } = body as { message?: string }
  return `${status} ${message}`
}

const createPod = (query: Readonly<Record<string, string>> = {}) =>
  asLifeboat({ method: 'POST', path: podsPath, body: pod, query })

async function expectNoPod(): Promise<void> {
  expect(await createPod()).toMatch(/^403 .*lifeboat-own-account.* may create pods only as a dry run/)
  expect(await createPod({ dryRun: 'All' })).toMatch(/^201/)
  const spec = { matchConditions: [{ name: 'switched-off', expression: 'false' }] }
  const changed = await asLifeboat({ method: 'PATCH', path: policyPath, body: { spec }, headers: merge })
  expect(changed).toMatch(/^403 .*cannot patch resource/)
  expect(await asLifeboat({ method: 'DELETE', path: policyPath })).toMatch(/^403 .*cannot delete resource/)
  const { body } = await transport.request({ method: 'GET', path: podsPath })
  expect((body as { items: unknown[] }).items).toEqual([])
}

test('its account creates no pod while Lifeboat runs, after it stopped, and after it was killed', async () => {
  await using first = await startLifeboat(cluster.kubeconfigPath)
  await expectNoPod()
  await first.end('SIGTERM')
  await expectNoPod()
  await using second = await startLifeboat(cluster.kubeconfigPath, ['--feature-gates', 'EvacuationAPI=false'])
  await expectNoPod()
  await second.end('SIGKILL')
  await expectNoPod()
})
