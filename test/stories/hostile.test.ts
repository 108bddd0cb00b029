import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDoor, openServedEmbedded, type Door } from '../build/door.ts'
import { filesIn } from '../cluster/components.ts'
import { ownCluster } from '../real/own-cluster.ts'
import { isReal } from './tell-stories.ts'

// Input that means harm: both servers refuse it in the same words, which are written down beside this file.

let ground: AsyncDisposable
let door: Door

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

async function openReal(): Promise<{ ground: AsyncDisposable; kubeconfig: string }> {
  const kubeconfig = await readFile(filesIn(ownCluster().folder).kubeconfigWithCertificate, 'utf8')
  return { ground: new AsyncDisposableStack(), kubeconfig }
}

beforeAll(async () => {
  const opened = await (isReal ? openReal() : openServedEmbedded())
  ground = opened.ground
  door = openDoor(opened.kubeconfig)
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
})

afterAll(async () => {
  await door.close()
  await ground[Symbol.asyncDispose]()
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
])('$name is refused: $status', async ({ method, path, body, contentType, status }) => {
  const answer = await door.send(method, path, body, contentType)
  expect(answer.status).toBe(status)
  const { reason, message } = answer.body
  expect({ reason, message }).toMatchSnapshot()
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
  const answer = await door.send(method, path, body, contentType)
  expect(answer.status).toMatchSnapshot()
  expect(answer.body).toMatchObject({ kind: 'Status', status: 'Failure' })
})

test('a pattern that takes for ever elsewhere is answered at once', async () => {
  const word = `${'a'.repeat(50_000)}!`
  const trap = JSON.stringify({ apiVersion: 'hostile.example.com/v1', kind: 'Trap', metadata: { name: 'trap' }, word })
  const startMs = performance.now()
  const answer = await door.send('POST', traps, trap, json)
  expect(performance.now() - startMs).toBeLessThan(10_000)
  expect({ status: answer.status, reason: answer.body['reason'] }).toEqual({ status: 422, reason: 'Invalid' })
})
