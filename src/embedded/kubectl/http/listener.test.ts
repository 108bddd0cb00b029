import { once } from 'node:events'
import { request as plainRequest } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { silentLog } from '../../../runtime/log.ts'
import { seededRandom } from '../../../runtime/random.ts'
import { systemClock } from '../../../runtime/system.ts'
import { builtInAdmission } from '../../server/admission/built-in-admission.ts'
import { openEmbeddedCluster, type EmbeddedCluster } from '../../cluster.ts'
import { openListener, type Listener } from './listener.ts'

let cluster: EmbeddedCluster
let listener: Listener
const configMaps = '/api/v1/namespaces/default/configmaps'
const asAdmin = { authorization: 'Bearer admin', 'content-type': 'application/json' }
const send = async (path: string, init: RequestInit = {}) => {
  const response = await fetch(`${listener.url}${path}`, { headers: asAdmin, ...init })
  return { status: response.status, headers: response.headers, body: await response.json() }
}
const post = (body: string, headers: Record<string, string> = asAdmin) =>
  send(configMaps, { method: 'POST', body, headers })

beforeAll(async () => {
  cluster = await openEmbeddedCluster({
    clock: systemClock,
    random: seededRandom(1),
    log: silentLog,
    nodes: 0,
    admission: builtInAdmission,
    tokens: new Map([
      ['admin', { name: 'admin', groups: ['system:masters'] }],
      ['joe', { name: 'joe', groups: [] }],
    ]),
  })
  listener = await openListener({ ...cluster, port: 0, log: silentLog })
})

afterAll(async () => {
  await listener[Symbol.asyncDispose]()
  await cluster[Symbol.asyncDispose]()
})

test('an object goes in and comes out, and a query is read', async () => {
  expect(await post('{"metadata":{"name":"one","labels":{"a":"b"}},"data":{"k":"v"}}')).toMatchObject({ status: 201 })
  expect(await send(`${configMaps}/one`)).toMatchObject({ status: 200, body: { data: { k: 'v' } } })
  expect(await send(`${configMaps}?labelSelector=a%3Db`)).toMatchObject({
    body: { items: [{ metadata: { name: 'one' } }] },
  })
  expect(await send(`${configMaps}?labelSelector=a%3Dc`)).toMatchObject({ body: { items: [] } })
})

test('who is not known is told so, before anything of the body is looked at', async () => {
  expect(await post('{', { authorization: 'Bearer x' })).toMatchObject({
    status: 401,
    body: { reason: 'Unauthorized' },
  })
  expect(await post('{', { authorization: 'Bearer joe' })).toMatchObject({ status: 403, body: { reason: 'Forbidden' } })
  expect(await post('{', {})).toMatchObject({
    status: 403,
    body: { message: expect.stringContaining('system:anonymous') },
  })
})

test.each([
  { name: 'malformed JSON', body: '{"a":', status: 400 },
  { name: 'deep nesting', body: `${'['.repeat(100_000)}${']'.repeat(100_000)}`, status: 400 },
  { name: 'too much', body: `{"a":"${'x'.repeat(4 * 1024 * 1024)}"}`, status: 413 },
])('$name is refused, and the next request is served', async ({ body, status }) => {
  expect(await post(body)).toMatchObject({ status, body: { kind: 'Status', code: status } })
  expect(await send('/version')).toMatchObject({ status: 200 })
})

test.each([
  { name: 'a body', headers: { ...asAdmin, 'content-type': 'text/plain' }, status: 415 },
  { name: 'an answer', headers: { ...asAdmin, accept: 'application/vnd.kubernetes.protobuf' }, status: 406 },
])('$name in a format that is not spoken here is refused', async ({ headers, status }) => {
  const answer = status === 415 ? await post('la', headers) : await send(configMaps, { headers })
  expect(answer).toMatchObject({ status, body: { code: status } })
})

test('a method that is not known is refused', async () => {
  expect(await send(configMaps, { method: 'OPTIONS' })).toMatchObject({ status: 405 })
})

test('one may act as another, with the right to', async () => {
  expect(await send(configMaps, { headers: { ...asAdmin, 'impersonate-user': 'joe' } })).toMatchObject({ status: 403 })
})

test('a watch streams lines, and ends on the server when the reader leaves', async () => {
  const leave = new AbortController()
  const response = await fetch(`${listener.url}${configMaps}?watch=true&resourceVersion=${cluster.store.revision}`, {
    headers: asAdmin,
    signal: leave.signal,
  })
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  await post('{"metadata":{"name":"watched"}}')
  const { value = '' } = (await reader?.read()) ?? {}
  expect(JSON.parse(value)).toMatchObject({ type: 'ADDED', object: { metadata: { name: 'watched' } } })
  expect(value.endsWith('\n')).toBe(true)
  leave.abort()
  await expect(reader?.read()).rejects.toThrow('abort')
})

test('closing it ends what is open, watches too', async () => {
  const other = await openListener({ ...cluster, port: 0, log: silentLog })
  const request = plainRequest(`${other.url}${configMaps}?watch=true`, { headers: asAdmin }).end()
  const [response] = (await once(request, 'response')) as [NodeJS.ReadableStream]
  const ended = Promise.withResolvers<void>()
  response.on('error', () => ended.resolve())
  response.on('end', () => ended.resolve())
  response.resume()
  await other[Symbol.asyncDispose]()
  await ended.promise
})
