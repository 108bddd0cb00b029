import { describe, expect, test } from 'vitest'
import { EvacuatorGround } from '../../test/build/evacuator-ground.ts'
import { podRefOf } from '../api/evacuation/pod-reference.ts'
import { KubeError } from '../kube/client/errors.ts'
import { claimChange, claimPod, evacuatorAnnotations, unclaimPod } from './claim.ts'

const group = 'evacuation.coordination.k8s.io'
const short = { evacuatorClass: 'vm.example.com', priority: 20_000, role: 'migrates' }
const long = { evacuatorClass: `${'a'.repeat(40)}.${'b'.repeat(40)}.example.com`, priority: 5 }

async function setUp(annotations: Record<string, string> = {}) {
  const ground = new EvacuatorGround()
  const pod = podRefOf(await ground.createPod('vm', { annotations }))
  const onPod = async () => (await ground.pod(pod))?.metadata.annotations ?? {}
  const patches = () => ground.requests.filter((request) => request.startsWith('PATCH')).length
  return { ground, pod, onPod, patches }
}

describe('a claim', () => {
  test('annotates the pod, once', async () => {
    const { ground, pod, onPod, patches } = await setUp({ other: 'stays' })
    expect(await claimPod(ground.kube, pod, short)).toEqual({ kind: 'claimed' })
    expect(await claimPod(ground.kube, pod, short)).toEqual({ kind: 'claimed' })
    expect(await onPod()).toEqual({ other: 'stays', [`${group}/priority_vm.example.com`]: '20000/migrates' })
    expect(patches()).toBe(1)
  })

  test('of a long class goes by its hash, and is taken away whole', async () => {
    const { ground, pod, onPod } = await setUp()
    await claimPod(ground.kube, pod, long)
    const annotations = Object.entries(await onPod())
    expect(annotations).toHaveLength(2)
    expect(annotations).toContainEqual([expect.stringMatching(/hash_[0-9a-f]{10}$/), long.evacuatorClass])
    expect(await unclaimPod(ground.kube, pod, long)).toEqual({ kind: 'unclaimed' })
    expect(await onPod()).toEqual({})
  })

  test('never touches a later pod of the same name', async () => {
    const { ground, pod } = await setUp()
    await ground.removePod(pod)
    expect(await claimPod(ground.kube, pod, short)).toEqual({ kind: 'podGone' })
    const later = podRefOf(await ground.createPod('vm'))
    expect(await claimPod(ground.kube, pod, short)).toEqual({ kind: 'podGone' })
    expect((await ground.pod(later))?.metadata.annotations ?? {}).toEqual({})
  })

  test('never touches a later pod that appears between the look and the write', async () => {
    const { ground, pod } = await setUp()
    ground.beforeRequest = async ({ method }) => {
      if (method !== 'PATCH') return
      await ground.removePod(pod)
      await ground.createPod('vm')
    }
    expect(await claimPod(ground.kube, pod, short)).toEqual({ kind: 'podGone' })
    expect((await ground.pod(pod))?.metadata.annotations ?? {}).toEqual({})
  })

  test('that the cluster refuses says so', async () => {
    const { ground, pod } = await setUp()
    const kube = ground.kube
    ground.beforeRequest = async ({ method }) => {
      if (method === 'PATCH') throw new KubeError('a policy says no', { kind: 'forbidden', code: 403 })
    }
    expect(await claimPod(kube, pod, short)).toEqual({ kind: 'refused', message: 'a policy says no' })
  })

  test.each([
    {
      name: 'a priority beyond the range',
      registration: { ...short, priority: 100_001 },
      says: /priority_vm.example.com.*0 to 100000/,
    },
    {
      name: 'a priority that is reserved',
      registration: { ...short, priority: 10_000 },
      says: /reserved for the role controller/,
    },
    {
      name: 'a class that is no DNS subdomain',
      registration: { ...short, evacuatorClass: 'VM' },
      says: /DNS subdomain/,
    },
  ])('with $name is refused before it is sent', async ({ registration, says }) => {
    const { ground, pod, patches } = await setUp()
    expect(await claimPod(ground.kube, pod, registration)).toMatchObject({
      kind: 'refused',
      message: expect.stringMatching(says),
    })
    expect(patches()).toBe(0)
    expect(() => evacuatorAnnotations(registration)).toThrow(says)
  })

  test('is not refused for the mistakes of others', async () => {
    const { ground, pod } = await setUp({ [`${group}/priority_other.example.com`]: 'many' })
    expect(await claimPod(ground.kube, pod, short)).toEqual({ kind: 'claimed' })
  })

  test('that is not there is unclaimed without a write', async () => {
    const { ground, pod, patches } = await setUp()
    expect(await unclaimPod(ground.kube, pod, short)).toEqual({ kind: 'unclaimed' })
    expect(patches()).toBe(0)
    await ground.removePod(pod)
    expect(await unclaimPod(ground.kube, pod, short)).toEqual({ kind: 'podGone' })
  })
})

test('the annotations for a template are those of a claim', () => {
  expect(evacuatorAnnotations(short)).toEqual({ [`${group}/priority_vm.example.com`]: '20000/migrates' })
})

test('a class that somebody registered under another hash is moved, not registered twice', () => {
  const change = claimChange(
    { [`${group}/priority_zzz`]: '5', [`${group}/hash_zzz`]: long.evacuatorClass, [`${group}/priority_yyy`]: '7' },
    long,
  )
  expect(change).toMatchObject({ [`${group}/priority_zzz`]: null, [`${group}/hash_zzz`]: null })
  expect(Object.keys(change)).toHaveLength(4)
})
