import { expect, test } from 'vitest'
import { buildServer } from '../../../test/build/embedded-server.ts'
import { ApiFailure } from '../server/failure.ts'
import { serverApi } from './server-api.ts'

test('controllers write as everybody else does, and refusals are failures', async () => {
  const { server, definitions, store } = buildServer()
  const api = serverApi(server, definitions)
  const made = await api.create('configmaps', { metadata: { name: 'a', namespace: 'shop' } })
  await api.mergePatch('configmaps', { namespace: 'shop', name: 'a' }, { data: { x: '1' } })
  await expect(api.replace('configmaps', { ...made, data: {} })).rejects.toThrow('the object has been modified')
  await expect(api.create('configmaps', { metadata: { name: 'a', namespace: 'shop' } })).rejects.toThrow(ApiFailure)
  await expect(
    api.delete('configmaps', { namespace: 'shop', name: 'a' }, { preconditions: { uid: 'other' } }),
  ).rejects.toThrow('the UID in the precondition')
  await api.delete('configmaps', { namespace: 'shop', name: 'a' })
  expect(store.count('configmaps')).toBe(0)
  await expect(api.create('things.example.com', { metadata: {} })).rejects.toThrow(
    'there is no kind things.example.com',
  )
})

test.each([
  { apiVersion: 'v1', kind: 'Pod', expected: true },
  { apiVersion: 'apps/v1', kind: 'Deployment', expected: true },
  { apiVersion: 'apps/v1', kind: 'Pod', expected: false },
  { apiVersion: 'example.com/v1', kind: 'Deployment', expected: false },
])('$kind of $apiVersion is served: $expected', ({ apiVersion, kind, expected }) => {
  const { server, definitions } = buildServer()
  expect(serverApi(server, definitions).serves(apiVersion, kind)).toBe(expected)
})

test('status and binding have doors of their own', async () => {
  const { server, definitions, store } = buildServer()
  const api = serverApi(server, definitions)
  await api.create('pods', {
    metadata: { name: 'a', namespace: 'shop' },
    spec: { containers: [{ name: 'main', image: 'web:1' }] },
  })
  await api.bind({ namespace: 'shop', name: 'a' }, 'one')
  await api.mergePatch('pods', { namespace: 'shop', name: 'a' }, { status: { phase: 'Running' } }, 'status')
  expect(store.get('pods', 'shop/a')).toMatchObject({ spec: { nodeName: 'one' }, status: { phase: 'Running' } })
})
