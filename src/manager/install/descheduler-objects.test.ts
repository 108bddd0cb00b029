import { expect, test } from 'vitest'
import { isOurs } from '../register/admission-objects.ts'
import { deschedulerObjects, deschedulerPolicies } from './descheduler-objects.ts'
import { resourceOf } from '../manifests/resources.ts'

const objects = deschedulerObjects('here')

test('every object is labelled, of a kind that uninstalling knows, and in the namespace if it is in any', () => {
  expect(objects.filter((object) => !isOurs(object))).toEqual([])
  const misplaced = objects.filter(
    (object) => object.metadata.namespace !== (resourceOf(object).namespaced ? 'here' : undefined),
  )
  expect(misplaced).toEqual([])
})

test('what limits the account is there before it, and goes after it', () => {
  expect(objects.slice(0, 3).map(({ kind }) => kind)).toEqual([
    'ValidatingAdmissionPolicy',
    'ValidatingAdmissionPolicyBinding',
    'ServiceAccount',
  ])
  expect(JSON.stringify(deschedulerPolicies('here'))).toContain('system:serviceaccount:here:lifeboat-descheduler')
})
