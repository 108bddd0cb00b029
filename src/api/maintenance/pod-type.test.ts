import { expect, test } from 'vitest'
import type { AnonymousMeta } from '../kubernetes/meta.ts'
import { podTypeOf } from './pod-type.ts'

const daemonSet = { apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'logs', uid: '1', controller: true }
const node = { apiVersion: 'v1', kind: 'Node', name: 'one', uid: '2', controller: true }

test.each<{ name: string; metadata: AnonymousMeta; expected: string }>([
  { name: 'a pod of nobody', metadata: {}, expected: 'Default' },
  {
    name: 'a pod of a ReplicaSet',
    metadata: { ownerReferences: [{ ...daemonSet, kind: 'ReplicaSet' }] },
    expected: 'Default',
  },
  { name: 'a pod of a DaemonSet', metadata: { ownerReferences: [daemonSet] }, expected: 'DaemonSet' },
  {
    name: 'a pod that a DaemonSet owns without controlling it',
    metadata: { ownerReferences: [{ ...daemonSet, controller: false }] },
    expected: 'Default',
  },
  {
    name: 'a pod of a DaemonSet of another API group',
    metadata: { ownerReferences: [{ ...daemonSet, apiVersion: 'apps.example.com/v1' }] },
    expected: 'Default',
  },
  {
    name: 'the mirror of a static pod',
    metadata: { annotations: { 'kubernetes.io/config.mirror': 'abc' }, ownerReferences: [node] },
    expected: 'Static',
  },
])('$name is $expected', ({ metadata, expected }) => {
  expect(podTypeOf({ metadata })).toBe(expected)
})
