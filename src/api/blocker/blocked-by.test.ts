import fc from 'fast-check'
import { expect, test } from 'vitest'
import { storedMeta } from '../../../test/build/stored.ts'
import { blockedBy, blockedByList, blockerOf } from './blocked-by.ts'
import type { Blocker, BlockerKind } from './blocker.ts'
import { validateSchema } from '../schema/validate-schema.ts'

const pod = { namespace: 'shop', name: 'cart-7', uid: 'f5823a89-e03f-4752-b013-445643b8c7a0' }

/** One of each kind, so that a new kind is not forgotten. */
const blockers: { readonly [Kind in BlockerKind]: Extract<Blocker, { kind: Kind }> } = {
  budget: { pod, kind: 'budget', budget: 'web', healthy: 3, needed: 3 },
  budgetUnclear: { pod, kind: 'budgetUnclear', budget: 'web', message: 'still counting' },
  manyBudgets: { pod, kind: 'manyBudgets', budgets: [{ name: 'web', healthy: 1, needed: 2 }] },
  admission: { pod, kind: 'admission', message: 'not on Fridays' },
  throttled: { pod, kind: 'throttled' },
  evictionFailed: { pod, kind: 'evictionFailed', webhook: 'guard.example.com', message: 'connection refused' },
  evictionForbidden: { pod, kind: 'evictionForbidden', message: 'User "x" cannot create resource "pods/eviction"' },
  replacementUnschedulable: { pod, kind: 'replacementUnschedulable', replacement: 'cart-8', message: '0/3 nodes' },
  replacementNotReady: { pod, kind: 'replacementNotReady', replacement: 'cart-8', message: 'ImagePullBackOff' },
  replacementRefused: { pod, kind: 'replacementRefused', owner: 'ReplicaSet cart', message: 'exceeded quota' },
  turn: { pod, kind: 'turn', owner: 'Deployment cart', limit: 'maxSurge', allowed: 1 },
  controllerTakeover: { pod, kind: 'controllerTakeover', waitedMs: 10_000, timeoutMs: 60_000 },
  silentEvacuator: {
    pod,
    kind: 'silentEvacuator',
    evacuatorClass: 'vm.example.com',
    silentMs: 720_000,
    deadlineMs: 1_800_000,
  },
  finalizers: { pod, kind: 'finalizers', finalizers: ['example.com/backup'] },
  terminating: { pod, kind: 'terminating', elapsedMs: 40_000, graceMs: 30_000 },
  silentNode: { pod, kind: 'silentNode', node: 'node-1', nodeReady: 'Unknown', since: '2026-01-01T00:00:00Z' },
  notUnderMaintenance: { pod, kind: 'notUnderMaintenance', node: 'node-1' },
  beyondDrainTargets: { pod, kind: 'beyondDrainTargets', node: 'node-1', podPriority: 2_000_000_000 },
  holdNotCalled: { pod, kind: 'holdNotCalled', node: 'node-1', owner: 'DaemonSet logs' },
  cameBackUnheld: { pod, kind: 'cameBackUnheld', node: 'node-1', owner: 'DaemonSet logs' },
  noAgent: { pod, kind: 'noAgent', node: 'node-1' },
  staticPodFromUrl: { pod, kind: 'staticPodFromUrl', node: 'node-1' },
  manifestNotFound: { pod, kind: 'manifestNotFound', node: 'node-1', folder: '/etc/kubernetes/manifests' },
  manifestPathIsFile: { pod, kind: 'manifestPathIsFile', node: 'node-1', folder: '/etc/pod.yaml' },
  agentFailed: { pod, kind: 'agentFailed', node: 'node-1', message: 'EROFS: read-only file system' },
  lastControlPlane: { pod, kind: 'lastControlPlane', node: 'node-1', component: 'etcd', healthy: 1, needed: 2 },
  notEvictable: { pod, kind: 'notEvictable', podType: 'Static' },
}

const evacuationBlockedBy = (...list: readonly object[]) => ({
  metadata: storedMeta({ namespace: pod.namespace, name: `${pod.uid}-${pod.name}` }),
  spec: { podRef: { name: pod.name, uid: pod.uid } },
  status: { blockedBy: list },
})

test.each(Object.values(blockers))('$kind is what the schema admits, and reads back as it was', (blocker) => {
  const written = blockedBy(blocker)
  expect(validateSchema(blockedByList, [written])).toEqual([])
  expect(blockerOf(evacuationBlockedBy(written))).toEqual(blocker)
})

test('the policy that keeps an unready pod is written and read', () => {
  const unready = { ...blockers.budget, unhealthyPodEvictionPolicy: 'IfHealthyBudget' } as const
  expect(validateSchema(blockedByList, [blockedBy(unready)])).toEqual([])
  expect(blockerOf(evacuationBlockedBy(blockedBy(unready)))).toEqual(unready)
})

test('durations are in whole seconds', () => {
  expect(blockedBy({ ...blockers.terminating, elapsedMs: 40_999 })).toEqual({
    kind: 'terminating',
    elapsedSeconds: 40,
    graceSeconds: 30,
  })
})

test('whatever others say fits into the schema', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 3_000 }), (message) => {
      const written = blockedBy({ ...blockers.replacementRefused, message, owner: message })
      expect(validateSchema(blockedByList, [written])).toEqual([])
    }),
  )
})

test.each([
  { name: 'nothing blocks', list: [] },
  { name: 'the kind is not known', list: [{ kind: 'weather' }] },
  { name: 'a field is missing', list: [{ kind: 'budget', budget: 'web', healthy: 3 }] },
  { name: 'a field is of another type', list: [{ kind: 'budget', budget: 'web', healthy: '3', needed: 3 }] },
])('there is no blocker to show if $name', ({ list }) => {
  expect(blockerOf(evacuationBlockedBy(...list))).toBeUndefined()
})

test('there is none before the status was first written', () => {
  const { status: _, ...fresh } = evacuationBlockedBy()
  expect(blockerOf(fresh)).toBeUndefined()
})
