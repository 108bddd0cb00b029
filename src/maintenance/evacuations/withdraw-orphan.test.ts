import { expect, test } from 'vitest'
import { stored } from '../../../test/build/stored.ts'
import type { Evacuation } from '../../api/evacuation/evacuation.ts'
import type { Pod } from '../../api/kubernetes/core.ts'
import type { Kube } from '../../kube/client/client.ts'
import { KubeError } from '../../kube/client/errors.ts'
import { silentLog } from '../../runtime/log.ts'
import { withdrawOrphan } from './withdraw-orphan.ts'

const ours = 'evacuation.coordination.k8s.io/instigator_nodemaintenance.k8s.io'
const theirs = 'evacuation.coordination.k8s.io/instigator_drill.example.com'
const evacuation = (metadata: Partial<Evacuation['metadata']> = {}) =>
  stored<Evacuation>({
    metadata: { namespace: 'shop', name: 'u-web', finalizers: [ours], ...metadata },
    spec: { podRef: { name: 'web', uid: 'u' }, progressDeadlineSeconds: 1_800 },
  })
const podOn = (nodeName: string, uid = 'u') => stored<Pod>({ metadata: { uid }, spec: { containers: [], nodeName } })

async function told(orphan: Evacuation | undefined, pod?: Pod, isLeft = false) {
  const withdrawn: string[] = []
  let reads = 0
  const parts = {
    kube: {
      get: async () => {
        reads++
        if (pod === undefined) throw new KubeError('no such pod', { kind: 'notFound' })
        return pod
      },
    },
    log: silentLog,
    instigator: {
      withdraw: async ({ name }: { name: string }) => {
        withdrawn.push(name)
        return { kind: 'absent' } as const
      },
    },
    state: { orphan: () => orphan, isDraining: (node: string) => node === 'busy', isLeftInPlace: () => isLeft },
  }
  await withdrawOrphan({ ...parts, kube: parts.kube as unknown as Kube }, 'shop/u-web', new AbortController().signal)
  return { withdrawn, reads }
}

test.each([
  { name: 'on a node that is not drained', pod: podOn('quiet'), finalizers: [ours], expected: ['web'] },
  { name: 'on no node', pod: podOn(''), finalizers: [ours], expected: ['web'] },
  { name: 'on a node that is drained', pod: podOn('busy'), finalizers: [ours], expected: [] },
  { name: 'that is gone', pod: undefined, finalizers: [ours], expected: [] },
  { name: 'that was replaced', pod: podOn('quiet', 'another'), finalizers: [ours], expected: [] },
  { name: 'that others want gone', pod: podOn('quiet'), finalizers: [theirs], expected: [] },
])('the Evacuation of a pod $name is withdrawn: $expected', async ({ pod, finalizers, expected }) => {
  expect((await told(evacuation({ finalizers }), pod)).withdrawn).toEqual(expected)
})

test.each([
  { name: 'is not looked up while the node that its Evacuation names is drained', node: 'busy', reads: 0 },
  { name: 'is looked up once that node is not drained any more', node: 'quiet', reads: 1 },
])('a pod $name', async ({ node, reads }) => {
  const annotations = { 'evacuation.coordination.k8s.io/node': node }
  expect((await told(evacuation({ annotations }))).reads).toBe(reads)
})

test.each([
  { name: 'leaves in place', isLeft: true, expected: ['web'] },
  { name: 'takes away', isLeft: false, expected: [] },
])('that of a pod which the drain of its node $name is withdrawn without a look: $expected', async (row) => {
  const annotations = { 'evacuation.coordination.k8s.io/node': 'busy' }
  const { isLeft, expected } = row
  expect(await told(evacuation({ annotations }), undefined, isLeft)).toEqual({ withdrawn: expected, reads: 0 })
})

test.each([
  { finalizers: [ours], expected: ['web'] },
  { finalizers: [theirs], expected: [] },
])('one that was deleted is withdrawn from without a look, also while its node is drained: $expected', async (row) => {
  const { finalizers, expected } = row
  const annotations = { 'evacuation.coordination.k8s.io/node': 'busy' }
  const deleted = evacuation({ finalizers, annotations, deletionTimestamp: '2026-01-01T12:00:00Z' })
  expect(await told(deleted)).toEqual({ withdrawn: expected, reads: 0 })
})

test('one that a drain wants is left alone', async () => {
  expect(await told(undefined)).toEqual({ withdrawn: [], reads: 0 })
})
