import { expect, test } from 'vitest'
import type { AccessAttributes } from '../authorization.ts'
import { impersonated } from './impersonate.ts'

const admin = { name: 'admin', groups: ['system:masters'] }
const asked: AccessAttributes[] = []
const allowing = (allowed: boolean) => ({
  authorize: (attributes: AccessAttributes) => {
    asked.push(attributes)
    return { allowed, reason: '' }
  },
})

test('without the headers everybody is who they are', () => {
  expect(impersonated(admin, {}, allowing(false))).toBe(admin)
})

test.each([
  {
    name: 'a user',
    headers: { 'impersonate-user': 'joe' },
    expected: { name: 'joe', groups: ['system:authenticated'] },
    needs: [['users', 'joe']],
  },
  {
    name: 'a user in groups',
    headers: { 'impersonate-user': 'joe', 'impersonate-group': 'a, b' },
    expected: { name: 'joe', groups: ['a', 'b', 'system:authenticated'] },
    needs: [
      ['users', 'joe'],
      ['groups', 'a'],
      ['groups', 'b'],
    ],
  },
  {
    name: 'a service account',
    headers: { 'impersonate-user': 'system:serviceaccount:shop:cart' },
    expected: {
      name: 'system:serviceaccount:shop:cart',
      groups: ['system:serviceaccounts', 'system:serviceaccounts:shop', 'system:authenticated'],
    },
    needs: [['serviceaccounts', 'cart']],
  },
])('as $name, by the right to act as each of them', ({ headers, expected, needs }) => {
  asked.length = 0
  expect(impersonated(admin, headers, allowing(true))).toEqual(expected)
  expect(asked.map(({ resource, name }) => [resource, name])).toEqual(needs)
  expect(asked.every(({ verb, user }) => verb === 'impersonate' && user === admin)).toBe(true)
})

test('without the right it is refused', () => {
  const words =
    'users "joe" is forbidden: User "admin" cannot impersonate resource "users" in API group "" at the cluster scope'
  expect(() => impersonated(admin, { 'impersonate-user': 'joe' }, allowing(false))).toThrow(words)
})

test('groups without a user are a mistake', () => {
  expect(() => impersonated(admin, { 'impersonate-group': 'a' }, allowing(true))).toThrow(
    'without impersonating a user',
  )
})
