import { expect, test } from 'vitest'
import { storedMeta } from '../../../../test/build/stored.ts'
import { buildServer, said } from '../../../../test/build/embedded-server.ts'

const pod = (name: string) => ({ metadata: { name }, spec: { containers: [{ name: 'main', image: 'web:1' }] } })
const path = '/api/v1/namespaces/shop/pods'

test('the pod beyond the quota is refused by its name and its numbers', async () => {
  const { send, store } = buildServer()
  store.put('resourcequotas', 'shop/few', {
    metadata: storedMeta({ name: 'few', namespace: 'shop' }),
    spec: { hard: { pods: '1' } },
  })
  expect((await send('POST', path, pod('a'))).status).toBe(201)
  expect(said(await send('POST', path, pod('b')))).toBe(
    '403 Forbidden: pods "b" is forbidden: exceeded quota: few, requested: pods=1, used: pods=1, limited: pods=1',
  )
  expect((await send('POST', path, pod('b'), { query: { dryRun: 'All' } })).status).toBe(403)
  const stored = store.get('pods', 'shop/a')
  if (stored !== undefined) store.put('pods', 'shop/a', { ...stored, status: { phase: 'Succeeded' } })
  expect((await send('POST', path, pod('b'))).status).toBe(201)
})
