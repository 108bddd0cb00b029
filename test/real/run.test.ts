import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { request } from 'undici'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { renderKubeconfig } from '../../src/embedded/kubectl/http/kubeconfig.ts'
import { buildBudget, buildNode, buildPod } from '../build/nodes-and-pods.ts'
import { createKubectl } from '../cluster/kubectl.ts'
import { hasPart } from '../cluster/newer-parts.ts'
import { ownCluster } from './own-cluster.ts'

// Lifeboat as a process of its own, from outside of a real cluster: what an admin sees of it.

const cluster = ownCluster()
const kubectl = createKubectl(cluster)
/** Without MutatingAdmissionPolicies one more has the place of the policy. */
const webhookCount = hasPart('mutatingPolicies') ? 5 : 6
const root = join(import.meta.dirname, '..', '..')
const namespace = 'run-test'
const node = 'run-test-node'
const waiting = { timeout: 30_000, interval: 100 }

interface Lifeboat {
  readonly child: ChildProcess
  readonly stdout: () => string
  readonly stderr: () => string
  readonly ended: Promise<number | null>
}

/** Those that a test started; none outlives it, whatever became of that. */
const running = new Set<Lifeboat>()

function lifeboat(...args: readonly string[]): Lifeboat {
  const child = spawn(join(root, 'bin', 'lifeboat'), args, { stdio: ['ignore', 'pipe', 'pipe'] })
  const text = { stdout: '', stderr: '' }
  child.stdout.on('data', (chunk) => (text.stdout += String(chunk)))
  child.stderr.on('data', (chunk) => (text.stderr += String(chunk)))
  const ended = once(child, 'close').then(([code]) => {
    running.delete(started)
    return code as number | null
  })
  const started: Lifeboat = { child, ended, stdout: () => text.stdout, stderr: () => text.stderr }
  running.add(started)
  return started
}

const reaching = ['--kubeconfig', cluster.kubeconfigPath]

async function startLifeboat(...more: readonly string[]): Promise<Lifeboat & { readonly url: string }> {
  const started = lifeboat('run', ...reaching, '--listen', '127.0.0.1:0', ...more)
  await expect.poll(() => started.stdout() + started.stderr(), waiting).toMatch(/^ready /m)
  return { ...started, url: /http:\S+/.exec(started.stdout())?.[0] ?? '' }
}

async function stop({ child, ended }: Lifeboat, signal: NodeJS.Signals): Promise<number | null> {
  child.kill(signal)
  return ended
}

async function uninstall(...more: readonly string[]): Promise<string> {
  const { ended, stdout, stderr } = lifeboat('uninstall', ...reaching, ...more)
  const code = await ended
  return `${code}\n${stdout()}${stderr()}`
}

const metric = async (url: string, pattern: RegExp) =>
  (await (await request(`${url}/metrics`)).body.text()).split('\n').filter((line) => pattern.test(line))

const webhooks = () => kubectl(['get', 'validatingwebhookconfigurations,mutatingwebhookconfigurations', '-o', 'name'])

type Texts = Record<string, string>

async function createPod(name: string, annotations: Texts = {}, labels: Texts = {}): Promise<string> {
  const pod = buildPod({ name, namespace, nodeName: node, annotations, labels })
  await kubectl(['apply', '-f', '-'], { stdin: JSON.stringify(pod) })
  const phase = () => kubectl(['-n', namespace, 'get', 'pod', name, '-o', 'jsonpath={.status.phase}'])
  await expect.poll(phase, waiting).toBe('Running')
  return kubectl(['-n', namespace, 'get', 'pod', name, '-o', 'jsonpath={.metadata.uid}'])
}

async function evacuate(name: string, uid: string): Promise<void> {
  const evacuation = {
    apiVersion: 'evacuation.coordination.k8s.io/v1alpha1',
    kind: 'Evacuation',
    metadata: {
      name: `${uid}-${name}`,
      namespace,
      finalizers: ['evacuation.coordination.k8s.io/instigator_drill.example.com'],
    },
    spec: { podRef: { name, uid } },
  }
  await kubectl(['create', '-f', '-'], { stdin: JSON.stringify(evacuation) })
}

const remaining = (kinds: string) => kubectl(['-n', namespace, 'get', kinds, '-o', 'name'])

beforeAll(async () => {
  // Other files of this folder install the definitions alone.
  await uninstall('--force')
  await kubectl(['create', 'namespace', namespace])
  await kubectl(['apply', '-f', '-'], { stdin: JSON.stringify(buildNode({ name: node })) })
  await kubectl(['wait', '--for=condition=Ready', `node/${node}`, '--timeout=30s'])
})

afterEach(async () => {
  for (const { child } of running) child.kill('SIGKILL')
  await Promise.all([...running].map(({ ended }) => ended))
})

afterAll(async () => {
  await uninstall('--force')
  await kubectl(['delete', 'namespace', namespace, '--wait=false'])
  await kubectl(['delete', 'node', node])
})

describe('lifeboat run', () => {
  test('says ready when it is, evacuates with the rights of its account and no more, and leaves no webhook', async () => {
    const started = await startLifeboat('--controller-evict-timeout', '1s')
    expect(await (await request(`${started.url}/readyz`)).body.text()).toBe('ok\n')
    expect((await webhooks()).trim().split('\n')).toHaveLength(webhookCount)
    const budget = buildBudget({ name: 'web', namespace, selector: { app: 'web' }, minAvailable: 1 })
    await kubectl(['create', '-f', '-'], { stdin: JSON.stringify(budget) })
    await evacuate('cart', await createPod('cart'))
    await evacuate('shy', await createPod('shy', { 'kubernetes.io/evict-policy': 'ControllerTakeOver' }))
    const guarded = await createPod('web', {}, { app: 'web' })
    await evacuate('web', guarded)
    const refusals = ['get', 'evacuation', `${guarded}-web`, '-o', 'jsonpath={.status.failedEvictionCounter}']
    await expect.poll(async () => Number(await kubectl(['-n', namespace, ...refusals])), waiting).toBeGreaterThan(0)
    await expect.poll(() => remaining('pods'), waiting).toBe('pod/web\n')
    await kubectl(['-n', namespace, 'delete', 'poddisruptionbudget', 'web'])
    await expect.poll(() => remaining('pods,evacuations'), waiting).toBe('')
    expect(await kubectl(['-n', namespace, 'get', 'events'])).toContain('Evacuated')
    expect(await metric(started.url, /^kube_client_requests_total.*code="40[13]"/)).toEqual([])
    expect(await metric(started.url, /^evacuation_controller_evictions\{.*accepted.* 3$/)).toHaveLength(1)
    expect(await stop(started, 'SIGTERM')).toBe(0)
    expect(await webhooks()).toBe('')
    const lease = ['-n', 'lifeboat-system', 'get', 'lease', 'lifeboat', '-o', 'jsonpath={.spec.holderIdentity}']
    expect(await kubectl(lease)).toBe('')
    expect(await kubectl(['get', 'crd', '-o', 'name'])).toContain('evacuations')
  })

  test('holds kubectl drain up until the evacuator of a pod is done; stopped, it holds up nobody', async () => {
    const started = await startLifeboat()
    const claimed = { 'evacuation.coordination.k8s.io/priority_vm.example.com': '100' }
    const uid = await createPod('vm', claimed)
    const drain = () => kubectl(['drain', node, '--force', '--ignore-daemonsets', '--timeout=60s'])
    const drained = drain()
    const status = ['-n', namespace, 'get', 'evacuation', `${uid}-vm`, '-o', 'jsonpath={.status.activeEvacuatorClass}']
    await expect.poll(() => kubectl(status).catch(() => ''), waiting).toBe('vm.example.com')
    expect(await remaining('pods')).toBe('pod/vm\n')
    const patch = JSON.stringify({ status: { activeEvacuatorCompleted: true } })
    await kubectl([
      '-n',
      namespace,
      'patch',
      'evacuation',
      `${uid}-vm`,
      '--subresource=status',
      '--type=merge',
      '-p',
      patch,
    ])
    expect(await drained).toContain('drained')
    await expect.poll(() => remaining('pods,evacuations'), waiting).toBe('')
    await kubectl(['uncordon', node])
    expect(await metric(started.url, /^kube_client_requests_total.*code="40[13]"/)).toEqual([])
    await createPod('vm', claimed)
    // As a crash would: nothing is tidied up, and the webhooks lead to nobody.
    await stop(started, 'SIGKILL')
    expect((await webhooks()).trim().split('\n')).toHaveLength(webhookCount)
    expect(await drain()).toContain('drained')
    await kubectl(['uncordon', node])
    const again = await startLifeboat()
    expect(await stop(again, 'SIGINT')).toBe(0)
    expect(await webhooks()).toBe('')
  })

  test('with interception off leaves evictions alone', async () => {
    const started = await startLifeboat('--feature-gates', 'EvictionInterception=false')
    expect((await webhooks()).trim().split('\n')).toHaveLength(webhookCount - 1)
    await createPod('vm', { 'evacuation.coordination.k8s.io/priority_vm.example.com': '100' })
    expect(await kubectl(['drain', node, '--force', '--timeout=60s'])).toContain('drained')
    await kubectl(['uncordon', node])
    expect(await stop(started, 'SIGTERM')).toBe(0)
  })

  test('ends at once at a second signal', async () => {
    const started = await startLifeboat()
    started.child.kill('SIGSTOP')
    started.child.kill('SIGTERM')
    started.child.kill('SIGINT')
    started.child.kill('SIGCONT')
    expect(await started.ended).toBe(130)
  })

  test('somebody without the rights is told which one lacks, and what to do', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'lifeboat-run-'))
    try {
      await kubectl(['-n', namespace, 'create', 'serviceaccount', 'dev'])
      const token = (await kubectl(['-n', namespace, 'create', 'token', 'dev'])).trim()
      const path = join(folder, 'kubeconfig')
      const { server, certificateAuthority } = cluster
      const credentials = { kind: 'token', token } as const
      await writeFile(path, renderKubeconfig({ name: 'c', server, certificateAuthority, user: 'dev', credentials }))
      const refused = lifeboat('run', '--kubeconfig', path)
      expect(await refused.ended).toBe(1)
      const [, what, advice, ...more] = refused.stderr().split('\n')
      expect(what).toMatch(/^lifeboat: the credentials given may not get validatingadmissionpolicies\/.*$/)
      expect([advice, ...more]).toEqual(['Fix this, then run the command again.', ''])
    } finally {
      await rm(folder, { recursive: true })
    }
  })
})

describe("Lifeboat's account", () => {
  test.each([
    ['create', 'pods/eviction', 'yes'],
    ['patch', 'evacuations.evacuation.coordination.k8s.io/status', 'yes'],
    ['delete', 'pods', 'yes'],
    ['update', 'pods', 'no'],
    ['get', 'secrets', 'no'],
    ['list', 'secrets', 'no'],
    ['create', 'clusterrolebindings.rbac.authorization.k8s.io', 'no'],
    ['create', 'validatingwebhookconfigurations.admissionregistration.k8s.io', 'no'],
    ['impersonate', 'users', 'no'],
    ['update', 'nodes', 'no'],
  ])('may %s %s: %s', async (verb, resource, expected) => {
    const as = '--as=system:serviceaccount:lifeboat-system:lifeboat'
    const [plural = '', subresource] = resource.split('/')
    const more = subresource === undefined ? [] : [`--subresource=${subresource}`]
    const answer = kubectl(['auth', 'can-i', verb, plural, ...more, as, '--all-namespaces']).catch(() => 'no')
    expect((await answer).trim()).toBe(expected)
  })
})

test('the API server takes what is in deploy/', async () => {
  // Those that a process outside of the cluster left have a URL, and nothing has both that and a Service.
  const configurations = 'validatingwebhookconfigurations,mutatingwebhookconfigurations'
  await kubectl(['delete', configurations, '-l', 'app.kubernetes.io/managed-by=lifeboat'])
  const newer = hasPart('mutatingPolicies') ? ['evict-time-policy.yaml'] : []
  const files = ['crds', 'rbac.yaml', 'policies.yaml', ...newer, 'webhooks.yaml'].flatMap((name) => [
    '-f',
    join(root, 'deploy', name),
  ])
  const applied = await kubectl(['apply', '--dry-run=server', ...files])
  expect(applied.trim().split('\n')).toHaveLength(newer.length === 0 ? 24 : 26)
})

describe('lifeboat uninstall', () => {
  test('is refused while it runs, then leaves nothing behind', async () => {
    const started = await startLifeboat()
    const uid = await createPod('vm', { 'evacuation.coordination.k8s.io/priority_vm.example.com': '100' })
    await kubectl(['drain', node, '--force', '--timeout=1s']).catch(() => '')
    await kubectl(['uncordon', node])
    expect(await remaining('evacuations')).toContain(uid)
    expect(await uninstall()).toMatch(
      /^1\nlifeboat: Lifeboat still runs: .*; stop it first, or use --force\nFix this.*\n$/,
    )
    await stop(started, 'SIGKILL')
    const said = await uninstall('--force')
    expect(said).toMatch(/^0\nremoved mutatingwebhookconfigurations\/lifeboat-admission-evacuations\n/)
    expect(said).toContain('released and deleted 1 evacuation\n')
    expect(said).toContain("removed Lifeboat's annotations from 1 pod\n")
    expect(said).toMatch(/Lifeboat is uninstalled\n$/)
    const kinds = (await kubectl(['api-resources', '--verbs=list', '-o', 'name'])).trim().split('\n')
    const named = kinds.filter((kind) => !kind.startsWith('events'))
    const all = await kubectl(['get', named.join(','), '-A', '-o', 'name', '--ignore-not-found'])
    // Namespaces of stories may be called after what they are about.
    const ours = /lifeboat|evacuation\.coordination|nodemaintenance\.k8s|\/evacuat(or|ions)/
    expect(all.split('\n').filter((name) => ours.test(name))).toEqual([])
    const pod = await kubectl(['-n', namespace, 'get', 'pod', 'vm', '-o', 'jsonpath={.metadata.annotations}'])
    expect(Object.keys(JSON.parse(pod) as object).filter((name) => /evict/.test(name))).toEqual([])
    await kubectl(['-n', namespace, 'delete', 'pod', 'vm', '--now'])
    expect(await uninstall()).toBe('0\nnothing to remove\n')
  })
})
