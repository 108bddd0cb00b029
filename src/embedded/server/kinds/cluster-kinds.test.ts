import { expect, test } from 'vitest'
import { storedMeta } from '../../../../test/build/stored.ts'
import { autoscalers, jobs, namespaces, nodes, plainKinds, services } from './cluster-kinds.ts'

const metadata = storedMeta({ name: 'a', uid: 'u' })

test('a namespace is found by its name as a label, and waits to be emptied', () => {
  expect(namespaces.prepareForCreate?.({ metadata })).toMatchObject({
    metadata: { labels: { 'kubernetes.io/metadata.name': 'a' } },
    spec: { finalizers: ['kubernetes'] },
    status: { phase: 'Active' },
  })
})

test.each([
  { name: 'as long as it has its own finalizer', finalizers: ['kubernetes'], phase: 'Terminating' },
  { name: 'not without it', finalizers: [], phase: undefined },
])('a namespace that is deleted lingers $name', ({ finalizers, phase }) => {
  const lingering = namespaces.lingersAs?.({ metadata, spec: { finalizers }, status: { phase: 'Active' } })
  expect((lingering?.['status'] as { phase?: string } | undefined)?.phase).toBe(phase)
})

test('a node that has said nothing has an empty status, one that has keeps it', () => {
  expect(nodes.fillDefaults?.({ metadata })).toMatchObject({ spec: {}, status: { nodeInfo: { kubeletVersion: '' } } })
  expect(nodes.fillDefaults?.({ metadata, status: { capacity: { pods: '1' } } })).toMatchObject({
    status: { capacity: { pods: '1' } },
  })
})

test('the pods of a job are found by its UID', () => {
  expect(jobs.prepareForCreate?.({ metadata, spec: { template: {} } })).toMatchObject({
    spec: {
      selector: { matchLabels: { 'batch.kubernetes.io/controller-uid': 'u' } },
      template: { metadata: { labels: { 'job-name': 'a' } } },
    },
  })
})

test('defaults of services and autoscalers', () => {
  expect(services.fillDefaults?.({ metadata, spec: {} })).toMatchObject({ spec: { type: 'ClusterIP' } })
  expect(autoscalers.fillDefaults?.({ metadata, spec: { maxReplicas: 3 } })).toMatchObject({
    spec: { minReplicas: 1, maxReplicas: 3 },
  })
})

test('every plain kind has a name of its own', () => {
  expect(new Set(plainKinds.map(({ group, plural }) => `${plural}.${group}`)).size).toBe(plainKinds.length)
})
