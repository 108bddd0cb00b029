import { expect, test } from 'vitest'
import type { ConfigMap } from '../../api/kubernetes/core.ts'
import { configMaps, namespaces } from '../../api/kubernetes/resources.ts'
import { silentLog } from '../../runtime/log.ts'
import { buildServer } from '../../../test/build/embedded-server.ts'
import { buildKube } from '../../../test/build/kube.ts'
import { noKubeMetrics } from '../metrics.ts'
import { byNamespace, wholeKind } from './whole-kind.ts'

test('follows the objects of all namespaces, which are found by namespace and by the indexes asked for', async () => {
  const { clock, random, transport } = buildServer()
  const kube = buildKube(transport, clock)
  await kube.create(namespaces, { metadata: { name: 'bank' } })
  for (const namespace of ['shop', 'bank']) {
    await kube.create(configMaps, { metadata: { namespace, name: `of-${namespace}` }, data: { color: 'red' } })
  }
  const options = { kube, clock, random, log: silentLog, metrics: noKubeMetrics, resource: configMaps }
  const pool = wholeKind<ConfigMap>(options, { color: ({ data }) => [data?.['color'] ?? 'none'] })
  const { index, keyOf, above } = byNamespace(pool, { above: () => 3 })
  using following = pool.follow('all')
  await clock.advance(10)
  await following.synced
  const all = pool.get('all')
  expect(all?.byIndex(index, 'bank').map(keyOf)).toEqual(['bank'])
  expect(all?.byIndex('color', 'red').map(keyOf).toSorted()).toEqual(['bank', 'shop'])
  expect(above()).toBe(3)
})
