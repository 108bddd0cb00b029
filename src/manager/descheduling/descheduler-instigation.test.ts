import { describe, expect, test } from 'vitest'
import { openLifeboatGround, type LifeboatGround } from '../../../test/build/lifeboat.ts'
import { evacuations } from '../../api/evacuation/evacuation.ts'
import { featureGateDefaults } from '../../api/feature-gates.ts'
import { podRefOf, type PodRef } from '../../api/evacuation/pod-reference.ts'
import { silentLog } from '../../runtime/log.ts'
import { claimsLookup } from '../run/claims-lookup.ts'
import { instigationOfOthers, ownInstigation } from './descheduler-instigation.ts'

const { signal } = new AbortController()
const annotations = { why: 'too old' }
const more = { node: 'as it was in the view', labels: {}, annotations }
const machines = { 'evacuation.coordination.k8s.io/priority_machines.example.com': '11000' }
const ours = 'evacuation.coordination.k8s.io/instigator_descheduler.sigs.k8s.io'
const intercepted = 'evacuation.coordination.k8s.io/instigator_eviction.evacuation.coordination.k8s.io'

function ownIn({ admin: kube, clock }: LifeboatGround, gatesOff: readonly string[] = []) {
  const gates = { ...featureGateDefaults, ...Object.fromEntries(gatesOff.map((gate) => [gate, false])) }
  const parts = { kube, clock, gates, namespace: 'lifeboat-system', log: silentLog, events: { record: () => {} } }
  return ownInstigation({ ...parts, claims: claimsLookup(parts) })
}

const stored = async (ground: LifeboatGround) => (await ground.until(ground.admin.list(evacuations))).items

describe('a request by Lifeboat', () => {
  test('names the evacuators of the pod as it is now, and why', async () => {
    await using ground = await openLifeboatGround({ nodes: 1 })
    const pod = podRefOf(await ground.createPod('web', machines))
    expect(await ground.until(ownIn(ground).request(pod, more, signal))).toMatchObject({ kind: 'requested' })
    const [evacuation] = await stored(ground)
    expect(evacuation?.metadata).toMatchObject({
      finalizers: [ours],
      annotations: { why: 'too old', 'evacuation.coordination.k8s.io/node': 'node-1' },
    })
    expect(evacuation?.spec.evacuators).toMatchObject([{ evacuatorClass: 'machines.example.com', priority: 11_000 }])
  })

  test.each([
    { name: 'a pod that is gone', change: { name: 'gone' } },
    { name: 'another pod of its name', change: { uid: 'another' } },
  ])('is none for $name', async ({ change }) => {
    await using ground = await openLifeboatGround({ nodes: 1 })
    const pod: PodRef = { ...podRefOf(await ground.createPod('web')), ...change }
    expect(await ground.until(ownIn(ground).request(pod, more, signal))).toEqual({ kind: 'podGone' })
    expect(await stored(ground)).toEqual([])
  })
})

describe('an eviction by Lifeboat', () => {
  test.each([
    { name: 'is intercepted as that of others', gatesOff: [], claimed: machines, expected: 'refused' },
    { name: 'is none of our business where nobody claims the pod', gatesOff: [], claimed: {}, expected: 'accepted' },
    {
      name: 'is not intercepted with the gate off',
      gatesOff: ['EvictionInterception'],
      claimed: machines,
      expected: 'accepted',
    },
  ])('$name', async ({ gatesOff, claimed, expected }) => {
    await using ground = await openLifeboatGround({ nodes: 1 })
    const pod = podRefOf(await ground.createPod('web', claimed))
    const outcome = await ground.until(ownIn(ground, gatesOff).evict(pod, { annotations, signal }))
    expect(outcome.kind).toBe(expected)
    await ground.pass(60_000)
    expect(ground.podNames()).toEqual(expected === 'accepted' ? [] : ['web'])
    const holders = (await stored(ground)).map(({ metadata }) => metadata.finalizers)
    expect(holders).toEqual(expected === 'accepted' ? [] : [[intercepted]])
    if (outcome.kind !== 'refused') return
    // The words by which the descheduler knows that the pod leaves later.
    expect(outcome.by).toMatchObject({ kind: 'admission' })
    expect(JSON.stringify(outcome.by)).toContain('Eviction triggered evacuation default/')
  })

  test('is of that pod, and of no other of its name', async () => {
    await using ground = await openLifeboatGround({ nodes: 1 })
    const pod = { ...podRefOf(await ground.createPod('web', machines)), uid: 'another' }
    expect(await ground.until(ownIn(ground).evict(pod, { annotations, signal }))).toEqual({ kind: 'gone' })
    expect(await stored(ground)).toEqual([])
  })
})

test('with another account the webhook completes the request, and intercepts the eviction', async () => {
  await using ground = await openLifeboatGround({ nodes: 1 })
  await using opened = await ground.open()
  await ground.until(opened.manager.ready())
  const instigation = instigationOfOthers(ground.admin)
  const [asked, evicted] = [await ground.createPod('asked', machines), await ground.createPod('evicted', machines)]
  expect(await ground.until(instigation.request(podRefOf(asked), more, signal))).toMatchObject({ kind: 'requested' })
  expect(await ground.until(instigation.evict(podRefOf(evicted), { annotations, signal }))).toMatchObject({
    kind: 'refused',
  })
  const evacuators = (await stored(ground)).map(({ spec }) => spec.evacuators?.map((each) => each.evacuatorClass))
  expect(evacuators).toEqual([['machines.example.com'], ['machines.example.com']])
})
