import { expect, test } from 'vitest'
import { storedMeta } from '../../../test/build/stored.ts'
import { noAdmission } from '../server/admission/admission.ts'
import { forbidden } from '../server/failure.ts'
import { buildPod } from './build-pod.ts'
import { ControllerGround, templateOf } from '../../../test/build/controller-ground.ts'
import { createPods, deletePods, ownerOf } from './pod-writes.ts'

const reference = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: 'u1', controller: true }
const owner = ownerOf(reference, storedMeta({ name: 'web', namespace: 'default', uid: 'u1' }), 'test')
const pods = (count: number) =>
  Array.from({ length: count }, () =>
    buildPod(templateOf({}), { namespace: 'default', namePrefix: 'web', owner: reference }),
  )

test('makes pods, and deletes just those', async () => {
  await using ground = new ControllerGround([])
  expect(await createPods(ground.parts, owner, pods(3))).toBeUndefined()
  const [first] = ground.list('pods')
  if (first === undefined) throw new Error('there are pods')
  await deletePods(ground.parts, [first, { ...first, metadata: { ...first.metadata, uid: 'another' } }])
  expect(ground.list('pods')).toHaveLength(2)
})

test('stops at a refusal, returns it and tells of it', async () => {
  let asked = 0
  const validate = async ({ definition }: { definition: { group: string; plural: string } }) => {
    if (definition.plural !== 'pods') return
    asked++
    throw forbidden(definition, 'web', 'no')
  }
  await using ground = new ControllerGround([], { admission: { ...noAdmission, validate } })
  const failure = await createPods(ground.parts, owner, pods(50))
  expect(failure?.message).toBe('pods "web" is forbidden: no')
  expect(asked).toBe(1)
  expect(ground.store.list('events').map(({ message }) => message)).toEqual([
    'Error creating: pods "web" is forbidden: no',
  ])
})

test('a pod that another one has the name of is left alone', async () => {
  await using ground = new ControllerGround([])
  await createPods(ground.parts, owner, pods(1))
  const [first] = ground.list('pods')
  if (first === undefined) throw new Error('there is a pod')
  await deletePods(ground.parts, [{ ...first, metadata: { ...first.metadata, uid: 'another' } }])
  expect(ground.list('pods')).toHaveLength(1)
})
