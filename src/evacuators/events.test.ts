import { expect, test } from 'vitest'
import type { Evacuation } from '../api/evacuation/evacuation.ts'
import { failed, started, turnLost } from './events.ts'

const evacuation: Evacuation = {
  metadata: { namespace: 'shop', name: 'u-web', uid: 'e', resourceVersion: '7' },
  spec: { podRef: { name: 'web', uid: 'u' }, progressDeadlineSeconds: 1_800 },
}
const about = {
  apiVersion: 'evacuation.coordination.k8s.io/v1alpha1',
  kind: 'Evacuation',
  metadata: { namespace: 'shop', name: 'u-web', uid: 'e' },
}

test('events are about the Evacuation and name the evacuator', () => {
  expect(started(evacuation, 'a.example.com')).toEqual({
    about,
    type: 'Normal',
    reason: 'EvacuatorStarted',
    note: 'Evacuator a.example.com begins with pod web',
  })
  expect(failed(evacuation, 'a.example.com', 'no answer')).toMatchObject({
    about,
    type: 'Warning',
    note: 'Evacuator a.example.com: no answer',
  })
})

test.each([
  { name: 'losing the turn to another is told', why: 'handedOver', note: /passed to another/ },
  { name: 'being marked as completed by somebody is told', why: 'completed', note: /marked as completed/ },
  { name: 'the end of the Evacuation is no loss', why: 'gone', note: undefined },
  { name: 'a cancellation is no loss', why: 'cancelled', note: undefined },
] as const)('$name', ({ why, note }) => {
  const event = turnLost(evacuation, 'a.example.com', why)
  if (note === undefined) expect(event).toBeUndefined()
  else expect(event).toMatchObject({ type: 'Warning', reason: 'EvacuatorTurnLost', note: expect.stringMatching(note) })
})
