import { describe, expect, test } from 'vitest'
import { buildAccess, clusterRules, namespaceRules } from './rbac.ts'

const changed = { mutating: ['m'], validating: ['v'], policies: ['p'], bindings: ['b'] }
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
    expect([...verbs].filter((verb) => ['impersonate', 'escalate', 'bind', 'deletecollection'].includes(verb))).toEqual(
      [],
    )
    expect(all.filter(({ apiGroups }) => apiGroups.includes('rbac.authorization.k8s.io'))).toEqual([])
  })

  test('see no secret but its own, by name', () => {
    const secrets = all.filter(({ resources }) => resources.includes('secrets'))
    const reading = secrets.filter(({ verbs }) => verbs.some((verb) => verb !== 'create'))
    expect(everywhere.filter(({ resources }) => resources.includes('secrets'))).toEqual([])
    expect(reading.map(({ resourceNames }) => resourceNames)).toEqual([['the-certificate']])
  })

  test('delete evacuations, and pods that cannot be evicted, and nothing else', () => {
    expect(all.filter(({ verbs }) => verbs.includes('delete')).flatMap(({ resources }) => resources)).toEqual([
      'evacuations',
      'pods',
    ])
  })

  test('change webhooks and policies by name, and make none', () => {
    const registration = all.filter(({ apiGroups }) => apiGroups.includes('admissionregistration.k8s.io'))
    expect(registration.map(({ resourceNames, verbs }) => [resourceNames, verbs])).toEqual([
      [['m'], ['get', 'update']],
      [['v'], ['get', 'update']],
      [['p'], ['get', 'update']],
    ])
  })
})

test('a list of names that is empty gives no right at all, rather than one to everything', () => {
  const rules = clusterRules({ mutating: [], validating: [], policies: [], bindings: [] })
  expect(rules.filter(({ apiGroups }) => apiGroups.includes('admissionregistration.k8s.io'))).toEqual([])
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
