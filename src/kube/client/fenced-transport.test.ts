import { expect, test } from 'vitest'
import { FakeApi } from '../../../test/build/fake-api.ts'
import type { Transport } from './transport.ts'
import { fencedTransport, NotLeadingError } from './fenced-transport.ts'

const write = { method: 'POST', path: '/api/v1/namespaces', body: { metadata: { name: 'shop' } } } as const

test('keeps writes back, and lets reads through', async () => {
  const api = new FakeApi()
  const fenced = fencedTransport(api, () => false)
  await expect(fenced.request(write)).rejects.toThrow(NotLeadingError)
  expect(api.objects.size).toBe(0)
  expect((await fenced.request({ method: 'GET', path: '/api/v1/namespaces/shop' })).status).toBe(404)
})

test('asks when the request leaves, not when it is handed over', async () => {
  const api = new FakeApi()
  let leading = true
  const slow: Transport = {
    request: async (request) => {
      await Promise.resolve()
      leading = false
      return api.request(request)
    },
    watch: (request) => api.watch(request),
    close: () => api.close(),
  }
  await expect(fencedTransport(slow, () => leading).request(write)).rejects.toThrow(NotLeadingError)
  expect(api.objects.size).toBe(0)
})

test('lets writes through while it leads', async () => {
  const api = new FakeApi()
  expect((await fencedTransport(api, () => true).request(write)).status).toBe(200)
  expect(api.objects.size).toBe(1)
})
