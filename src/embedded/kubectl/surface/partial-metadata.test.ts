import { expect, test } from 'vitest'
import { storedMeta } from '../../../../test/build/stored.ts'
import { partialMetadata, partialMetadataList } from './partial-metadata.ts'

const object = { apiVersion: 'v1', kind: 'Pod', metadata: storedMeta({ name: 'a' }), spec: { nodeName: 'one' } }

test('nothing but the metadata is left, in the version that was asked for', () => {
  const partial = { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1beta1', metadata: object.metadata }
  expect(partialMetadata(object, 'v1beta1')).toEqual(partial)
  const list = { kind: 'PodList', apiVersion: 'v1', metadata: { resourceVersion: '1' }, items: [object] }
  expect(partialMetadataList(list, 'v1beta1')).toEqual({
    kind: 'PartialObjectMetadataList',
    apiVersion: 'meta.k8s.io/v1beta1',
    metadata: { resourceVersion: '1' },
    items: [partial],
  })
})
