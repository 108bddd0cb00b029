import { describe, expect, test } from 'vitest'
import { storedMeta } from '../../../../test/build/stored.ts'
import { templateOf } from '../../../../test/build/controller-ground.ts'
import { annotationsFor, buildReplicaSet, expiredSets } from './build-replica-set.ts'

const revision = 'deployment.kubernetes.io/revision'
const deployment = {
  metadata: storedMeta({
    name: 'web',
    namespace: 'default',
    uid: 'u1',
    annotations: { team: 'shop', [revision]: '7' },
  }),
  spec: {
    replicas: 4,
    selector: { matchLabels: { app: 'web' } },
    template: templateOf({ app: 'web' }),
    revisionHistoryLimit: 1,
  },
}
const setOf = (name: string, number: number, replicas = 0) => ({
  metadata: storedMeta({ name, annotations: { [revision]: String(number) } }),
  spec: { replicas },
  status: { replicas },
})

test('a new set has the template, the hash everywhere, and the next revision', () => {
  const set = buildReplicaSet({ deployment, newSet: undefined, oldSets: [setOf('old', 2, 4)] })
  const hash = set.metadata.labels?.['pod-template-hash'] ?? ''
  expect(set).toMatchObject({
    metadata: {
      name: `web-${hash}`,
      annotations: {
        team: 'shop',
        [revision]: '3',
        'deployment.kubernetes.io/desired-replicas': '4',
        'deployment.kubernetes.io/max-replicas': '5',
      },
      ownerReferences: [{ kind: 'Deployment', name: 'web', uid: 'u1', controller: true, blockOwnerDeletion: true }],
    },
    spec: {
      replicas: 1,
      selector: { matchLabels: { app: 'web', 'pod-template-hash': hash } },
      template: { metadata: { labels: { app: 'web', 'pod-template-hash': hash } } },
    },
  })
})

test('a set that is rolled back to gets a new revision and remembers the old', () => {
  const newSet = setOf('first', 1)
  expect(annotationsFor({ deployment, newSet, oldSets: [setOf('second', 2)] }, newSet)).toEqual({
    team: 'shop',
    [revision]: '3',
    'deployment.kubernetes.io/revision-history': '1',
  })
})

describe('old sets', () => {
  test.each([
    { name: 'are kept up to the limit', sets: [setOf('a', 1)], expected: [] },
    { name: 'go beyond it, the oldest first', sets: [setOf('b', 2), setOf('a', 1)], expected: ['a'] },
    { name: 'stay while they have pods', sets: [setOf('a', 1, 2), setOf('b', 2)], expected: [] },
  ])('$name', ({ sets, expected }) => {
    const names = expiredSets({ deployment, newSet: undefined, oldSets: sets }).map(({ metadata }) => metadata.name)
    expect(names).toEqual(expected)
  })
})
