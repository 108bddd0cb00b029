import { expect, test } from 'vitest'
import { autoscalers } from '../../server/kinds/cluster-kinds.ts'
import { disruptionBudgets } from '../../server/kinds/disruption-budgets.ts'
import { pods } from '../../server/kinds/pods.ts'
import { reviewKinds } from '../../server/kinds/review-kinds.ts'
import { apiVersionOf, groupDocument, groupList, groupsOf, resourceList } from './discovery.ts'

const older = { ...autoscalers, version: 'v1' }
const definitions = [pods, older, autoscalers, disruptionBudgets, ...reviewKinds]

test('the newest version of a group comes first, and is preferred', () => {
  expect([...(groupsOf(definitions).get('autoscaling')?.keys() ?? [])]).toEqual(['v2', 'v1'])
  expect(groupDocument(definitions, 'autoscaling')).toMatchObject({
    versions: [{ groupVersion: 'autoscaling/v2', version: 'v2' }, { version: 'v1' }],
    preferredVersion: { version: 'v2' },
  })
})

test('the core group is in no list of groups', () => {
  expect(groupList(definitions)).toMatchObject({
    groups: [
      { name: 'authentication.k8s.io' },
      { name: 'authorization.k8s.io' },
      { name: 'autoscaling' },
      { name: 'policy' },
    ],
  })
  expect(groupDocument(definitions, '')).toBeUndefined()
  expect(apiVersionOf(pods)).toBe('v1')
})

test('resources come with their subresources, which name a group only if it is another', () => {
  expect(resourceList(definitions, { group: '', version: 'v1' })).toMatchObject({
    resources: [
      { name: 'pods', singularName: 'pod', namespaced: true, kind: 'Pod', shortNames: ['po'], categories: ['all'] },
      { name: 'pods/status', kind: 'Pod', verbs: ['get', 'patch', 'update'] },
      { name: 'pods/eviction', kind: 'Eviction', group: 'policy', version: 'v1', verbs: ['create'] },
      { name: 'pods/binding', kind: 'Binding' },
    ],
  })
})

test('what can only be created says so', () => {
  const list = resourceList(definitions, { group: 'authentication.k8s.io', version: 'v1' })
  expect(list).toMatchObject({ resources: [{ verbs: ['create'] }, { verbs: ['create'] }] })
})
