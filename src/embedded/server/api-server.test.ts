import { expect, test } from 'vitest'
import { storedMeta } from '../../../test/build/stored.ts'
import { buildServer, said } from '../../../test/build/embedded-server.ts'
import type { Admission } from './admission/admission.ts'

test.each([
  { name: 'a kind that nobody knows', method: 'GET', path: '/apis/example.com/v1/things', status: 404 },
  { name: 'a subresource that nobody knows', method: 'GET', path: '/api/v1/namespaces/shop/pods/a/color', status: 404 },
  { name: 'a PUT on a collection', method: 'PUT', path: '/api/v1/namespaces/shop/pods', status: 405 },
  { name: 'a POST on an object', method: 'POST', path: '/api/v1/namespaces/shop/pods/a', status: 405 },
  { name: 'a GET of an eviction', method: 'GET', path: '/api/v1/namespaces/shop/pods/a/eviction', status: 405 },
  { name: 'a pod without a namespace', method: 'POST', path: '/api/v1/pods', status: 405 },
] as const)('$name: $status', async ({ method, path, status }) => {
  const { send } = buildServer()
  expect((await send(method, path, {})).status).toBe(status)
})

test('who may not is told so, before anything else is looked at', async () => {
  const { send, store } = buildServer({
    authorizer: { authorize: ({ verb }) => ({ allowed: verb === 'get', reason: '' }) },
  })
  const before = store.revision
  expect(said(await send('POST', '/api/v1/namespaces/shop/pods', 'nonsense'))).toBe(
    '403 Forbidden: pods is forbidden: User "admin" cannot create resource "pods" in API group "" in the namespace "shop"',
  )
  expect(said(await send('GET', '/api/v1/namespaces/shop/pods/a'))).toBe('404 NotFound: pods "a" not found')
  expect(store.revision).toBe(before)
})

test('a mistake of ours is an answer too', async () => {
  const broken: Admission = { mutate: () => Promise.reject(new Error('oops')), validate: async () => {} }
  const { send } = buildServer({ admission: broken })
  expect(said(await send('POST', '/api/v1/namespaces/shop/configmaps', { metadata: { name: 'a' } }))).toBe(
    '500 InternalError: Internal error occurred: oops',
  )
})

test('a time to wait is a header too', async () => {
  const { store, send } = buildServer()
  store.put('pods', 'shop/a', {
    metadata: storedMeta({ name: 'a', namespace: 'shop', labels: { app: 'web' } }),
    status: { phase: 'Running' },
  })
  store.put('poddisruptionbudgets.policy', 'shop/web', {
    metadata: storedMeta({ name: 'web', namespace: 'shop', generation: 2 }),
    spec: { selector: {} },
    status: { observedGeneration: 1 },
  })
  const answer = await send('POST', '/api/v1/namespaces/shop/pods/a/eviction', { metadata: { name: 'a' } })
  expect(answer).toMatchObject({ status: 429, headers: { 'retry-after': '10' } })
})
