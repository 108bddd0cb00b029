import { expect, test } from 'vitest'
import { stored } from '../../../test/build/stored.ts'
import type { ReplicaSet } from '../../api/kubernetes/apps.ts'
import { invalidStrategy, podDeleted } from './events.ts'

const metadata = { name: 'web', namespace: 'shop', uid: '1' }
const set = stored<ReplicaSet>({ metadata })
const about = { apiVersion: 'apps/v1', kind: 'ReplicaSet', metadata }

test('a ReplicaSet is told what has no meaning', () => {
  expect(invalidStrategy(set, 'it must be JSON')).toEqual({
    about,
    type: 'Warning',
    reason: 'InvalidEvictStrategy',
    note: 'Its pods are evicted like any other: it must be JSON',
  })
})

test('a ReplicaSet is told what was deleted', () => {
  expect(podDeleted(set, 'web-1', 2)).toEqual({
    about,
    type: 'Normal',
    reason: 'EvictWantedPodDeleted',
    note: 'Deleted pod web-1, which is to leave its node; the evict strategy allows 2 at once',
  })
})
