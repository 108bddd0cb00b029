import { describe, expect, test } from 'vitest'
import type { DaemonSet } from '../../api/kubernetes/apps.ts'
import type { Pod } from '../../api/kubernetes/core.ts'
import type { NamespacedMeta } from '../../api/kubernetes/meta.ts'
import { storedMeta } from '../../../test/build/stored.ts'
import { claimedDaemonSet, isPodOf } from './membership.ts'

const owner = { apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'logs', uid: 'd', controller: true }
const affinityTo = (node: string) => ({
  nodeAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: {
      nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: [node] }] }],
    },
  },
})
const podOf = (metadata: Partial<NamespacedMeta> = {}, spec: Partial<Pod['spec']> = {}): Pod => ({
  metadata: storedMeta({
    namespace: 'shop',
    name: 'logs-1',
    labels: { app: 'logs' },
    ownerReferences: [owner],
    ...metadata,
  }),
  spec: { nodeName: 'six', affinity: affinityTo('six'), containers: [], ...spec },
})
const daemonSet: DaemonSet = {
  metadata: storedMeta({ name: 'logs', namespace: 'shop', uid: 'd' }),
  spec: { selector: { matchLabels: { app: 'logs' } } },
}

describe('the DaemonSet that a pod says it is of', () => {
  test.each<{ name: string; pod: Pod; expected: object | undefined }>([
    { name: 'is its controller', pod: podOf(), expected: owner },
    { name: 'also before it is on its node', pod: podOf({}, { nodeName: '' }), expected: owner },
    { name: 'is none for a bare pod', pod: podOf({ ownerReferences: [] }), expected: undefined },
    {
      name: 'is none that owns it and does not control it',
      pod: podOf({ ownerReferences: [{ ...owner, controller: false }] }),
      expected: undefined,
    },
    {
      name: 'is none of another kind',
      pod: podOf({ ownerReferences: [{ ...owner, kind: 'ReplicaSet' }] }),
      expected: undefined,
    },
    {
      name: 'is none of another group',
      pod: podOf({ ownerReferences: [{ ...owner, apiVersion: 'apps.kruise.io/v1alpha1' }] }),
      expected: undefined,
    },
    {
      name: 'is none if the pod was made for no node',
      // Without the field: `undefined` would not be what an API server sends.
      pod: { ...podOf(), spec: { nodeName: 'six', containers: [] } },
      expected: undefined,
    },
    {
      name: 'is none if it was made for another',
      pod: podOf({}, { affinity: affinityTo('five') }),
      expected: undefined,
    },
  ])('$name', ({ pod, expected }) => {
    expect(claimedDaemonSet(pod)).toEqual(expected)
  })
})

describe('a pod is of a DaemonSet', () => {
  test.each<{ name: string; pod?: Pod; found?: DaemonSet; expected: boolean }>([
    { name: 'that it names by UID and that selects it', expected: true },
    {
      name: 'not if that is another one of the name',
      found: { ...daemonSet, metadata: { ...daemonSet.metadata, uid: 'e' } },
      expected: false,
    },
    { name: 'not if it is not selected', pod: podOf({ labels: { app: 'web' } }), expected: false },
    { name: 'not of one that selects nothing', found: { metadata: daemonSet.metadata }, expected: false },
    { name: 'not if it claims none', pod: podOf({ ownerReferences: [] }), expected: false },
  ])('$name', ({ pod = podOf(), found = daemonSet, expected }) => {
    expect(isPodOf(pod, found)).toBe(expected)
  })
})
