import { expect, test } from 'vitest'
import type { Node, PodCondition } from '../../api/kubernetes/core.ts'
import { stored } from '../../../test/build/stored.ts'
import { conditionPatch, shutdownSince } from './node-condition.ts'

const type = 'GracefulNodeShutdownInProgress'
const ready: PodCondition = { type: 'Ready', status: 'True', reason: 'KubeletReady' }
const ours: PodCondition = {
  type,
  status: 'True',
  reason: 'LifeboatShutdown',
  lastTransitionTime: '2026-01-01T00:00:00Z',
}
const oursOver: PodCondition = { ...ours, status: 'False', reason: 'LifeboatShutdownOver' }
const ofKubelet: PodCondition = { ...ours, reason: 'KubeletShuttingDown' }
const nowMs = Date.parse('2026-01-01T00:00:07Z')
const nodeWith = (...conditions: PodCondition[]) =>
  stored<Node>({ metadata: { name: 'six', uid: 'n' }, status: { conditions } })

test.each([
  { name: 'first said', before: [ready], isInProgress: true, expected: 'True' },
  { name: 'said again after an earlier one', before: [ready, oursOver], isInProgress: true, expected: 'True' },
  { name: 'said already', before: [ours], isInProgress: true, expected: undefined },
  { name: 'ended', before: [ready, ours], isInProgress: false, expected: 'False' },
  { name: 'ended already', before: [oursOver], isInProgress: false, expected: undefined },
  { name: 'never said, so not ended', before: [ready], isInProgress: false, expected: undefined },
  { name: "the kubelet's own is not ended", before: [ofKubelet], isInProgress: false, expected: undefined },
  {
    name: "the kubelet's own is not said again",
    before: [{ ...ofKubelet, status: 'False' as const }],
    isInProgress: true,
    expected: undefined,
  },
])('$name', ({ before, isInProgress, expected }) => {
  const patch = conditionPatch(nodeWith(...before), isInProgress, nowMs)
  expect(patch?.status.conditions).toEqual(
    expected === undefined
      ? undefined
      : [
          expect.objectContaining({
            type,
            status: expected,
            lastTransitionTime: '2026-01-01T00:00:07Z',
            lastHeartbeatTime: '2026-01-01T00:00:07Z',
          }),
        ],
  )
  expect(patch?.metadata.uid).toBe(expected === undefined ? undefined : 'n')
})

test('a node that says nothing at all says it', () => {
  expect(conditionPatch(stored<Node>({ metadata: { name: 'six' } }), true, nowMs)).toBeDefined()
})

test.each([
  { name: 'ours', before: [ready, ours], expected: '2026-01-01T00:00:00Z' },
  { name: "the kubelet's", before: [ofKubelet], expected: '2026-01-01T00:00:00Z' },
  { name: 'over', before: [oursOver], expected: undefined },
  { name: 'none', before: [ready], expected: undefined },
])('since when: $name', ({ before, expected }) => {
  expect(shutdownSince(nodeWith(...before))).toBe(expected)
})
