import { expect, test } from 'vitest'
import { ControllerGround, templateOf } from '../../../../test/build/controller-ground.ts'
import { startNamespaceController } from './namespace.ts'

const textOf = (ground: ControllerGround, namespace: string) =>
  ['serviceaccounts', 'configmaps'].flatMap((kind) =>
    ground.store.list(kind, namespace).map(({ metadata }) => `${kind}/${metadata.name}`),
  )

test('gives a namespace what each must have, again when somebody deletes it', async () => {
  await using ground = new ControllerGround([startNamespaceController])
  await ground.create('namespaces', { metadata: { name: 'bakery' } })
  await ground.settle()
  expect(textOf(ground, 'bakery')).toEqual(['serviceaccounts/default', 'configmaps/kube-root-ca.crt'])
  await ground.parts.api.delete('serviceaccounts', { namespace: 'bakery', name: 'default' })
  await ground.settle()
  expect(textOf(ground, 'bakery')).toEqual(['serviceaccounts/default', 'configmaps/kube-root-ca.crt'])
})

test('empties a namespace that is deleted, and waits for what a finalizer holds', async () => {
  await using ground = new ControllerGround([startNamespaceController])
  await ground.create('namespaces', { metadata: { name: 'bakery' } })
  const { metadata, spec } = templateOf({})
  await ground.create('pods', {
    metadata: { ...metadata, name: 'a', namespace: 'bakery', finalizers: ['example.com/hold'] },
    spec,
  })
  await ground.settle()
  await ground.parts.api.delete('namespaces', { name: 'bakery' })
  await ground.pass(3)
  expect(textOf(ground, 'bakery')).toEqual([])
  expect(ground.list('pods').map(({ metadata: { name } }) => name)).toEqual(['a'])
  expect(ground.get('namespaces', 'bakery')?.status?.phase).toBe('Terminating')
  await ground.parts.api.mergePatch('pods', { namespace: 'bakery', name: 'a' }, { metadata: { finalizers: null } })
  await ground.pass(3)
  expect(ground.list('pods')).toEqual([])
  expect(ground.get('namespaces', 'bakery')).toBeUndefined()
})
