import { expect, test } from 'vitest'
import { podView } from '../../../test/build/descheduler-view.ts'
import { containersOf, hasExitCode, hasReason, secondsSince } from './pod-states.ts'

const pod = podView({
  name: 'p',
  containers: [{ restartCount: 1 }],
  initContainers: [{ restartCount: 2 }],
  ephemeralContainers: [{ restartCount: 3 }],
})

test.each([
  { choice: {}, expected: [1] },
  { choice: { includingInitContainers: true }, expected: [1, 2] },
  { choice: { includingEphemeralContainers: true }, expected: [1, 3] },
  { choice: { includingInitContainers: true, includingEphemeralContainers: true }, expected: [1, 2, 3] },
  { choice: { includingInitContainers: false }, expected: [1] },
])('$choice gives the containers $expected', ({ choice, expected }) => {
  expect(containersOf(pod, choice).map(({ restartCount }) => restartCount)).toEqual(expected)
})

test.each([
  { name: 'waits for the reason', container: { waitingReason: 'Error' }, expected: true },
  { name: 'has ended for the reason', container: { terminatedReason: 'Error' }, expected: true },
  { name: 'waits for another reason', container: { waitingReason: 'Completed' }, expected: false },
  { name: 'is running', container: {}, expected: false },
])('a container $name: $expected', ({ container, expected }) => {
  expect(hasReason(podView({ name: 'p', containers: [{}, container] }).containers, new Set(['Error']))).toBe(expected)
})

test.each([
  { name: 'with the code', container: { exitCode: 137 }, expected: true },
  { name: 'with another code', container: { exitCode: 0 }, expected: false },
  { name: 'not at all', container: {}, expected: false },
])('a container has ended $name: $expected', ({ container, expected }) => {
  expect(hasExitCode(podView({ name: 'p', containers: [container] }).containers, new Set([137]))).toBe(expected)
})

test.each([
  { timeMs: 0, nowMs: 0, expected: 0 },
  { timeMs: 1, nowMs: 2_000, expected: 1 },
  { timeMs: 0, nowMs: 2_000, expected: 2 },
  { timeMs: 1, nowMs: 0, expected: -1 },
])('from $timeMs to $nowMs ms it is $expected whole seconds', ({ timeMs, nowMs, expected }) => {
  expect(secondsSince(timeMs, nowMs)).toBe(expected)
})
