import { expect, test } from 'vitest'
import { ControllerGround, templateOf } from '../../../test/build/controller-ground.ts'
import { areSame, type Part } from './same-parts.ts'

const every: readonly Part[] = ['spec', 'status', 'labels', 'ownerReferences', 'finalizers', 'deletionTimestamp']

const owner = { apiVersion: 'v1', kind: 'Node', name: 'one', uid: 'u1' }

test.each([
  { name: 'an annotation', patch: { metadata: { annotations: { note: 'new' } } }, changed: [] },
  { name: 'a label', patch: { metadata: { labels: { app: 'shop' } } }, changed: ['labels'] },
  { name: 'an owner', patch: { metadata: { ownerReferences: [owner] } }, changed: ['ownerReferences'] },
  { name: 'a finalizer', patch: { metadata: { finalizers: ['example.com/wait'] } }, changed: ['finalizers'] },
  { name: 'the image', patch: { spec: { containers: [{ name: 'main', image: 'web:2' }] } }, changed: ['spec'] },
])('a change of $name is one of $changed', async ({ patch, changed }) => {
  await using ground = new ControllerGround([])
  const { metadata, spec } = templateOf({ app: 'web' })
  await ground.create('pods', { metadata: { ...metadata, name: 'web', namespace: 'default' }, spec })
  const before = ground.get('pods', 'web')
  await ground.patch('pods', 'web', patch)
  const now = ground.get('pods', 'web')
  if (before === undefined || now === undefined) throw new Error('the pod is there')
  expect(now).not.toBe(before)
  expect(every.filter((part) => !areSame([part], now, before))).toEqual(changed)
})

test('a status that is written again from outside, equal but not the same, is the same', async () => {
  await using ground = new ControllerGround([])
  const { metadata, spec } = templateOf({ app: 'web' })
  await ground.create('pods', { metadata: { ...metadata, name: 'web', namespace: 'default' }, spec })
  const before = ground.get('pods', 'web')
  if (before === undefined) throw new Error('the pod is there')
  const sent = structuredClone({ ...before, metadata: { ...before.metadata, annotations: { note: 'new' } } })
  await ground.parts.api.replace('pods', sent)
  const now = ground.get('pods', 'web')
  expect(now?.metadata.annotations).toEqual({ note: 'new' })
  expect(now !== undefined && areSame(every, now, before)).toBe(true)
})
