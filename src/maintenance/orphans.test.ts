import { expect, test } from 'vitest'
import type { Evacuation } from '../api/evacuation.ts'
import { isAskedByMaintenance, withdrawOrphans } from './orphans.ts'

const ours = 'evacuation.coordination.k8s.io/instigator_nodemaintenance.k8s.io'
const evacuation = (name: string, finalizers: string[] = [ours]): Evacuation => ({
  metadata: { namespace: 'shop', name: `u-${name}`, finalizers },
  spec: { podRef: { name, uid: 'u' }, progressDeadlineSeconds: 1_800 },
})
const podOn = (nodeName: string, uid = 'u') => ({ metadata: { uid }, spec: { containers: [], nodeName } })

test('only those of pods that are there, on nodes that nobody drains, that a maintenance asked for', async () => {
  const pods: Record<string, ReturnType<typeof podOn>> = {
    orphan: podOn('quiet'),
    drained: podOn('busy'),
    replaced: podOn('quiet', 'another'),
    unassigned: podOn(''),
    others: podOn('quiet'),
  }
  const withdrawn: string[] = []
  const count = await withdrawOrphans({
    evacuations: [
      ...['orphan', 'drained', 'replaced', 'unassigned', 'gone'].map((name) => evacuation(name)),
      evacuation('others', ['evacuation.coordination.k8s.io/instigator_drill.example.com']),
    ],
    findPod: async ({ name }) => pods[name],
    isDraining: (node) => node === 'busy',
    withdraw: async ({ name }) => void withdrawn.push(name),
  })
  expect(withdrawn).toEqual(['orphan', 'unassigned'])
  expect(count).toBe(2)
})

test('who asked is told by the finalizer', () => {
  expect(isAskedByMaintenance(evacuation('a'))).toBe(true)
  expect(isAskedByMaintenance(evacuation('a', []))).toBe(false)
})
