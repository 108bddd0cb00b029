import { expect, test } from 'vitest'
import { storedMeta } from '../../../../test/build/stored.ts'
import { Store } from '../../server/store.ts'
import { namespacedKinds } from './namespaced-kinds.ts'

test('knows the kinds of CRDs, if they live in namespaces', () => {
  const store = new Store()
  const put = (plural: string, scope: string) =>
    store.put('customresourcedefinitions.apiextensions.k8s.io', plural, {
      metadata: storedMeta({ name: plural }),
      spec: { group: 'example.com', scope, names: { plural } },
    })
  put('boats', 'Namespaced')
  put('harbours', 'Cluster')
  const kinds = namespacedKinds(store)
  expect(kinds).toContain('boats.example.com')
  expect(kinds).not.toContain('harbours.example.com')
  expect(kinds.indexOf('deployments.apps')).toBeLessThan(kinds.indexOf('pods'))
})
