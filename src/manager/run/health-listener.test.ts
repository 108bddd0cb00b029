import { Counter, Registry } from 'prom-client'
import { request } from 'undici'
import { expect, test } from 'vitest'
import { hasIPv6 } from '../../../test/build/has-ipv6.ts'
import { openHealthListener } from './health-listener.ts'

test('it tells life, readiness and metrics, and nothing else', async () => {
  const registry = new Registry()
  new Counter({ name: 'drains_total', help: 'Drains', registers: [registry] }).inc()
  let missing = ['the cache of evacuations: not there yet', 'the webhook: connection refused']
  await using listener = await openHealthListener({ host: '127.0.0.1', port: 0, registry, missing: () => missing })
  const ask = async (path: string, method: 'GET' | 'HEAD' | 'POST' = 'GET') => {
    const { statusCode, body } = await request(`http://127.0.0.1:${listener.port}${path}`, { method })
    return `${statusCode} ${await body.text()}`
  }
  expect(await ask('/healthz')).toBe('200 ok\n')
  expect(await ask('/readyz')).toBe('503 the cache of evacuations: not there yet\nthe webhook: connection refused\n')
  missing = []
  expect(await ask('/readyz?verbose')).toBe('200 ok\n')
  expect(await ask('/metrics')).toContain('drains_total 1')
  expect(await ask('/healthz', 'HEAD')).toBe('200 ')
  expect(await ask('/healthz', 'POST')).toContain('405 ')
  expect(await ask('/secrets')).toContain('404 ')
})

test.skipIf(!hasIPv6)('at every address of a machine with IPv6 it is reached by IPv4 and by IPv6', async () => {
  const options = { registry: new Registry(), missing: () => [] }
  await using listener = await openHealthListener({ host: '::', port: 0, ...options })
  for (const host of ['127.0.0.1', '[::1]']) {
    const { statusCode, body } = await request(`http://${host}:${listener.port}/readyz`)
    expect([host, statusCode, await body.text()]).toEqual([host, 200, 'ok\n'])
  }
})
