import { expect, test } from 'vitest'
import { storedMeta } from '../../../../test/build/stored.ts'
import { decideCollection } from './decide-collection.ts'

const owner = (uid: string, blockOwnerDeletion = true) => ({
  apiVersion: 'v1',
  kind: 'ReplicaSet',
  name: uid,
  uid,
  blockOwnerDeletion,
})
const present = new Map([['here', { metadata: storedMeta({ name: 'here', uid: 'here' }) }]])
const going = { deletionTimestamp: 'now' }
const child = (extra: object = {}) => ({
  metadata: storedMeta({ name: 'child', ownerReferences: [owner('me')], ...extra }),
})

test.each([
  { name: 'without owners it is left alone', metadata: {}, expected: 'nothing' },
  {
    name: 'with its owner there it is left alone',
    metadata: { ownerReferences: [owner('here')] },
    expected: 'nothing',
  },
  { name: 'without its last owner it goes', metadata: { ownerReferences: [owner('gone')] }, expected: 'delete' },
  {
    name: 'with one of two owners left it keeps that one',
    metadata: { ownerReferences: [owner('gone'), owner('here')] },
    expected: 'keepOwners',
  },
  {
    name: 'with an owner of a kind that nobody knows it is left alone, whatever became of its other owners',
    metadata: { ownerReferences: [owner('gone'), { ...owner('what'), kind: 'Unknown' }] },
    expected: 'nothing',
  },
  {
    name: 'on its way out it is left alone',
    metadata: { ownerReferences: [owner('gone')], ...going },
    expected: 'nothing',
  },
  {
    name: 'in the foreground it takes its dependents along',
    metadata: { ...going, finalizers: ['foregroundDeletion'] },
    dependents: [child()],
    expected: 'deleteDependents',
  },
  {
    name: 'and waits for those that block',
    metadata: { ...going, finalizers: ['foregroundDeletion'] },
    dependents: [child(going)],
    expected: 'nothing',
  },
  {
    name: 'but not for those that do not',
    metadata: { ...going, finalizers: ['foregroundDeletion'] },
    dependents: [child({ ...going, ownerReferences: [owner('me', false)] })],
    expected: 'dropFinalizer',
  },
  {
    name: 'in the foreground without dependents it may go',
    metadata: { ...going, finalizers: ['foregroundDeletion'] },
    expected: 'dropFinalizer',
  },
  {
    name: 'as an orphan maker it lets its dependents go first',
    metadata: { ...going, finalizers: ['orphan'] },
    dependents: [child()],
    expected: 'orphan',
  },
  { name: 'and then goes', metadata: { ...going, finalizers: ['orphan'] }, expected: 'dropFinalizer' },
])('$name', ({ metadata, dependents = [], expected }) => {
  const object = { metadata: storedMeta({ name: 'me', uid: 'me', ...metadata }) }
  const view = { object, ownerOf: ({ uid }: { uid: string }) => present.get(uid), dependents }
  expect(decideCollection({ ...view, isServed: ({ kind }) => kind !== 'Unknown' }).kind).toBe(expected)
})
