import { expect, test } from 'vitest'
import type { Evacuation } from '../api/evacuation/evacuation.ts'
import * as tell from './events.ts'

const evacuation: Evacuation = {
  metadata: {
    name: 'u-web-0',
    namespace: 'shop',
    uid: 'e',
    resourceVersion: '7',
    finalizers: [
      'evacuation.coordination.k8s.io/instigator_nodemaintenance.k8s.io',
      'evacuation.coordination.k8s.io/instigator_deployment.apps.k8s.io',
    ],
  },
  spec: {
    podRef: { name: 'web-0', uid: 'u' },
    progressDeadlineSeconds: 600,
    evacuators: [{ evacuatorClass: 'deployment.apps.k8s.io', priority: 10_000, role: 'controller' }],
  },
}
const hand = { from: 'a.example.com', evacuatorClass: 'b.example.com' }
const blocker = { kind: 'throttled', pod: { namespace: 'shop', name: 'web-0', uid: 'u' } } as const

const takeover = {
  kind: 'controllerTakeover',
  pod: { namespace: 'shop', name: 'web-0', uid: 'u' },
  waitedMs: 0,
} as const

test.each([
  { given: { timeoutMs: 60_000 }, note: 'Asked its controller to take pod web-0 away within 60 s' },
  {
    given: { timeoutMs: 90_000, owner: 'ReplicaSet web', node: 'node-1' },
    note: 'Asked ReplicaSet web to take pod web-0 away within 90 s, because node node-1 is not ready',
  },
])('says who was asked, for how long and why: $note', ({ given, note }) => {
  expect(tell.controllerWasAsked(evacuation, { ...takeover, ...given }).note).toBe(note)
})

test.each([
  {
    event: tell.evacuatorSwitched(evacuation, { ...hand, why: 'completed' }),
    type: 'Normal',
    reason: 'EvacuatorSwitched',
  },
  {
    event: tell.evacuatorSwitched(evacuation, { ...hand, why: 'silent' }),
    type: 'Warning',
    reason: 'EvacuatorSwitched',
  },
  { event: tell.evictionRefused(evacuation, blocker), type: 'Warning', reason: 'Throttled' },
  {
    event: tell.controllerWasAsked(evacuation, { ...takeover, timeoutMs: 60_000 }),
    type: 'Normal',
    reason: 'ControllerAsked',
  },
  { event: tell.evacuationCancelled(evacuation), type: 'Normal', reason: 'EvacuationCancelled' },
])('$reason is about the Evacuation, which the KEP asks for', ({ event, type, reason }) => {
  expect(event).toMatchObject({ type, reason, about: { kind: 'Evacuation', metadata: { name: 'u-web-0', uid: 'e' } } })
})
