import { expect, test } from 'vitest'
import { buildPod } from './build-pod.ts'

const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: 'u1', controller: true }
const template = { metadata: { labels: { app: 'web' }, annotations: { note: 'a' } }, spec: { restartPolicy: 'Always' } }

test('is a pod of the template with a name to be made by the server', () => {
  expect(buildPod(template, { namespace: 'shop', namePrefix: 'web', owner })).toEqual({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      namespace: 'shop',
      generateName: 'web-',
      labels: { app: 'web' },
      annotations: { note: 'a' },
      ownerReferences: [owner],
    },
    spec: { restartPolicy: 'Always' },
  })
})

test('has the labels and finalizers that its controller adds', () => {
  const options = { namespace: 'shop', name: 'db-0', owner, labels: { index: '0' }, finalizers: ['counted'] }
  expect(buildPod(template, options).metadata).toMatchObject({
    name: 'db-0',
    labels: { app: 'web', index: '0' },
    finalizers: ['counted'],
  })
})
