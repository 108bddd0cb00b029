import { expect, test } from 'vitest'
import { buildServer, said } from '../../../../test/build/embedded-server.ts'

const path = '/apis/apps/v1/namespaces/shop/deployments'
const deployment = {
  metadata: { name: 'web' },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: 'web' } },
    template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'main', image: 'web:1' }] } },
  },
}

test('shows replicas and selector, and takes the replicas alone', async () => {
  const { send, store } = buildServer()
  await send('POST', path, deployment)
  expect((await send('GET', `${path}/web/scale`)).body).toMatchObject({
    kind: 'Scale',
    spec: { replicas: 2 },
    status: { replicas: 0, selector: 'app=web' },
  })
  const { body } = await send('PUT', `${path}/web/scale`, { metadata: { name: 'web' }, spec: { replicas: 5 } })
  expect(body).toMatchObject({ kind: 'Scale', spec: { replicas: 5 } })
  await send('PATCH', `${path}/web/scale`, { spec: { replicas: 7 } }, { contentType: 'application/merge-patch+json' })
  expect(store.get('deployments.apps', 'shop/web')).toMatchObject({
    spec: { replicas: 7, selector: { matchLabels: { app: 'web' } } },
  })
})

test('refuses a negative number, and a scale of an old version', async () => {
  const { send } = buildServer()
  await send('POST', path, deployment)
  expect(said(await send('PUT', `${path}/web/scale`, { spec: { replicas: -1 } }))).toContain(
    'must be greater than or equal to 0',
  )
  expect(
    said(await send('PUT', `${path}/web/scale`, { metadata: { resourceVersion: '1' }, spec: { replicas: 1 } })),
  ).toContain('409 Conflict')
})
