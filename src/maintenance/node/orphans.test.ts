import { expect, test } from 'vitest'
import type { Evacuation } from '../../api/evacuation/evacuation.ts'
import type { Pod } from '../../api/kubernetes/core.ts'
import { isAskedByMaintenance, isEnding, isUnderWay, withdrawIfDue } from './orphans.ts'

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
  const was = await withdrawIfDue(evacuation(finalizers), {
    findPod: async () => pod,
    isDraining: (node) => node === 'busy',
    withdraw: async ({ name }) => void withdrawn.push(name),
  })
  expect({ was, withdrawn }).toEqual({ was: expected, withdrawn: expected ? ['web'] : [] })
})

test.each([
  { name: 'is not looked up while the node that its Evacuation names is drained', node: 'busy', reads: 0 },
  { name: 'is looked up once nobody drains that node', node: 'quiet', reads: 1 },
])('a pod $name', async ({ node, reads }) => {
  const { metadata, spec } = evacuation()
  const noted = { ...metadata, annotations: { 'evacuation.coordination.k8s.io/node': node } }
  let count = 0
  await withdrawIfDue(
    { metadata: noted, spec },
    {
      findPod: async () => {
        count++
        return undefined
      },
      isDraining: (name) => name === 'busy',
      withdraw: async () => {},
    },
  )
  expect(count).toBe(reads)
})

const deleted = (finalizers?: string[]) => {
  const { metadata, spec } = evacuation(finalizers)
  return { metadata: { ...metadata, deletionTimestamp: '2026-01-01T12:00:00Z' }, spec }
}

test('an Evacuation that somebody deleted is withdrawn from, also while its node is drained, and without a look', async () => {
  const withdrawn: string[] = []
  const search = {
    findPod: async () => {
      throw new Error('not to be looked up')
    },
    isDraining: () => true,
    withdraw: async ({ name }: { name: string }) => void withdrawn.push(name),
  }
  expect(await withdrawIfDue(deleted(), search)).toBe(true)
  expect(await withdrawIfDue(deleted([theirs]), search)).toBe(false)
  expect(withdrawn).toEqual(['web'])
})

test('only an Evacuation that nobody has deleted is under way', () => {
  expect([isUnderWay(evacuation()), isUnderWay(deleted()), isUnderWay(undefined)]).toEqual([true, false, false])
  expect([isEnding(evacuation()), isEnding(deleted()), isEnding(undefined)]).toEqual([false, true, false])
})

test('who asked is told by the finalizer', () => {
  expect(isAskedByMaintenance(evacuation())).toBe(true)
  expect(isAskedByMaintenance(evacuation([]))).toBe(false)
})
