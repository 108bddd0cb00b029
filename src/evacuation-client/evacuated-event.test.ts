import { expect, test } from 'vitest'
import { stored } from '../../test/build/stored.ts'
import type { Evacuation } from '../api/evacuation/evacuation.ts'
import type { Pod } from '../api/kubernetes/core.ts'
import { podEvacuated } from './evacuated-event.ts'

const prefix = 'evacuation.coordination.k8s.io/instigator_'
const evacuation = stored<Evacuation>({
  metadata: {
    namespace: 'shop',
    name: 'u-web-0',
    finalizers: [`${prefix}nodemaintenance.k8s.io`, `${prefix}deployment.apps.k8s.io`],
  },
  spec: {
    podRef: { name: 'web-0', uid: 'u' },
    progressDeadlineSeconds: 600,
    evacuators: [{ evacuatorClass: 'deployment.apps.k8s.io', priority: 10_000 }],
  },
})
const set = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web-5f6d', uid: 's' }
const other = { apiVersion: 'v1', kind: 'ConfigMap', name: 'web', uid: 'c' }
const podOf = (...ownerReferences: NonNullable<Pod['metadata']['ownerReferences']>) =>
  stored<Pod>({ metadata: { namespace: 'shop', name: 'web-0', uid: 'u', ownerReferences } })
const onSet = { apiVersion: 'apps/v1', kind: 'ReplicaSet', metadata: { namespace: 'shop', name: 'web-5f6d', uid: 's' } }

test.each([
  { name: 'the pod itself, where it has no owner', pod: podOf(), about: { kind: 'Pod', metadata: { name: 'web-0' } } },
  { name: 'its controller', pod: podOf(other, { ...set, controller: true }), about: onSet },
  { name: 'its former controller, where it was released', pod: podOf({ ...set, controller: false }), about: onSet },
])('an evacuated pod is told of on $name', ({ pod, about }) => {
  expect(podEvacuated(evacuation, pod)).toMatchObject({ about, type: 'Normal', reason: 'Evacuated' })
})

test('it names who asked, not who holds the Evacuation, and no pod where many of one owner move', () => {
  expect(podEvacuated(evacuation, podOf()).note).toBe('Evicted, as asked by nodemaintenance.k8s.io')
  expect(podEvacuated(evacuation, podOf(set)).note).toBe('Evicted a pod, as asked by nodemaintenance.k8s.io')
  const nobodys = { ...evacuation, metadata: { ...evacuation.metadata, finalizers: [] } }
  expect(podEvacuated(nobodys, podOf(set)).note).toBe('Evicted a pod')
})
