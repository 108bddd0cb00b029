import { readFile } from 'node:fs/promises'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { Agent, request } from 'undici'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { parse } from 'yaml'
import { builtInAdmission } from '../../src/embedded/admission/built-in-admission.ts'
import { openEmbeddedCluster, type EmbeddedCluster } from '../../src/embedded/cluster.ts'
import { serveCluster, type ServedCluster } from '../../src/embedded/http/serve-cluster.ts'
import { silentLog } from '../../src/runtime/log.ts'
import { seededRandom } from '../../src/runtime/random.ts'
import { systemClock } from '../../src/runtime/system.ts'

// Input that means harm: both servers refuse it in the same words, and the embedded one stays as it was.

interface Door {
  send(
    method: string,
    path: string,
    body: string,
    contentType: string,
  ): Promise<{ status: number; body: Record<string, unknown> }>
  close(): Promise<void>
}

interface Kubeconfig {
  clusters: [{ cluster: { server: string; 'certificate-authority-data': string } }]
  users: [{ user: { 'client-certificate-data': string; 'client-key-data': string } }]
}

function openDoor(kubeconfig: string): Door {
  const { clusters, users } = parse(kubeconfig) as Kubeconfig
  const decoded = (base64: string) => Buffer.from(base64, 'base64').toString('utf8')
  const { cluster } = clusters[0]
  const { user } = users[0]
  const dispatcher = new Agent({
    connect: {
      ca: decoded(cluster['certificate-authority-data']),
      cert: decoded(user['client-certificate-data']),
      key: decoded(user['client-key-data']),
    },
  })
  return {
    send: async (method, path, body, contentType) => {
      const headers = { 'content-type': contentType }
      const answer = await request(`${cluster.server}${path}`, { method, headers, body, dispatcher })
      const text = await answer.body.text()
      return { status: answer.statusCode, body: JSON.parse(text) as Record<string, unknown> }
    },
    close: () => dispatcher.close(),
  }
}

let cluster: EmbeddedCluster
let served: ServedCluster
let embedded: Door
let real: Door

const maps = '/api/v1/namespaces/default/configmaps'
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const json = 'application/json'

/** A kind whose pattern takes for ever in an engine that backtracks. */
const hostileKind = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'traps.hostile.example.com' },
  spec: {
    group: 'hostile.example.com',
    scope: 'Cluster',
    names: { plural: 'traps', singular: 'trap', kind: 'Trap', listKind: 'TrapList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: { word: { type: 'string', maxLength: 100_000, pattern: '^(a+)+$' } },
          },
        },
      },
    ],
  },
}
const traps = '/apis/hostile.example.com/v1/traps'

async function both(method: string, path: string, body: string, contentType: string) {
  const expected = await real.send(method, path, body, contentType)
  const answer = await embedded.send(method, path, body, contentType)
  return { answer, expected }
}

beforeAll(async () => {
  const options = { clock: systemClock, random: seededRandom(1), log: silentLog, nodes: 1, admission: builtInAdmission }
  cluster = await openEmbeddedCluster(options)
  served = await serveCluster(cluster, { port: 0, clock: systemClock, log: silentLog, name: 'hostile' })
  embedded = openDoor(served.kubeconfig)
  real = openDoor(await readFile(inject('cluster').kubeconfigPath, 'utf8'))
  for (const door of [real, embedded]) {
    await door.send('POST', definitions, JSON.stringify(hostileKind), json)
    await door.send('POST', maps, JSON.stringify({ metadata: { name: 'victim' }, data: { x: '1' } }), json)
    for (let tries = 0; tries < 200; tries++) {
      const { status } = await door
        .send(
          'POST',
          `${traps}?dryRun=All`,
          JSON.stringify({
            apiVersion: 'hostile.example.com/v1',
            kind: 'Trap',
            metadata: { name: 'probe' },
            word: 'aaa',
          }),
          json,
        )
        .catch(() => ({ status: 0 }))
      if (status === 201) break
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
})

afterAll(async () => {
  await embedded.close()
  await real.close()
  await served[Symbol.asyncDispose]()
  await cluster[Symbol.asyncDispose]()
})

const operations = (count: number) =>
  JSON.stringify(Array.from({ length: count }, () => ({ op: 'add', path: '/data/y', value: '2' })))

test.each([
  {
    name: 'a body of more than 3 MiB',
    method: 'POST',
    path: maps,
    body: JSON.stringify({ metadata: { name: 'big' }, data: { x: 'x'.repeat(3 * 1024 * 1024) } }),
    contentType: json,
    status: 413,
  },
  {
    name: 'a patch of 10,001 operations',
    method: 'PATCH',
    path: `${maps}/victim`,
    body: operations(10_001),
    contentType: 'application/json-patch+json',
    status: 413,
  },
  {
    name: 'JSON that ends early',
    method: 'POST',
    path: maps,
    body: '{"metadata":{"name":"a"',
    contentType: json,
    status: 400,
  },
  {
    name: 'JSON with a word in it',
    method: 'POST',
    path: maps,
    body: '{"metadata": nonsense}',
    contentType: json,
    status: 400,
  },
  { name: 'no JSON at all', method: 'POST', path: maps, body: 'hello', contentType: json, status: 400 },
])('$name is refused as the real server does: $status', async ({ method, path, body, contentType, status }) => {
  const { answer, expected } = await both(method, path, body, contentType)
  expect(answer.status).toBe(status)
  expect({ status: answer.status, reason: answer.body['reason'], message: answer.body['message'] }).toEqual({
    status: expected.status,
    reason: expected.body['reason'],
    message: expected.body['message'],
  })
})

test.each([
  {
    name: 'an object',
    body: `{"metadata":{"name":"deep"},"data":${'{"a":'.repeat(200_000)}1${'}'.repeat(200_000)}}`,
    method: 'POST',
    path: maps,
    contentType: json,
  },
  {
    name: 'a patch',
    body: `{"data":${'['.repeat(200_000)}${']'.repeat(200_000)}}`,
    method: 'PATCH',
    path: `${maps}/victim`,
    contentType: 'application/merge-patch+json',
  },
])('$name nested 200,000 deep is refused with a Status', async ({ method, path, body, contentType }) => {
  const { answer, expected } = await both(method, path, body, contentType)
  expect(answer.status).toBe(expected.status)
  expect(answer.body).toMatchObject({ kind: 'Status', status: 'Failure' })
})

test('a pattern that takes for ever elsewhere is answered at once, as by the real server', async () => {
  const word = `${'a'.repeat(50_000)}!`
  const trap = JSON.stringify({ apiVersion: 'hostile.example.com/v1', kind: 'Trap', metadata: { name: 'trap' }, word })
  const startMs = performance.now()
  const { answer, expected } = await both('POST', traps, trap, json)
  expect(performance.now() - startMs).toBeLessThan(10_000)
  expect(answer.status).toBe(expected.status)
  expect(answer.body['reason']).toBe('Invalid')
})

test('after all of it at once the server answers as before, and holds no more memory', async () => {
  const delay = monitorEventLoopDelay({ resolution: 10 })
  const memoryBefore = process.memoryUsage().heapUsed
  delay.enable()
  const deep = `{"metadata":{"name":"deep"},"data":${'{"a":'.repeat(200_000)}1${'}'.repeat(200_000)}}`
  const big = JSON.stringify({ metadata: { name: 'big' }, data: { x: 'x'.repeat(3 * 1024 * 1024) } })
  const attacks = Array.from({ length: 60 }, (_, at) =>
    embedded.send('POST', maps, at % 3 === 0 ? deep : at % 3 === 1 ? big : '{"metadata":', json).then(
      ({ status }) => status,
      () => 0,
    ),
  )
  const statuses = await Promise.all(attacks)
  delay.disable()
  expect(statuses.every((status) => status === 0 || status >= 400)).toBe(true)
  const { status, body } = await embedded.send('POST', maps, JSON.stringify({ metadata: { name: 'after' } }), json)
  expect({ status, kind: body['kind'] }).toEqual({ status: 201, kind: 'ConfigMap' })
  expect(delay.max / 1e6).toBeLessThan(2_000)
  globalThis.gc?.()
  expect(process.memoryUsage().heapUsed - memoryBefore).toBeLessThan(400 * 1024 * 1024)
})
