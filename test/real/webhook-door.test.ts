import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { request } from 'undici'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { webhookPaths } from '../../src/admission/serving/webhook-configurations.ts'
import { evacuationName } from '../../src/api/evacuation/evacuation-name.ts'
import { buildNode, buildPod } from '../build/nodes-and-pods.ts'
import { createKubectl } from '../cluster/kubectl.ts'
import { findFreePorts } from '../cluster/ports.ts'
import { startLifeboat, type LifeboatProcess } from '../cluster/lifeboat.ts'
import type { Answers, Forgery } from './forge-reviews.ts'
import { ownCluster } from './own-cluster.ts'

// Reviews that do not come from the API server: sent to the port of a Lifeboat that serves a real cluster.

const cluster = ownCluster()
const kubectl = createKubectl(cluster)
const root = join(import.meta.dirname, '..', '..')
const namespace = 'webhook-door'
const node = 'webhook-door-node'
const waiting = { timeout: 30_000, interval: 100 }
/** Nothing of what was sent, of what is there, or of who answers. */
const nothing = '404 connection,content-length,date,keep-alive '

const start = (...args: string[]) => startLifeboat(cluster.kubeconfigPath, args)

async function forge(forgery: Forgery): Promise<Answers> {
  const program = join(import.meta.dirname, 'forge-reviews.ts')
  const forging = promisify(execFile)(process.execPath, [program], { maxBuffer: 16 * 1024 * 1024 })
  forging.child.stdin?.end(JSON.stringify(forgery))
  return JSON.parse((await forging).stdout) as Answers
}

/** Where the API server is sent for this webhook: what only those find out who may read the configurations. */
async function doorOf(kind: 'mutating' | 'validating', name: string): Promise<{ port: number; path: string }> {
  const url = ['get', `${kind}webhookconfiguration`, name, '-o', 'jsonpath={.webhooks[0].clientConfig.url}']
  const { port, pathname } = new URL(await kubectl(url))
  return { port: Number(port), path: pathname }
}

const evictionDoor = () => doorOf('validating', 'lifeboat-admission-evictions')

/** As the API server would send them: an eviction, an Evacuation and a NodeMaintenance, of somebody who may everything. */
function reviewsOf(pod: { name: string; uid: string }): string[] {
  const userInfo = { username: 'system:admin', groups: ['system:masters', 'system:authenticated'] }
  const evacuation = {
    apiVersion: 'evacuation.coordination.k8s.io/v1alpha1',
    kind: 'Evacuation',
    metadata: { name: evacuationName(pod), namespace },
    spec: { podRef: pod, progressDeadlineSeconds: 1_800 },
  }
  const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: pod.name, namespace } }
  const evictions = { group: '', version: 'v1', resource: 'pods' }
  const requests = [
    { operation: 'CREATE', name: pod.name, resource: evictions, subResource: 'eviction', object: eviction },
    { operation: 'CREATE', name: evacuation.metadata.name, object: evacuation },
    { operation: 'CREATE', name: 'forged', object: { metadata: { name: 'forged' }, spec: { stage: 'Drain' } } },
  ]
  return requests.map((one) =>
    JSON.stringify({
      apiVersion: 'admission.k8s.io/v1',
      kind: 'AdmissionReview',
      request: { uid: 'forged', namespace, userInfo, dryRun: false, ...one },
    }),
  )
}

let lifeboat: LifeboatProcess
let pod: { name: string; uid: string }

beforeAll(async () => {
  lifeboat = await start('--log-level', 'debug')
  await kubectl(['create', 'namespace', namespace])
  await kubectl(['apply', '-f', '-'], { stdin: JSON.stringify(buildNode({ name: node })) })
  await kubectl(['wait', '--for=condition=Ready', `node/${node}`, '--timeout=30s'])
  const annotations = { 'evacuation.coordination.k8s.io/priority_vm.example.com': '100' }
  const claimed = buildPod({ name: 'vm', namespace, nodeName: node, annotations })
  await kubectl(['apply', '-f', '-'], { stdin: JSON.stringify(claimed) })
  await kubectl(['-n', namespace, 'wait', '--for=condition=Ready', 'pod/vm', '--timeout=30s'])
  pod = { name: 'vm', uid: await kubectl(['-n', namespace, 'get', 'pod', 'vm', '-o', 'jsonpath={.metadata.uid}']) }
})

afterAll(async () => {
  await lifeboat.end('SIGTERM')
  const uninstalling = [join(root, 'src/cli/main.ts'), 'uninstall', '--kubeconfig', cluster.kubeconfigPath, '--force']
  await promisify(execFile)(process.execPath, uninstalling)
  await kubectl(['delete', 'namespace', namespace, '--wait=false'])
  await kubectl(['delete', 'node', node])
})

/** Every object that a forged review could change, with its version. */
async function inventory(): Promise<string> {
  const version = 'custom-columns=NAME:.metadata.name,VERSION:.metadata.resourceVersion'
  const own = await kubectl(['-n', namespace, 'get', 'pods,events', '-o', version])
  return own + (await kubectl(['get', 'evacuations,nodemaintenances', '-A', '-o', version]))
}

/** All that a reader of docs, manifests and sources could try, and what 0.1.0 answered to. */
async function namedPaths(): Promise<string[]> {
  const first = [
    '/evacuations/mutate',
    '/evacuations/validate',
    '/evictions/intercept',
    '/pods/hold',
    '/nodemaintenances/mutate',
    '/nodemaintenances/validate',
  ]
  const found = new Set<string>([...Object.values(webhookPaths), ...first])
  for (const folder of ['docs', 'deploy', 'src/admission', 'src/manager']) {
    const names = await readdir(join(root, folder), { recursive: true })
    for (const name of names.filter((one) => /\.(md|ya?ml|ts)$/.test(one))) {
      const content = await readFile(join(root, folder, name), 'utf8')
      for (const [path] of content.matchAll(/\/[a-z-]+\/(?:mutate|validate|intercept|hold)\b/g)) found.add(path)
    }
  }
  return [...found].toSorted()
}

describe('forged reviews', () => {
  test('under every path that docs, sources and the first release name find nothing, and change nothing', async () => {
    const before = await inventory()
    const { port } = await evictionDoor()
    const plain = await namedPaths()
    expect(plain.length).toBeGreaterThanOrEqual(6)
    const decorated = plain.flatMap((path) => [path, `${path}/`, `${path}?timeout=10s`, `/reviews${path}`])
    const paths = [...decorated, '/', '/reviews', '/reviews/', '/healthz', '/metrics']
    const bodies = [...reviewsOf(pod), '{}', '']
    const answers = await forge({ port, methods: ['POST', 'GET', 'PUT'], paths, bodies })
    expect(answers).toEqual({ [nothing]: { count: 3 * paths.length * bodies.length, path: expect.any(String) } })
    expect(await inventory()).toBe(before)
  })

  test('under 10,000 wrong paths find nothing, however near', async () => {
    const before = await inventory()
    const { port, path } = await evictionDoor()
    const end = path.indexOf('/evictions')
    const others = '0123456789abcdefABCDEF-_.%/'
    const nearMisses = Array.from({ length: end }, (_, at) => [
      // A beginning of it, one letter less, and every other letter in its place.
      path.slice(0, at),
      path.slice(0, at) + path.slice(at + 1),
      ...Array.from(others, (letter) => path.slice(0, at) + letter + path.slice(at + 1)),
    ]).flat()
    const rest = path.slice(end)
    const random = Array.from({ length: 10_000 }, () => `/reviews/${randomBytes(32).toString('hex')}${rest}`)
    // Without a slash it is no HTTP, and nobody looks at it.
    const isWrong = (one: string) => one !== path && one.startsWith('/')
    const wrong = [...nearMisses.filter(isWrong), ...random].slice(0, 10_000)
    const [eviction = ''] = reviewsOf(pod)
    const answers = await forge({ port, methods: ['POST'], paths: wrong, bodies: [eviction] })
    expect(answers).toEqual({ [nothing]: { count: 10_000, path: expect.any(String) } })
    expect(await inventory()).toBe(before)
  })

  test('would be answered under the right one: only the secret keeps them out', async () => {
    const { port, path } = await evictionDoor()
    const [eviction = ''] = reviewsOf(pod)
    const answers = await forge({ port, methods: ['POST'], paths: [path], bodies: [eviction] })
    expect(Object.keys(answers)).toEqual([expect.stringMatching(/^200 .*"allowed":false/)])
    expect(await kubectl(['-n', namespace, 'get', 'evacuations', '-o', 'name'])).toContain(pod.uid)
  })

  test('neither metrics nor readiness tell the secret', async () => {
    const [, , secret = ''] = (await evictionDoor()).path.split('/')
    expect(secret).toHaveLength(64)
    for (const path of ['/metrics', '/readyz', '/healthz']) {
      expect(await (await request(`${lifeboat.url}${path}`)).body.text()).not.toContain(secret)
    }
    expect(lifeboat.said()).toContain('refused a request')
    expect(lifeboat.said()).not.toContain(secret)
  })
})

describe('a second lifeboat run', () => {
  const asked = () => {
    const spec = { stage: 'Idle', nodeSelector: { nodeSelectorTerms: [{ matchFields: [matchField] }] } }
    const object = {
      apiVersion: 'nodemaintenance.k8s.io/v1alpha1',
      kind: 'NodeMaintenance',
      metadata: { name: 'asked' },
    }
    const stdin = JSON.stringify({ ...object, spec })
    return kubectl(['create', '--dry-run=server', '-f', '-', '-o', 'jsonpath={.spec.drainPlan}'], { stdin })
  }
  const matchField = { key: 'metadata.name', operator: 'In', values: [node] }

  test('leaves the first one the say while that leads, then takes over with a secret of its own', async () => {
    const before = await evictionDoor()
    const second = await start()
    expect(await evictionDoor()).toEqual(before)
    expect(await asked()).toContain('podPriority')
    await lifeboat.end('SIGTERM')
    await expect.poll(() => evictionDoor().catch(() => before), waiting).not.toEqual(before)
    expect(await asked()).toContain('podPriority')
    const { port, path } = await evictionDoor()
    expect(path).not.toBe(before.path)
    const [eviction = ''] = reviewsOf(pod)
    const answers = await forge({ port, methods: ['POST'], paths: [before.path], bodies: [eviction] })
    expect(Object.keys(answers)).toEqual([nothing])
    lifeboat = second
  })

  test('at the port of one that was killed is not held up by the secret that nobody knows any more', async () => {
    const [webhookPort = 0] = await findFreePorts(1)
    await lifeboat.end('SIGTERM')
    lifeboat = await start('--webhook-port', String(webhookPort))
    const before = await evictionDoor()
    await lifeboat.end('SIGKILL')
    await expect(asked()).rejects.toThrow(/failed calling webhook/)
    lifeboat = await start('--webhook-port', String(webhookPort))
    const after = await evictionDoor()
    expect([after.port, after.path === before.path]).toEqual([webhookPort, false])
    expect(await asked()).toContain('podPriority')
  })
})
