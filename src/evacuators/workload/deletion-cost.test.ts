import { describe, expect, test } from 'vitest'
import type { Pod } from '../../api/kubernetes/core.ts'
import { stored } from '../../../test/build/stored.ts'
import { leaveAsBefore, leaveFirst } from './deletion-cost.ts'

const cost = 'controller.kubernetes.io/pod-deletion-cost'
const note = 'evacuation.coordination.k8s.io/deletion-cost-before'
const lowest = '-2147483648'
const podOf = (kind: string, controller: boolean, annotations: Record<string, string>): Pod => {
  const owner = { apiVersion: 'apps/v1', kind, name: 'web', uid: 'w', controller }
  return stored({ metadata: { namespace: 'shop', annotations, ownerReferences: [owner] } })
}

describe('a pod that waits', () => {
  test.each([
    { name: 'goes first', pod: podOf('ReplicaSet', true, {}), expected: { [cost]: lowest, [note]: '' } },
    {
      name: 'goes first, and what a user said is noted',
      pod: podOf('ReplicationController', true, { [cost]: '7' }),
      expected: { [cost]: lowest, [note]: '7' },
    },
    { name: 'is not marked twice', pod: podOf('ReplicaSet', true, { [cost]: '7', [note]: '' }), expected: {} },
    { name: 'is left alone once it is released', pod: podOf('ReplicaSet', false, {}), expected: {} },
    { name: 'is left alone where no cost counts', pod: podOf('StatefulSet', true, {}), expected: {} },
  ])('$name', ({ pod, expected }) => {
    expect(leaveFirst(pod)).toEqual(expected)
  })
})

describe('a pod that stays', () => {
  test.each([
    { name: 'has no cost again', before: { [cost]: lowest, [note]: '' }, expected: { [cost]: null, [note]: null } },
    { name: 'has its cost again', before: { [cost]: lowest, [note]: '7' }, expected: { [cost]: '7', [note]: null } },
    { name: 'keeps what a user said meanwhile', before: { [cost]: '3', [note]: '7' }, expected: { [note]: null } },
    { name: 'keeps what was never changed', before: { [cost]: '7' }, expected: {} },
  ])('$name', ({ before, expected }) => {
    expect(leaveAsBefore(podOf('ReplicaSet', true, before))).toEqual(expected)
  })
})
