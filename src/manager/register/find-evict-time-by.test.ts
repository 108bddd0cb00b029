import { expect, test } from 'vitest'
import { buildServer } from '../../../test/build/embedded-server.ts'
import { buildKube } from '../../../test/build/kube.ts'
import { withoutMutatingPolicies } from '../../../test/build/without-mutating-policies.ts'
import { buildEvictTimePolicy } from '../../admission/policies/evict-time-policy.ts'
import { findEvictTimeBy } from './find-evict-time-by.ts'

const path = '/apis/admissionregistration.k8s.io/v1/mutatingadmissionpolicies'

function ground(isServed: boolean) {
  const { transport, clock, send } = buildServer()
  const kube = buildKube(isServed ? transport : withoutMutatingPolicies(transport), clock)
  return { parts: { kube, clock }, putPolicy: () => send('POST', path, buildEvictTimePolicy('60s')[0]) }
}

test('an admin makes the policy wherever the API server knows the kind', async () => {
  expect(await findEvictTimeBy(ground(true).parts, 'createAndDelete')).toBe('policy')
  expect(await findEvictTimeBy(ground(false).parts, 'createAndDelete')).toBe('webhook')
})

test('a replica cannot make one, so it goes by what was installed', async () => {
  const { parts, putPolicy } = ground(true)
  expect(await findEvictTimeBy(parts, 'updateOnly')).toBe('webhook')
  await putPolicy()
  expect(await findEvictTimeBy(parts, 'updateOnly')).toBe('policy')
  expect(await findEvictTimeBy(ground(false).parts, 'updateOnly')).toBe('webhook')
})
