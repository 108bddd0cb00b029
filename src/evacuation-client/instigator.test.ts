import { expect, test } from 'vitest'
import { EvacuatorGround } from '../../test/build/evacuator-ground.ts'
import { podRefOf } from '../api/evacuation/pod-reference.ts'
import { Instigator } from './instigator.ts'

const { signal } = new AbortController()
const [ours, theirs] = ['ours.example.com', 'theirs.example.com'] as const
const finalizerOf = (name: string) => `evacuation.coordination.k8s.io/instigator_${name}`

test.each([
  { name: 'an evacuator that takes a hold first has it from the start', first: ours, held: [ours] },
  { name: 'another one does not', first: theirs, held: [] },
])('$name', async ({ first, held }) => {
  const ground = new EvacuatorGround()
  const pod = await ground.createPod('web')
  const claims = async () => [{ evacuatorClass: first, priority: 10 }]
  const instigator = new Instigator('drill.example.com', {
    kube: ground.kube,
    claims,
    takesHold: (evacuatorClass) => evacuatorClass === ours,
  })
  expect(await instigator.request(pod, signal, { why: 'a drill' })).toMatchObject({
    kind: 'requested',
    evacuation: {
      metadata: { finalizers: ['drill.example.com', ...held].map(finalizerOf), annotations: { why: 'a drill' } },
      spec: { evacuators: [{ evacuatorClass: first, priority: 10 }] },
    },
  })
  expect(await instigator.withdraw(podRefOf(pod), signal)).toEqual({ kind: 'withdrawn' })
  expect(await instigator.withdraw(podRefOf(pod), signal)).toEqual({ kind: 'absent' })
})
