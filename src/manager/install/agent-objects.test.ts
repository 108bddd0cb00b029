import { expect, test } from 'vitest'
import { isOurs } from '../register/admission-objects.ts'
import { agentAccess, agentObjects } from './agent-objects.ts'
import { resourceOf } from '../manifests/resources.ts'
import type { Role } from '../manifests/rbac.ts'

const objects = agentObjects('here')

test('every object is labelled, of a kind that uninstalling knows, and in the namespace if it is in any', () => {
  expect(objects.filter((object) => !isOurs(object))).toEqual([])
  const misplaced = objects.filter(
    (object) => object.metadata.namespace !== (resourceOf(object).namespaced ? 'here' : undefined),
  )
  expect(misplaced).toEqual([])
})

test('has no right outside of its namespace, and none on nodes, pods or secrets', () => {
  const access = agentAccess('here')
  expect(access.map(({ kind }) => kind)).toEqual([
    'ValidatingAdmissionPolicy',
    'ValidatingAdmissionPolicyBinding',
    'ServiceAccount',
    'Role',
    'RoleBinding',
  ])
  const role = access.find(({ kind }) => kind === 'Role') as Role
  expect(role.rules.flatMap(({ resources }) => resources)).toEqual(['leases', 'daemonsets'])
})
