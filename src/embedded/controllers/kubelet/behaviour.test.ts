import { expect, test } from 'vitest'
import { storedMeta } from '../../../../test/build/stored.ts'
import { areSameBehaviours, behaviourOf, parseDurationMs } from './behaviour.ts'

test.each([
  { text: '500ms', expected: 500 },
  { text: '5s', expected: 5_000 },
  { text: '1.5m', expected: 90_000 },
  { text: '5', expected: undefined },
  { text: '1h', expected: undefined },
  { text: '..s', expected: undefined },
  { text: undefined, expected: undefined },
])('$text is $expected ms', ({ text, expected }) => {
  expect(parseDurationMs(text)).toBe(expected)
})

test('a pod without annotations simply works', () => {
  expect(behaviourOf({ metadata: storedMeta() })).toEqual({
    readyAfterMs: undefined,
    completeAfterMs: 1_000,
    terminateAfterMs: undefined,
    neverReady: false,
    crashes: false,
    fails: false,
    imagePullFails: false,
  })
})

test('each annotation changes one thing', () => {
  const annotations = {
    'lifeboat.test/ready-after': '2s',
    'lifeboat.test/complete-after': '3s',
    'lifeboat.test/terminate-after': '4s',
    'lifeboat.test/never-ready': 'true',
    'lifeboat.test/crash': 'true',
    'lifeboat.test/fails': 'true',
    'lifeboat.test/image-pull': 'fails',
  }
  expect(behaviourOf({ metadata: storedMeta({ annotations }) })).toEqual({
    readyAfterMs: 2_000,
    completeAfterMs: 3_000,
    terminateAfterMs: 4_000,
    neverReady: true,
    crashes: true,
    fails: true,
    imagePullFails: true,
  })
})

test.each([
  { name: 'another annotation', annotations: { 'lifeboat.test/ready-after': '5s', note: 'new' }, same: true },
  { name: 'another time', annotations: { 'lifeboat.test/ready-after': '6s' }, same: false },
  { name: 'no annotation', annotations: {}, same: false },
])('a pod with $name behaves the same: $same', ({ annotations, same }) => {
  const before = { metadata: storedMeta({ annotations: { 'lifeboat.test/ready-after': '5s' } }) }
  expect(areSameBehaviours({ metadata: storedMeta({ annotations }) }, before)).toBe(same)
})
