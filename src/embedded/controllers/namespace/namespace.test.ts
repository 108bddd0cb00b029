import { expect, test } from 'vitest'
import { ControllerGround, templateOf } from '../controller-ground.ts'
import { startNamespaceController } from './namespace.ts'

const textOf = (ground: ControllerGround, namespace: string) =>
  ['serviceaccounts', 'configmaps'].flatMap((kind) =>
    ground.store.list(kind, namespace).map(({ metadata }) => `${kind}/${metadata.name}`),
  )

test('gives a namespace what each must have, again when somebody deletes it', async () => {
  await using ground = new ControllerGround([startNamespaceController])
  await ground.create('namespaces', { metadata: { name: 'shop' } })
  await ground.settle()
  expect(textOf(ground, 'shop')).toEqual(['serviceaccounts/default', 'configmaps/kube-root-ca.crt'])
  await ground.parts.api.delete('serviceaccounts', { namespace: 'shop', name: 'default' })
  await ground.settle()
  expect(textOf(ground, 'shop')).toEqual(['serviceaccounts/default', 'configmaps/kube-root-ca.crt'])
})

test('empties a namespace that is deleted, and waits for what a finalizer holds', async () => {
  await using ground = new ControllerGround([startNamespaceController])
  await ground.create('namespaces', { metadata: { name: 'shop' } })
  const { metadata, spec } = templateOf({})
  await ground.create('pods', {
    metadata: { ...metadata, name: 'a', namespace: 'shop', finalizers: ['example.com/hold'] },
    spec,
  })
  await ground.settle()
  await ground.parts.api.delete('namespaces', { name: 'shop' })
  await ground.pass(3)
  expect(textOf(ground, 'shop')).toEqual([])
  expect(ground.list('pods').map(({ metadata: { name } }) => name)).toEqual(['a'])
  await ground.parts.api.mergePatch('pods', { namespace: 'shop', name: 'a' }, { metadata: { finalizers: null } })
  await ground.pass(3)
  expect(ground.list('pods')).toEqual([])
  expect(ground.get('namespaces', 'shop')).toBeUndefined()
})
