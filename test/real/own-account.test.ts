import { afterAll, beforeAll, expect, test } from 'vitest'
import { installation, userOfServiceAccount } from '../../src/manager/install/installation-names.ts'
import type { Method, Transport } from '../../src/kube/client/transport.ts'
import { connectTransport } from '../cluster/connect.ts'
import { startLifeboat } from '../cluster/lifeboat.ts'
import { ownCluster } from './own-cluster.ts'

// What somebody can do who has Lifeboat's account: no pod can be created with it, no node be made to look otherwise and
// no maintenance be begun that is not for a machine that goes down, whether Lifeboat runs or not.

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

const maintenancesPath = '/apis/nodemaintenance.k8s.io/v1alpha1/nodemaintenances'
const nodePath = `/api/v1/nodes/${namespace}`
const strategic = { 'content-type': 'application/strategic-merge-patch+json' }

const maintenance = (name: string, annotations: object) => ({
  apiVersion: 'nodemaintenance.k8s.io/v1alpha1',
  kind: 'NodeMaintenance',
  metadata: { name, annotations },
  spec: {
    stage: 'Idle',
    nodeSelector: {
      nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: [namespace] }] }],
    },
  },
})

const setCondition = (type: string, status: string) => {
  const condition = { type, status, reason: 'Test', message: '' }
  const body = { status: { conditions: [condition] } }
  return asLifeboat({ method: 'PATCH', path: `${nodePath}/status`, body, headers: strategic })
}

test('its account writes one condition of a node, and begins and deletes maintenances of shutdowns alone', async () => {
  await using _lifeboat = await startLifeboat(cluster.kubeconfigPath)
  await transport.request({ method: 'POST', path: '/api/v1/nodes', body: { metadata: { name: namespace } } })
  const create = (body: object) => asLifeboat({ method: 'POST', path: maintenancesPath, body })
  const remove = (name: string) => asLifeboat({ method: 'DELETE', path: `${maintenancesPath}/${name}` })
  try {
    expect(await setCondition('GracefulNodeShutdownInProgress', 'True')).toMatch(/^200/)
    expect(await setCondition('Ready', 'False')).toMatch(/^403 .*lifeboat-own-account.* may change only the condition/)
    const body = { status: { capacity: { pods: '0' } } }
    const shrunk = await asLifeboat({ method: 'PATCH', path: `${nodePath}/status`, body, headers: merge })
    expect(shrunk).toMatch(/^403 .*lifeboat-own-account/)
    const mark = { 'nodemaintenance.k8s.io/shutdown': '{}' }
    expect(await create(maintenance(`shutdown-${namespace}`, mark))).toMatch(/^201/)
    expect(await create(maintenance('shutdown-other', {}))).toMatch(
      /^403 .*lifeboat-own-account.* machines that go down/,
    )
    expect(await create(maintenance('own-account', mark))).toMatch(/^403 .*lifeboat-own-account/)
    const ofAdmin = maintenance('own-account', {})
    expect((await transport.request({ method: 'POST', path: maintenancesPath, body: ofAdmin })).status).toBe(201)
    expect(await remove('own-account')).toMatch(/^403 .*lifeboat-own-account/)
    expect(await remove(`shutdown-${namespace}`)).toMatch(/^200/)
  } finally {
    await transport.request({ method: 'DELETE', path: `${maintenancesPath}/own-account` })
    await transport.request({ method: 'DELETE', path: nodePath })
  }
})

interface Change {
  readonly name: string
  readonly path: string
  readonly body: object
  readonly expected: RegExp
}

const web = `${podsPath}/web`
const isRefused = /^403 .*lifeboat-own-account.* may change only /
const isDone = /^200/
const owner = (uid: string, controller: boolean) => ({
  apiVersion: 'apps/v1',
  kind: 'ReplicaSet',
  name: 'web-1',
  uid,
  controller,
  blockOwnerDeletion: controller,
})
const releasedFrom = { 'evacuation.coordination.k8s.io/released-from': '{"hash":"5f6","replicaSet":"web-1"}' }
const changesOf = (replicaSet: string): readonly Change[] => [
  {
    name: 'an image',
    path: web,
    body: { spec: { containers: [{ name: 'main', image: 'evil:1' }] } },
    expected: isRefused,
  },
  { name: 'a deadline', path: web, body: { spec: { activeDeadlineSeconds: 1 } }, expected: isRefused },
  { name: 'a label of a pod', path: web, body: { metadata: { labels: { app: 'other' } } }, expected: isRefused },
  {
    name: 'an annotation of a pod',
    path: web,
    body: { metadata: { annotations: { team: 'b' } } },
    expected: isRefused,
  },
  {
    name: 'a finalizer of a pod',
    path: web,
    body: { metadata: { finalizers: ['example.com/keep'] } },
    expected: isRefused,
  },
  {
    name: 'the owner of a pod',
    path: web,
    body: { metadata: { ownerReferences: [owner(replicaSet, true)] } },
    expected: isRefused,
  },
  {
    name: 'the owner of a pod that is said to be released',
    path: web,
    body: { metadata: { annotations: releasedFrom, ownerReferences: [owner(replicaSet, true)] } },
    expected: isRefused,
  },
  {
    name: 'what a release changes',
    path: web,
    body: {
      metadata: {
        labels: { 'pod-template-hash': null, 'evacuation.coordination.k8s.io/released': 'true' },
        annotations: releasedFrom,
        ownerReferences: [owner(replicaSet, false)],
      },
    },
    expected: isDone,
  },
  {
    name: 'a hash that the pod never had',
    path: web,
    body: { metadata: { labels: { 'pod-template-hash': '777' } } },
    expected: isRefused,
  },
  {
    name: 'what an undo changes',
    path: web,
    body: { metadata: { labels: { 'pod-template-hash': '5f6' } } },
    expected: isDone,
  },
  {
    name: 'a taint',
    path: nodePath,
    body: { spec: { taints: [{ key: 'gpu', effect: 'NoExecute' }] } },
    expected: isRefused,
  },
  { name: 'a label of a node', path: nodePath, body: { metadata: { labels: { zone: 'b' } } }, expected: isRefused },
  {
    name: 'an annotation of a node',
    path: nodePath,
    body: { metadata: { annotations: { zone: 'b' } } },
    expected: isRefused,
  },
  { name: 'a cordon', path: nodePath, body: { spec: { unschedulable: true } }, expected: isDone },
]

/** Its UID. Pods of an owner that is not there are taken away. */
async function createReplicaSet(): Promise<string> {
  const labels = { app: 'none' }
  const template = { metadata: { labels }, spec: pod.spec }
  const body = { metadata: { name: 'web-1' }, spec: { replicas: 0, selector: { matchLabels: labels }, template } }
  const created = await transport.request({
    method: 'POST',
    path: `/apis/apps/v1/namespaces/${namespace}/replicasets`,
    body,
  })
  return (created.body as { metadata: { uid: string } }).metadata.uid
}

test('its account changes no image, taint, label or owner of others, other than by release and undo', async () => {
  await using _lifeboat = await startLifeboat(cluster.kubeconfigPath)
  await transport.request({ method: 'POST', path: '/api/v1/nodes', body: { metadata: { name: namespace } } })
  const replicaSet = await createReplicaSet()
  const metadata = { name: 'web', labels: { app: 'web', 'pod-template-hash': '5f6' } }
  const spec = { ...pod.spec, schedulingGates: [{ name: 'example.com/never' }] }
  await transport.request({ method: 'POST', path: podsPath, body: { metadata, spec } })
  try {
    // A policy is in effect a moment after it is stored.
    const tryDeadline = {
      method: 'PATCH',
      path: web,
      body: { spec: { activeDeadlineSeconds: 9 } },
      headers: strategic,
    } as const
    await expect.poll(() => asLifeboat(tryDeadline), { timeout: 30_000 }).toMatch(isRefused)
    for (const { name, path, body, expected } of changesOf(replicaSet)) {
      const answer = await asLifeboat({ method: 'PATCH', path, body, headers: strategic })
      expect({ name, answer }).toEqual({ name, answer: expect.stringMatching(expected) as string })
    }
  } finally {
    await transport.request({ method: 'DELETE', path: web })
    await transport.request({ method: 'DELETE', path: nodePath })
  }
})

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
