import { expect, test } from 'vitest'
import { userOfServiceAccount, withLabels } from './installation-names.ts'

test('a service account is a user by its namespace and name', () => {
  expect(userOfServiceAccount('lifeboat-system')).toBe('system:serviceaccount:lifeboat-system:lifeboat')
  expect(userOfServiceAccount('shop', 'cart')).toBe('system:serviceaccount:shop:cart')
})

test('labels come beside those that are there', () => {
  expect(withLabels({ metadata: { name: 'a', labels: { theirs: '1' } } }).metadata).toEqual({
    name: 'a',
    labels: { theirs: '1', 'app.kubernetes.io/name': 'lifeboat', 'app.kubernetes.io/managed-by': 'lifeboat' },
  })
})
