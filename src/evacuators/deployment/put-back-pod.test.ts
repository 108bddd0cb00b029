import { describe, expect, test } from 'vitest'
import type { ReplicaSet } from '../../api/kubernetes/apps.ts'
import type { Pod } from '../../api/kubernetes/core.ts'
import type { NamespacedMeta } from '../../api/kubernetes/meta.ts'
import { stored } from '../../../test/build/stored.ts'
import { formerReplicaSetOf, puttingBack } from './put-back-pod.ts'

const prefix = 'evacuation.coordination.k8s.io'
const replicaSet = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web-5d', uid: 'r', controller: true }
const evacuation = { apiVersion: `${prefix}/v1alpha1`, kind: 'Evacuation', name: 'e', uid: 'e', controller: false }
const releasedFrom = JSON.stringify({
  hash: '5d',
  replicaSet: 'web-5d',
  deployment: { name: 'web', uid: 'd' },
  at: '2024-04-22T21:40:32Z',
})
const set = stored<ReplicaSet>({
  metadata: { namespace: 'shop', name: 'web-5d', uid: 'r' },
  spec: { selector: { matchLabels: { app: 'web', 'pod-template-hash': '5d' } } },
})
const podOf = (metadata: Partial<NamespacedMeta>): Pod =>
  stored({ metadata: { namespace: 'shop', name: 'web-1', ...metadata } })
const released = podOf({
  labels: { app: 'web', [`${prefix}/released`]: 'true' },
  ownerReferences: [{ ...replicaSet, controller: false }],
  annotations: {
    [`${prefix}/released-from`]: releasedFrom,
    [`${prefix}/priority_deployment.apps.k8s.io`]: '10000/controller',
    [`${prefix}/registered`]: 'deployment.apps.k8s.io',
    theirs: 'stays',
  },
})

const traces = {
  labels: { [`${prefix}/released`]: null },
  annotations: {
    [`${prefix}/released-from`]: null,
    [`${prefix}/priority_deployment.apps.k8s.io`]: null,
    [`${prefix}/registered`]: null,
  },
}

describe('a pod that is left', () => {
  test.each<{ name: string; pod: Pod; set?: ReplicaSet; expected: object | undefined }>([
    {
      name: 'as it is, if nothing was done to it',
      pod: podOf({ annotations: { theirs: 'stays' } }),
      expected: undefined,
    },
    {
      name: 'without the marks of an evacuation',
      pod: podOf({ annotations: { 'kubernetes.io/pod-evict-wanted': 'true', theirs: 'stays' } }),
      expected: { annotations: { 'kubernetes.io/pod-evict-wanted': null } },
    },
    {
      name: 'with the deletion cost that it had',
      pod: podOf({
        annotations: {
          'controller.kubernetes.io/pod-deletion-cost': '-2147483648',
          [`${prefix}/deletion-cost-before`]: '7',
        },
      }),
      expected: {
        annotations: {
          'controller.kubernetes.io/pod-deletion-cost': '7',
          [`${prefix}/deletion-cost-before`]: null,
        },
      },
    },
    {
      name: 'without what Lifeboat registered, but with what others did',
      pod: podOf({
        annotations: {
          [`${prefix}/priority_a.example.com`]: '5',
          [`${prefix}/priority_b.example.com`]: '6',
          [`${prefix}/priority_c.example.com`]: '7',
          [`${prefix}/registered`]: 'a.example.com,b.example.com',
        },
      }),
      expected: {
        annotations: {
          [`${prefix}/priority_a.example.com`]: null,
          [`${prefix}/priority_b.example.com`]: null,
          [`${prefix}/registered`]: null,
        },
      },
    },
    {
      name: 'to its ReplicaSet again, if it was released',
      pod: released,
      expected: {
        labels: { 'pod-template-hash': '5d', [`${prefix}/released`]: null },
        annotations: {
          [`${prefix}/released-from`]: null,
          [`${prefix}/priority_deployment.apps.k8s.io`]: null,
          [`${prefix}/registered`]: null,
        },
      },
    },
    {
      name: 'without traces, if its ReplicaSet is being deleted',
      pod: released,
      set: { ...set, metadata: { ...set.metadata, deletionTimestamp: '2024-04-22T21:40:32Z' } },
      expected: traces,
    },
    {
      name: 'without traces, if the ReplicaSet that it names would not adopt it',
      pod: released,
      set: { ...set, spec: { selector: { matchLabels: { app: 'till', 'pod-template-hash': '5d' } } } },
      expected: traces,
    },
    {
      name: 'without an Evacuation as its owner, if an older version released it',
      pod: podOf({
        labels: { app: 'web' },
        ownerReferences: [evacuation],
        annotations: { [`${prefix}/released-from`]: releasedFrom },
      }),
      expected: {
        labels: { 'pod-template-hash': '5d', [`${prefix}/released`]: null },
        ownerReferences: [],
        annotations: { [`${prefix}/released-from`]: null },
      },
    },
    {
      name: 'without traces, if somebody else put it back',
      pod: podOf({
        labels: { 'pod-template-hash': '5d' },
        ownerReferences: [replicaSet, evacuation],
        annotations: { [`${prefix}/released-from`]: releasedFrom },
      }),
      expected: {
        labels: { [`${prefix}/released`]: null },
        ownerReferences: [replicaSet],
        annotations: { [`${prefix}/released-from`]: null },
      },
    },
  ])('$name', ({ pod, set: found = set, expected }) => {
    expect(puttingBack(pod, found)).toEqual(expected)
  })

  test('without traces, if its ReplicaSet is gone: the garbage collector takes it, or it was left on purpose', () => {
    expect(puttingBack(released, undefined)).toEqual(traces)
  })
})

test('only a released pod has a ReplicaSet to go back to', () => {
  expect(formerReplicaSetOf(released)).toBe('web-5d')
  expect(formerReplicaSetOf(podOf({ ownerReferences: [replicaSet] }))).toBeUndefined()
})
