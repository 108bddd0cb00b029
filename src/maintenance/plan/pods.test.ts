import { expect, test } from 'vitest'
import type { Pod } from '../../api/kubernetes/core.ts'
import { storedMeta } from '../../../test/build/stored.ts'
import { isTargeted, noAgents, sortPods } from './pods.ts'

const podOf = (metadata: Partial<Pod['metadata']>, priority?: number): Pod => ({
  metadata: storedMeta({ namespace: 'shop', ...metadata }),
  spec: { nodeName: 'one', containers: [], ...(priority === undefined ? {} : { priority }) },
})
const owner = { apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'logs', uid: '1', controller: true }
const claimed = { 'evacuation.coordination.k8s.io/priority_kubelet.k8s.io': '10000/controller' }
const mirror = { 'kubernetes.io/config.mirror': 'x' }

test.each([
  { name: 'an ordinary pod leaves', pod: podOf({}), leaves: true },
  { name: 'one that has ended leaves', pod: { ...podOf({}), status: { phase: 'Succeeded' as const } }, leaves: true },
  { name: 'one that is going leaves', pod: podOf({ deletionTimestamp: '2026-01-01T00:00:00Z' }), leaves: true },
  { name: 'one of a DaemonSet leaves', pod: podOf({ ownerReferences: [owner] }), leaves: true },
  {
    name: 'one of a DaemonSet stays with the gate off',
    pod: podOf({ ownerReferences: [owner] }),
    off: true,
    leaves: false,
  },
  {
    name: 'one of a DaemonSet leaves with the gate off if somebody else evacuates it',
    pod: podOf({ ownerReferences: [owner], annotations: claimed }),
    off: true,
    leaves: true,
  },
  { name: 'a static pod stays', pod: podOf({ annotations: mirror }), leaves: false },
  {
    name: 'a static pod leaves where an agent takes it away',
    pod: podOf({ annotations: mirror }),
    agents: { ...noAgents, staticPodsLeave: (node: string) => node === 'one' },
    leaves: true,
  },
  {
    name: 'a static pod of another node stays',
    pod: podOf({ annotations: mirror }),
    agents: { ...noAgents, staticPodsLeave: (node: string) => node === 'two' },
    leaves: false,
  },
  {
    name: 'the agent itself stays',
    pod: podOf({ ownerReferences: [owner] }),
    agents: { ...noAgents, isNodeAgent: () => true },
    leaves: false,
  },
  {
    name: 'a static pod that an agent claims leaves',
    pod: podOf({ annotations: { ...mirror, ...claimed } }),
    leaves: true,
  },
])('$name', ({ pod, off = false, agents = noAgents, leaves }) => {
  const { leaving, staying } = sortPods([pod], { isEvacuating: () => false, daemonSetsLeave: !off, agents })
  expect(leaving).toHaveLength(leaves ? 1 : 0)
  expect(Object.values(staying)).toEqual(leaves ? [] : [1])
})

test('a pod says its type, its priority and whether it is evacuated', () => {
  const pod = podOf({ ownerReferences: [owner] }, 7)
  const { leaving } = sortPods([pod, podOf({})], {
    isEvacuating: (one) => one === pod,
    daemonSetsLeave: true,
    agents: noAgents,
  })
  expect(leaving).toEqual([
    { pod: { metadata: pod.metadata }, podType: 'DaemonSet', podPriority: 7, isEvacuating: true },
    { pod: { metadata: podOf({}).metadata }, podType: 'Default', podPriority: 0, isEvacuating: false },
  ])
})

test.each([
  { name: 'up to the priority', target: { podPriority: 7, podType: 'Default' as const }, expected: true },
  { name: 'beyond the priority', target: { podPriority: 6, podType: 'Default' as const }, expected: false },
  { name: 'of another type', target: { podPriority: 9, podType: 'DaemonSet' as const }, expected: false },
  {
    name: 'with the labels',
    target: { podPriority: 9, podType: 'Default' as const, podSelector: { matchLabels: { app: 'web' } } },
    expected: true,
  },
  {
    name: 'without the labels',
    target: { podPriority: 9, podType: 'Default' as const, podSelector: { matchLabels: { app: 'mail' } } },
    expected: false,
  },
])('a pod $name is targeted: $expected', ({ target, expected }) => {
  const [planned] = sortPods([podOf({ labels: { app: 'web' } }, 7)], {
    isEvacuating: () => false,
    daemonSetsLeave: true,
    agents: noAgents,
  }).leaving
  expect(planned === undefined ? undefined : isTargeted(planned, [target])).toBe(expected)
})
