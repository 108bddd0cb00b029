import { expect, test } from 'vitest'
import { evacuations } from '../api/evacuation/evacuation.ts'
import { pods } from '../api/kubernetes/resources.ts'
import { EvacuationGround } from '../../test/build/evacuation-ground.ts'
import { EvacuationWrites } from './evacuation-writes.ts'

const { signal } = new AbortController()

async function arrange() {
  const ground = await EvacuationGround.open({ nodes: 1, started: false })
  const pod = await ground.createPod('web')
  await ground.evacuate(pod)
  const evacuation = await ground.evacuationOf(pod)
  if (evacuation === undefined) throw new Error('it was just made')
  return { ground, pod, evacuation, writes: new EvacuationWrites(ground.kube) }
}

test('a status decided on an older version is refused', async () => {
  const { ground, evacuation, writes } = await arrange()
  await ground.do(writes.setStatus(evacuation, { message: 'first' }, signal))
  await expect(ground.do(writes.setStatus(evacuation, { message: 'second' }, signal))).rejects.toMatchObject({
    kind: 'conflict',
  })
  await ground[Symbol.asyncDispose]()
})

test('a deletion names whom it means', async () => {
  const { ground, evacuation, writes } = await arrange()
  const other = { ...evacuation, metadata: { ...evacuation.metadata, uid: 'another' } }
  await expect(ground.do(writes.delete(other, {}, signal))).rejects.toMatchObject({ kind: 'conflict' })
  await ground.do(writes.setFinalizers(evacuation, [], signal))
  await ground.do(writes.delete(evacuation, {}, signal))
  expect((await ground.do(ground.kube.list(evacuations))).items).toEqual([])
  await ground[Symbol.asyncDispose]()
})

test('an annotation is for the pod of the Evacuation, not for the next one of its name', async () => {
  const { ground, evacuation, writes } = await arrange()
  await ground.do(ground.kube.delete(pods, { namespace: 'default', name: 'web' }, { gracePeriodSeconds: 0 }))
  await ground.createPod('web')
  await ground.do(writes.annotatePod(evacuation, { note: 'for the first' }, signal))
  expect((await ground.podNamed('web'))?.metadata.annotations ?? {}).not.toHaveProperty('note')
  await ground[Symbol.asyncDispose]()
})
