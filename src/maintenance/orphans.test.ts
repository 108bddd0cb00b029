import { expect, test } from 'vitest'
import type { Evacuation } from '../api/evacuation.ts'
import type { Pod } from '../api/kubernetes/core.ts'
import { isAskedByMaintenance, withdrawIfOrphaned } from './orphans.ts'

const ours = 'evacuation.coordination.k8s.io/instigator_nodemaintenance.k8s.io'
const theirs = 'evacuation.coordination.k8s.io/instigator_drill.example.com'
const evacuation = (finalizers: string[] = [ours]): Evacuation => ({
  metadata: { namespace: 'shop', name: 'u-web', finalizers },
  spec: { podRef: { name: 'web', uid: 'u' }, progressDeadlineSeconds: 1_800 },
})
const podOn = (nodeName: string, uid = 'u'): Pod => ({ metadata: { uid }, spec: { containers: [], nodeName } })

test.each([
  { name: 'on a node that nobody drains', pod: podOn('quiet'), finalizers: [ours], expected: true },
  { name: 'on no node', pod: podOn(''), finalizers: [ours], expected: true },
  { name: 'on a node that is drained', pod: podOn('busy'), finalizers: [ours], expected: false },
  { name: 'that is gone', pod: undefined, finalizers: [ours], expected: false },
  { name: 'that was replaced', pod: podOn('quiet', 'another'), finalizers: [ours], expected: false },
  { name: 'that others want gone', pod: podOn('quiet'), finalizers: [theirs], expected: false },
])('the Evacuation of a pod $name is withdrawn: $expected', async ({ pod, finalizers, expected }) => {
  const withdrawn: string[] = []
  const was = await withdrawIfOrphaned(evacuation(finalizers), {
    findPod: async () => pod,
    isDraining: (node) => node === 'busy',
    withdraw: async ({ name }) => void withdrawn.push(name),
  })
  expect({ was, withdrawn }).toEqual({ was: expected, withdrawn: expected ? ['web'] : [] })
})

test('who asked is told by the finalizer', () => {
  expect(isAskedByMaintenance(evacuation())).toBe(true)
  expect(isAskedByMaintenance(evacuation([]))).toBe(false)
})
