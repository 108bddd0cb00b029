import { expect, test } from 'vitest'
import { createKubectl } from '../cluster/kubectl.ts'
import { startLifeboat } from '../cluster/lifeboat.ts'
import { ownCluster } from './own-cluster.ts'

test('kubectl apply of the same manifest leaves a NodeMaintenance as it is', async () => {
  const cluster = ownCluster()
  await using _lifeboat = await startLifeboat(cluster.kubeconfigPath)
  const kubectl = createKubectl(cluster)
  const manifest = {
    apiVersion: 'nodemaintenance.k8s.io/v1alpha1',
    kind: 'NodeMaintenance',
    metadata: { name: 'applied-twice' },
    spec: { nodeSelector: { nodeSelectorTerms: [{}] }, drainPlan: [{ podPriority: 1_000, podType: 'Default' }] },
  }
  const apply = () => kubectl(['apply', '-f', '-'], { stdin: JSON.stringify(manifest) })
  const read = (path: string) => kubectl(['get', 'nodemaintenance', 'applied-twice', '-o', `jsonpath={${path}}`])
  // The API server may hear of the webhook that completes the plan a moment after Lifeboat is ready.
  await expect
    .poll(async () => {
      await kubectl(['delete', 'nodemaintenance', 'applied-twice', '--ignore-not-found'])
      expect(await apply()).toContain('created')
      return (JSON.parse(await read('.spec.drainPlan')) as unknown[]).length
    })
    .toBeGreaterThan(1)
  await apply()
  expect(await read('.metadata.generation')).toBe('1')
  await kubectl(['delete', 'nodemaintenance', 'applied-twice'])
})
