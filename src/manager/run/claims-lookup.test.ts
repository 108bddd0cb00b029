import { expect, test } from 'vitest'
import { openLifeboatGround } from '../../../test/build/lifeboat.ts'
import { featureGateDefaults } from '../../api/feature-gates.ts'
import { deployments, pods } from '../../api/kubernetes/resources.ts'
import type { Pod } from '../../api/kubernetes/core.ts'
import { claimsLookup } from './claims-lookup.ts'

test('who claims a pod is remembered for a while, and looked up for whoever needs to know it now', async () => {
  await using ground = await openLifeboatGround({ nodes: 1 })
  const labels = { app: 'web' }
  const template = { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'web:1' }] } }
  const body = { metadata: { name: 'web' }, spec: { replicas: 1, selector: { matchLabels: labels }, template } }
  const path = '/apis/apps/v1/namespaces/default/deployments'
  await ground.until(ground.adminTransport.request({ method: 'POST', path, body }))
  await ground.pass(5_000)
  const [pod] = (await ground.until(ground.admin.list(pods, { namespace: 'default' }))).items
  const events = { record: () => {} }
  const parts = { kube: ground.admin, clock: ground.clock, gates: featureGateDefaults, namespace: 'lifeboat-system' }
  const lookup = claimsLookup({ ...parts, events })
  const classes = async (isFresh: boolean) => {
    const { signal } = new AbortController()
    const claims = await ground.until(lookup(pod as Pod, { isFresh, signal }))
    return claims.map(({ evacuatorClass }) => evacuatorClass)
  }
  expect(await classes(false)).toEqual(['deployment.apps.k8s.io'])
  const change = { spec: { strategy: { type: 'Recreate', rollingUpdate: null } } }
  const key = { namespace: 'default', name: 'web' }
  await ground.until(ground.admin.patch(deployments, key, { type: 'merge', body: change }))
  expect(await classes(false)).toEqual(['deployment.apps.k8s.io'])
  expect(await classes(true)).toEqual([])
  await ground.pass(31_000)
  expect(await classes(false)).toEqual([])
})
