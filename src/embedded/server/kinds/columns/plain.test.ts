import { expect, test } from 'vitest'
import { storedMeta } from '../../../../../test/build/stored.ts'
import type { ColumnDefinition } from '../../definition.ts'
import * as columns from './plain.ts'

const row = (shown: readonly ColumnDefinition[], object: object) =>
  shown.map(({ cell }) => cell({ metadata: storedMeta(), ...object }, 0)).filter((cell) => cell !== '<unknown>')
const owner = { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'db', uid: 'u', controller: true }
const subjects = [
  { kind: 'User', name: 'joe' },
  { kind: 'Group', name: 'a' },
  { kind: 'Group', name: 'b' },
  { kind: 'ServiceAccount', name: 'cart', namespace: 'shop' },
]

test.each([
  {
    name: 'a namespace',
    shown: columns.namespaceColumns,
    object: { status: { phase: 'Active' } },
    expected: ['Active'],
  },
  {
    name: 'a config map',
    shown: columns.configMapColumns,
    object: { data: { a: '', b: '' }, binaryData: { c: '' } },
    expected: [3],
  },
  {
    name: 'a secret',
    shown: columns.secretColumns,
    object: { type: 'Opaque', data: { a: '' } },
    expected: ['Opaque', 1],
  },
  { name: 'a lease', shown: columns.leaseColumns, object: { spec: { holderIdentity: 'me' } }, expected: ['me'] },
  {
    name: 'a binding',
    shown: columns.bindingColumns,
    object: { roleRef: { kind: 'ClusterRole', name: 'view' }, subjects },
    expected: ['ClusterRole/view', 'joe', 'a, b', 'shop/cart'],
  },
  { name: 'webhooks', shown: columns.webhookColumns, object: { webhooks: [{}, {}] }, expected: [2] },
  {
    name: 'a policy',
    shown: columns.policyColumns,
    object: { spec: { validations: [{}], paramKind: { apiVersion: 'v1', kind: 'ConfigMap' } } },
    expected: [1, 'v1/ConfigMap'],
  },
  { name: 'a policy without parameters', shown: columns.policyColumns, object: {}, expected: [0, '<unset>'] },
  {
    name: 'a binding of a policy',
    shown: columns.policyBindingColumns,
    object: { spec: { policyName: 'p', paramRef: { name: 'q' } } },
    expected: ['p', '*/q'],
  },
  {
    name: 'a revision',
    shown: columns.revisionColumns,
    object: { metadata: { ownerReferences: [owner] }, revision: 4 },
    expected: ['statefulset.apps/db', 4],
  },
  {
    name: 'a claim',
    shown: columns.claimColumns,
    object: {
      spec: { volumeName: 'v', storageClassName: 'fast' },
      status: { phase: 'Bound', capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce', 'ReadWriteOncePod'] },
    },
    expected: ['Bound', 'v', '1Gi', 'RWO,RWOP', 'fast', '<unset>', '<unset>'],
  },
])('$name', ({ shown, object, expected }) => {
  expect(row(shown, object)).toEqual(expected)
})
