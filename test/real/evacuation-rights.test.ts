import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { featureGateNames } from '../../src/api/feature-gates.ts'
import type { Transport } from '../../src/kube/client/transport.ts'
import { impersonating } from '../build/impersonating.ts'
import { connectTransport } from '../cluster/connect.ts'
import { createKubectl } from '../cluster/kubectl.ts'
import { startLifeboat, type LifeboatProcess } from '../cluster/lifeboat.ts'
import { lifeboatUser } from '../scenarios/admission-story.ts'
import { rightsStory, type WebhookState } from '../scenarios/evacuation-rights.ts'
import { runStory, type StoryGround } from '../scenarios/run-story.ts'
import { ownCluster } from './own-cluster.ts'

// Who may write an Evacuation, in every state in which `lifeboat run` can leave a real cluster.

const cluster = ownCluster()
const kubectl = createKubectl(cluster)
const root = join(import.meta.dirname, '..', '..')
const waiting = { timeout: 30_000, interval: 200 }
const configurations = 'validatingwebhookconfigurations,mutatingwebhookconfigurations'

let transport: Transport
let running: LifeboatProcess | undefined
let namespaces = 0

const lifeboat = async (...args: readonly string[]) => {
  const words = [...args, '--kubeconfig', cluster.kubeconfigPath]
  return (await promisify(execFile)(join(root, 'bin', 'lifeboat'), words)).stdout
}

const uninstall = () => lifeboat('uninstall', '--force')

async function start(...args: readonly string[]): Promise<LifeboatProcess> {
  running = await startLifeboat(cluster.kubeconfigPath, args)
  return running
}

async function end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
  await running?.end(signal)
  running = undefined
}

beforeAll(async () => {
  transport = await connectTransport(cluster)
  await uninstall()
})

afterEach(() => end('SIGTERM'))

afterAll(async () => {
  await uninstall()
  await kubectl(['delete', 'namespace', '-l', 'test=evacuation-rights', '--wait=false'])
  await transport.close()
})

const ground: StoryGround = {
  name: 'the real cluster',
  nowMs: () => Date.now(),
  as: (user) => (user === undefined ? transport : impersonating(transport, user)),
  pass: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
  [Symbol.asyncDispose]: async () => {},
}

async function newNamespace(): Promise<string> {
  const name = `harbour-${++namespaces}`
  await kubectl(['create', 'namespace', name])
  await kubectl(['label', 'namespace', name, 'test=evacuation-rights'])
  return name
}

async function tell(webhook: WebhookState): Promise<void> {
  const story = rightsStory(webhook)
  expect(await runStory(story, ground, await newNamespace())).toEqual(story.expected)
}

const uid = '11111111-2222-4333-8444-555555555555'
const ghost = {
  apiVersion: 'evacuation.coordination.k8s.io/v1alpha1',
  kind: 'Evacuation',
  spec: { podRef: { name: 'ghost', uid } },
}

/** Its pod is not there. Lifeboat's own account creates it, so no webhook has to answer. */
async function createEvacuation(namespace: string, metadata: object = {}, status?: object): Promise<string> {
  const name = `${uid}-ghost`
  const evacuation = { ...ghost, metadata: { name, namespace, ...metadata } }
  await kubectl(['create', '-f', '-', '--as', lifeboatUser], { stdin: JSON.stringify(evacuation) })
  if (status !== undefined) {
    const patch = JSON.stringify({ status })
    const what = ['patch', 'evacuation', name, '--subresource=status', '--type=merge', '-p', patch]
    await kubectl(['-n', namespace, ...what])
  }
  return name
}

/** A policy takes effect about a second after it is stored: Joe's change is refused from then on. */
async function untilPolicyCounts(): Promise<void> {
  const namespace = await newNamespace()
  const name = await createEvacuation(namespace)
  const rights = ['--verb=get,patch,update', '--resource=evacuations.evacuation.coordination.k8s.io']
  await kubectl(['-n', namespace, 'create', 'role', 'joe', ...rights])
  await kubectl(['-n', namespace, 'create', 'rolebinding', 'joe', '--role=joe', '--user=joe'])
  const change = () =>
    kubectl(['-n', namespace, 'label', 'evacuation', name, 'by=joe', '--overwrite', '--dry-run=server', '--as=joe'])
  await expect.poll(() => change().catch(String), waiting).toContain('may not delete pod')
}

describe('who may write an Evacuation is the same', () => {
  test('with nothing but the manifests, and Lifeboat never started', async () => {
    const files = (names: readonly string[]) => names.flatMap((name) => ['-f', join(root, 'deploy', name)])
    await kubectl(['apply', ...files(['crds', 'rbac.yaml', 'policies.yaml'])])
    await kubectl(['wait', '--for=condition=Established', 'crd/evacuations.evacuation.coordination.k8s.io'])
    await untilPolicyCounts()
    await tell('isNotThere')
    // Whoever leads fills them in, so until then they call nobody.
    await kubectl(['apply', ...files(['webhooks.yaml'])])
    await tell('isNotThere')
    await kubectl(['delete', configurations, '-l', 'app.kubernetes.io/managed-by=lifeboat'])
  })

  test('while it runs, and what an earlier version registered is gone', async () => {
    const webhook = {
      name: 'validate.evacuation.coordination.k8s.io',
      clientConfig: { url: 'https://127.0.0.1:1/evacuations/validate' },
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
      rules: [
        {
          apiGroups: ['evacuation.coordination.k8s.io'],
          apiVersions: ['*'],
          operations: ['UPDATE', 'DELETE'],
          resources: ['evacuations', 'evacuations/status'],
        },
      ],
    }
    const older = {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingWebhookConfiguration',
      metadata: { name: 'lifeboat-evacuations', labels: { 'app.kubernetes.io/managed-by': 'lifeboat' } },
      webhooks: [webhook],
    }
    await kubectl(['create', '-f', '-'], { stdin: JSON.stringify(older) })
    await start()
    await expect
      .poll(() => kubectl(['get', 'validatingwebhookconfigurations', '-o', 'name']), waiting)
      .not.toContain('lifeboat-evacuations')
    await tell('answers')
  })

  test('after SIGTERM', async () => {
    await start()
    await end('SIGTERM')
    await tell('isNotThere')
  })

  test('after SIGKILL', async () => {
    await start()
    await end('SIGKILL')
    await tell('doesNotAnswer')
  })

  test.each(featureGateNames)('with the gate %s off, and after that', async (gate) => {
    await start('--feature-gates', `${gate}=false`)
    await tell(gate === 'EvacuationAPI' ? 'isNotThere' : 'answers')
    await end('SIGTERM')
    await tell('isNotThere')
  })
})

/** Lifeboat does not run: nobody but the policy could let them through or stop them. */
describe('what Kubernetes removes', () => {
  const forbid = { evacuationCancellationPolicy: 'Forbid' }

  test('a namespace with Evacuations ends, also where cancellation is forbidden', async () => {
    const namespace = await newNamespace()
    await createEvacuation(namespace, {}, forbid)
    await expect(kubectl(['-n', namespace, 'delete', 'evacuations', '--all'])).rejects.toThrow('cannot stop any more')
    await kubectl(['delete', 'namespace', namespace, '--timeout=60s'])
  })

  test('an Evacuation whose owner is gone is collected', async () => {
    const namespace = await newNamespace()
    const get = ['-n', namespace, 'get', 'configmap', 'owner', '-o', 'jsonpath={.metadata.uid}']
    await kubectl(['-n', namespace, 'create', 'configmap', 'owner'])
    const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: await kubectl(get) }
    await createEvacuation(namespace, { ownerReferences: [owner] }, forbid)
    await kubectl(['-n', namespace, 'delete', 'configmap', 'owner'])
    await expect.poll(() => kubectl(['-n', namespace, 'get', 'evacuations', '-o', 'name']), waiting).toBe('')
  })

  test('foreground deletion of an owner ends', async () => {
    const namespace = await newNamespace()
    const get = ['-n', namespace, 'get', 'configmap', 'owner', '-o', 'jsonpath={.metadata.uid}']
    await kubectl(['-n', namespace, 'create', 'configmap', 'owner'])
    const uidOfOwner = await kubectl(get)
    const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: uidOfOwner, blockOwnerDeletion: true }
    await createEvacuation(namespace, { ownerReferences: [owner] }, forbid)
    await kubectl(['-n', namespace, 'delete', 'configmap', 'owner', '--cascade=foreground', '--timeout=60s'])
    expect(await kubectl(['-n', namespace, 'get', 'evacuations', '-o', 'name'])).toBe('')
  })

  test('uninstalling removes an Evacuation that forbids cancellation, and the policy', async () => {
    await createEvacuation(await newNamespace(), {}, forbid)
    const said = await uninstall()
    expect(said).toContain('removed validatingadmissionpolicies/lifeboat-evacuation-rights\n')
    expect(said).toMatch(/released and deleted \d+ evacuation/)
    expect(said).toMatch(/Lifeboat is uninstalled\n$/)
  })
})
