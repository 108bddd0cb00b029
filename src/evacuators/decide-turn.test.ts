import { describe, expect, test } from 'vitest'
import { newEvacuationStatus, type Evacuation } from '../api/evacuation/evacuation.ts'
import type { Pod } from '../api/kubernetes/core.ts'
import { stored } from '../../test/build/stored.ts'
import { concerns, decideTurn, isActive, turnKey } from './decide-turn.ts'

const ours = 'ours.example.com'
const hold = `evacuation.coordination.k8s.io/instigator_${ours}`

interface Scene {
  active?: string
  completed?: boolean
  held?: boolean
  cancelled?: boolean
}

function evacuationIn({ active, completed = false, held = false, cancelled = false }: Scene): Evacuation {
  return {
    metadata: {
      namespace: 'shop',
      name: 'u-web',
      uid: 'e',
      resourceVersion: '1',
      finalizers: ['evacuation.coordination.k8s.io/instigator_x.example.com', ...(held ? [hold] : [])],
      ...(cancelled ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}),
    },
    spec: { podRef: { name: 'web', uid: 'u' }, progressDeadlineSeconds: 1_800 },
    status: {
      ...newEvacuationStatus,
      activeEvacuatorCompleted: completed,
      ...(active === undefined ? {} : { activeEvacuatorClass: active }),
    },
  }
}

const pod = stored<Pod>({ metadata: { namespace: 'shop', name: 'web', uid: 'u' } })
const terminating: Pod = { metadata: { ...pod.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } }

interface Row extends Scene {
  name: string
  pod?: Pod | 'gone'
  putsBack?: boolean
  acts?: boolean
  expected: string
}

describe('an evacuator', () => {
  test.each<Row>([
    { name: 'rests while nobody is active', expected: 'idle' },
    { name: 'rests while another is active', active: 'other', expected: 'idle' },
    { name: 'steps in its turn', active: ours, expected: 'step' },
    { name: 'rests when it has completed', active: ours, completed: true, expected: 'idle' },
    { name: 'rests when the pod terminates', active: ours, pod: terminating, expected: 'idle' },
    {
      name: 'steps also then if it acts on deleted pods',
      active: ours,
      pod: terminating,
      acts: true,
      expected: 'step',
    },
    { name: 'rests when the pod is gone', active: ours, pod: 'gone', expected: 'idle' },
    { name: 'stops when it is cancelled', active: ours, cancelled: true, expected: 'idle' },
    { name: 'takes its hold before the first step', active: ours, putsBack: true, expected: 'hold' },
    { name: 'steps once it holds', active: ours, putsBack: true, held: true, expected: 'step' },
    {
      name: 'takes no hold for a pod that terminates',
      active: ours,
      putsBack: true,
      pod: terminating,
      expected: 'idle',
    },
    {
      name: 'keeps its hold when it has completed',
      active: ours,
      completed: true,
      putsBack: true,
      held: true,
      expected: 'idle',
    },
    { name: 'keeps its hold when the turn passes on', active: 'other', putsBack: true, held: true, expected: 'idle' },
    {
      name: 'puts back when it is cancelled',
      active: ours,
      putsBack: true,
      held: true,
      cancelled: true,
      expected: 'cancel',
    },
    {
      name: 'puts back also what it did before the turn passed on',
      active: 'other',
      putsBack: true,
      held: true,
      cancelled: true,
      expected: 'cancel',
    },
    {
      name: 'puts back also on a pod that terminates',
      active: ours,
      putsBack: true,
      held: true,
      cancelled: true,
      pod: terminating,
      expected: 'cancel',
    },
    { name: 'has nothing to put back without a hold', active: ours, putsBack: true, cancelled: true, expected: 'idle' },
    {
      name: 'leaves its hold to the controller when the pod is gone',
      active: ours,
      putsBack: true,
      held: true,
      pod: 'gone',
      expected: 'idle',
    },
    {
      name: 'lets go when it is cancelled and the pod is gone',
      active: ours,
      putsBack: true,
      held: true,
      cancelled: true,
      pod: 'gone',
      expected: 'release',
    },
    { name: 'lets go when it cannot put back', active: ours, held: true, cancelled: true, expected: 'release' },
  ])('$name', ({ pod: which = pod, putsBack = false, acts = false, expected, ...scene }) => {
    const decision = decideTurn({
      evacuatorClass: ours,
      putsBack,
      actsOnDeletedPods: acts,
      evacuation: evacuationIn(scene),
      pod: which === 'gone' ? undefined : which,
    })
    expect(decision.kind).toBe(expected)
  })

  test.each<Scene & { name: string; expected: boolean }>([
    { name: 'looks at its turn', active: ours, expected: true },
    { name: 'looks at its hold', active: 'other', held: true, expected: true },
    { name: 'overlooks the turn of another', active: 'other', expected: false },
    { name: 'overlooks what it has completed', active: ours, completed: true, expected: false },
  ])('$name', ({ expected, ...scene }) => expect(concerns(evacuationIn(scene), ours)).toBe(expected))

  test('is active in its turn alone', () => {
    expect(isActive(evacuationIn({ active: ours }), ours)).toBe(true)
    expect(isActive(evacuationIn({ active: ours, completed: true }), ours)).toBe(false)
  })

  test('need not look at a change of the message, but at one of the turn, the hold, the deletion and the UID', () => {
    const before = evacuationIn({ active: ours })
    const key = (evacuation: Evacuation) => turnKey(evacuation, ours)
    expect(key({ ...before, status: { ...newEvacuationStatus, activeEvacuatorClass: ours, message: 'x' } })).toBe(
      key(before),
    )
    const others = [{ active: 'other' }, { active: ours, held: true }, { active: ours, cancelled: true }].map(
      evacuationIn,
    )
    for (const other of others) expect(key(other)).not.toBe(key(before))
    expect(key({ ...before, metadata: { ...before.metadata, uid: 'f' } })).not.toBe(key(before))
  })
})
