import { describe, expect, test } from 'vitest'
import {
  beyond,
  buildAccess,
  buildReleaseAccess,
  clusterRules,
  namespaceRules,
  releaseNamespaceRules,
  releaseRules,
} from './rbac.ts'

const former = { formerMutating: ['fm'], formerValidating: ['fv'] }
const changed = {
  mutating: ['m'],
  validating: ['v'],
  policies: ['p'],
  bindings: ['b'],
  mutatingPolicies: ['mp'],
  mutatingBindings: ['mb'],
  ...former,
}
const everywhere = clusterRules(changed)
const within = namespaceRules('the-certificate')
const all = [...everywhere, ...within]

describe('Lifeboat may', () => {
  test('do nothing by a wildcard', () => {
    const words = all.flatMap(({ apiGroups, resources, verbs }) => [...apiGroups, ...resources, ...verbs])
    expect(words.filter((word) => word.includes('*'))).toEqual([])
  })

  test('never act as somebody else, or give itself more rights', () => {
    const verbs = new Set(all.flatMap((rule) => rule.verbs))
    expect([...verbs].filter((verb) => ['impersonate', 'escalate', 'bind'].includes(verb))).toEqual([])
    expect(all.filter(({ apiGroups }) => apiGroups.includes('rbac.authorization.k8s.io'))).toEqual([])
  })

  test('see no secret but its own, by name', () => {
    const secrets = all.filter(({ resources }) => resources.includes('secrets'))
    const reading = secrets.filter(({ verbs }) => verbs.some((verb) => verb !== 'create'))
    expect(everywhere.filter(({ resources }) => resources.includes('secrets'))).toEqual([])
    expect(reading.map(({ resourceNames }) => resourceNames)).toEqual([['the-certificate']])
  })

  test('delete evacuations, pods that cannot be evicted, maintenances of shutdowns, webhooks of a former release by name, and nothing else', () => {
    const deleting = all.filter(({ verbs }) => verbs.includes('delete'))
    expect(deleting.map(({ resources, resourceNames }) => resources.concat(resourceNames ?? []))).toEqual([
      ['evacuations'],
      ['pods'],
      ['nodemaintenances'],
      ['mutatingwebhookconfigurations', 'fm'],
      ['validatingwebhookconfigurations', 'fv'],
    ])
  })

  test('delete together what it has finished, and nothing else', () => {
    const deleting = all.filter(({ verbs }) => verbs.includes('deletecollection'))
    expect(deleting.map(({ resources }) => resources)).toEqual([['evacuations']])
  })

  test('try to create pods, and create nothing but what is its own', () => {
    const creating = all.filter(({ verbs }) => verbs.includes('create')).flatMap(({ resources }) => resources)
    expect(creating).toEqual([
      'evacuations',
      'pods',
      'nodemaintenances',
      'pods/eviction',
      'events',
      'subjectaccessreviews',
      'leases',
      'secrets',
    ])
  })

  test('change webhooks and policies by name, and make none', () => {
    const registration = all.filter(({ apiGroups }) => apiGroups.includes('admissionregistration.k8s.io'))
    expect(registration.map(({ resourceNames, verbs }) => [resourceNames, verbs])).toEqual([
      [['m'], ['get', 'update']],
      [['v'], ['get', 'update']],
      [['p'], ['get', 'update']],
      [['mp'], ['get', 'update']],
      [['lifeboat-own-account'], ['get']],
      [['fm'], ['get', 'delete']],
      [['fv'], ['get', 'delete']],
    ])
  })
})

test('a list of names that is empty gives no right at all, rather than one to everything', () => {
  const rules = clusterRules({
    mutating: [],
    validating: [],
    policies: [],
    bindings: [],
    mutatingPolicies: [],
    mutatingBindings: [],
    formerMutating: [],
    formerValidating: [],
  })
  const named = rules.filter(({ apiGroups }) => apiGroups.includes('admissionregistration.k8s.io'))
  expect(named.map(({ resourceNames }) => resourceNames)).toEqual([['lifeboat-own-account']])
})

test('the namespace comes first, roles before what binds them', () => {
  const objects = buildAccess({ namespace: 'lifeboat-system', certificateSecret: 'c', changed })
  expect(objects.map(({ kind }) => kind)).toEqual([
    'Namespace',
    'ServiceAccount',
    'ClusterRole',
    'ClusterRoleBinding',
    'Role',
    'RoleBinding',
  ])
})

describe('the account that lets go of everything may', () => {
  const rules = [...releaseRules(changed), ...releaseNamespaceRules('the-certificate')]

  test('create nothing, and do nothing by a wildcard', () => {
    const words = rules.flatMap(({ apiGroups, resources, verbs }) => [...apiGroups, ...resources, ...verbs])
    expect(words.filter((word) => word.includes('*') || word === 'create' || word === 'update')).toEqual([])
  })

  test("delete Lifeboat's own kinds, pods that nobody takes back, Jobs in its namespace, and other objects by name alone", () => {
    const deleting = rules.filter(({ verbs }) => verbs.includes('delete'))
    expect(deleting.map(({ resources, resourceNames }) => [resources[0], resourceNames])).toEqual([
      ['evacuations', undefined],
      ['nodemaintenances', undefined],
      ['pods', undefined],
      ['mutatingwebhookconfigurations', ['m', 'fm']],
      ['validatingwebhookconfigurations', ['v', 'fv']],
      ['validatingadmissionpolicies', ['p']],
      ['validatingadmissionpolicybindings', ['b']],
      ['mutatingadmissionpolicies', ['mp']],
      ['mutatingadmissionpolicybindings', ['mb']],
      ['jobs', undefined],
      ['leases', ['lifeboat', 'lifeboat-descheduler']],
      ['configmaps', ['lifeboat-descheduler']],
      ['secrets', ['the-certificate']],
    ])
  })

  test('it is bound to an account of its own', () => {
    const objects = buildReleaseAccess({ namespace: 'lifeboat-system', certificateSecret: 'c', changed })
    expect(new Set(objects.map(({ metadata }) => metadata.name))).toEqual(new Set(['lifeboat-uninstall']))
    expect(objects.map(({ kind }) => kind)).toEqual([
      'ServiceAccount',
      'ClusterRole',
      'ClusterRoleBinding',
      'Role',
      'RoleBinding',
    ])
  })
})

describe('what rules grant beyond others', () => {
  const rule = (resources: string[], verbs: string[], more: object = {}) => ({
    apiGroups: [''],
    resources,
    verbs,
    ...more,
  })
  const named = { resourceNames: ['one'] }

  test.each([
    { name: 'nothing', rules: [rule(['pods'], ['get'])], others: [rule(['pods'], ['get', 'list'])], expected: [] },
    {
      name: 'a verb',
      rules: [rule(['pods', 'nodes'], ['get', 'list'])],
      others: [rule(['pods'], ['get', 'list']), rule(['nodes'], ['get'])],
      expected: [rule(['nodes'], ['list'])],
    },
    {
      name: 'a group',
      rules: [rule(['pods'], ['list'], { apiGroups: ['metrics.k8s.io'] })],
      others: [rule(['pods'], ['list'])],
      expected: [rule(['pods'], ['list'], { apiGroups: ['metrics.k8s.io'] })],
    },
    {
      name: 'every name, where the others grant one',
      rules: [rule(['leases'], ['get'])],
      others: [rule(['leases'], ['get'], named)],
      expected: [rule(['leases'], ['get'])],
    },
    {
      name: 'another name',
      rules: [rule(['leases'], ['get'], { resourceNames: ['two'] })],
      others: [rule(['leases'], ['get'], named)],
      expected: [rule(['leases'], ['get'], { resourceNames: ['two'] })],
    },
    {
      name: 'nothing, where the others grant every name',
      rules: [rule(['leases'], ['get'], named)],
      others: [rule(['leases'], ['get'])],
      expected: [],
    },
  ])('$name', ({ rules, others, expected }) => {
    expect(beyond(rules, others)).toEqual(expected)
  })
})
