import { expect, test } from 'vitest'
import { pods } from '../api/kubernetes/resources.ts'
import { EvacuationGround } from '../../test/build/evacuation-ground.ts'
import { annotatePod } from './annotate-pod.ts'

const { signal } = new AbortController()

async function arrange() {
  const ground = await EvacuationGround.open({ nodes: 1, started: false })
  const pod = await ground.createPod('web')
  await ground.evacuate(pod)
  const evacuation = await ground.evacuationOf(pod)
  if (evacuation === undefined) throw new Error('it was just made')
  return { ground, evacuation }
}

test('an annotation is for the pod of the Evacuation, not for the next one of its name', async () => {
  const { ground, evacuation } = await arrange()
  await ground.do(ground.kube.delete(pods, { namespace: 'default', name: 'web' }, { gracePeriodSeconds: 0 }))
  await ground.createPod('web')
  await ground.do(annotatePod(ground.kube, evacuation, { note: 'for the first' }, signal))
  expect((await ground.podNamed('web'))?.metadata.annotations ?? {}).not.toHaveProperty('note')
  await ground[Symbol.asyncDispose]()
})
