import { expect, test } from 'vitest'
import { newEvacuationStatus } from '../api/evacuation/evacuation.ts'
import type { Pod } from '../api/kubernetes/core.ts'
import { storedMeta } from '../../test/build/stored.ts'
import { controllerTakesOver, kubernetesDeletesIt, taintEviction } from './controller-takeover.ts'
import type { EvacuationView } from './view.ts'

// What follows for an Evacuation is in the table of decide.test.ts; here, what is said of it.

const podRef = { name: 'web-0', uid: 'u' }
const maintenance = 'evacuation.coordination.k8s.io/instigator_nodemaintenance.k8s.io'
const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: 'r', controller: true }

function viewOf(finalizers: readonly string[], spec: Partial<NonNullable<Pod['spec']>> = {}): EvacuationView {
  return {
    evacuation: {
      metadata: storedMeta({ name: 'u-web-0', namespace: 'shop', finalizers: [...finalizers] }),
      spec: { podRef, progressDeadlineSeconds: 1_800 },
      status: newEvacuationStatus,
    },
    pod: {
      metadata: {
        ...podRef,
        namespace: 'shop',
        resourceVersion: '1',
        ownerReferences: [owner],
        annotations: { 'kubernetes.io/evict-policy': 'ControllerTakeOver' },
      },
      spec: { containers: [], ...spec },
    },
    lastEviction: undefined,
    claims: undefined,
    settings: { podEvictPolicy: true, controllerEvictTimeoutMs: 60_000 },
  }
}

test.each([
  { name: 'a drain', finalizers: [maintenance], node: undefined },
  { name: 'a dead node', finalizers: [taintEviction], node: 'node-1' },
  { name: 'a drain of a dead node', finalizers: [taintEviction, maintenance], node: undefined },
])('for $name it says who is asked, and who does not wait longer', ({ finalizers, node }) => {
  const decision = controllerTakesOver(viewOf(finalizers, { nodeName: 'node-1' }), 0)
  expect(decision).toEqual({
    kind: 'askController',
    blocker: {
      kind: 'controllerTakeover',
      pod: { namespace: 'shop', ...podRef },
      owner: 'ReplicaSet web',
      ...(node === undefined ? {} : { node }),
      waitedMs: 0,
      timeoutMs: 60_000,
    },
  })
})

test('Kubernetes deletes only what nobody else wants gone', () => {
  expect(kubernetesDeletesIt(viewOf([taintEviction]))?.kind).toBe('wait')
  expect(kubernetesDeletesIt(viewOf([taintEviction, maintenance]))).toBeUndefined()
  expect(kubernetesDeletesIt(viewOf([]))).toBeUndefined()
})
