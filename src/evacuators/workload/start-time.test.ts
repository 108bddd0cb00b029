import { describe, expect, test } from 'vitest'
import { buildAppPod, nowMs, type PodChoices } from '../../../test/build/deployment-view.ts'
import { expectedFinish, typicalStartMs } from './start-time.ts'

/** A pod that was created an hour ago and took so many seconds. */
const took = (seconds: number, more: PodChoices = {}) =>
  buildAppPod(`took-${seconds}`, { createdAgo: 3_600, readyFor: 3_600 - seconds, ...more })
const restarted = { containerStatuses: [{ name: 'main', ready: true, restartCount: 1 }] }

describe('how long a start takes', () => {
  test.each([
    { name: 'nothing was seen', pods: [], expected: undefined },
    { name: 'no pod is ready', pods: [buildAppPod('a', { readyFor: false })], expected: undefined },
    { name: 'one pod', pods: [took(30)], expected: 30 },
    { name: 'the median of several', pods: [took(300), took(20), took(30)], expected: 30 },
    { name: 'ready again after a restart', pods: [took(300, { status: restarted })], expected: undefined },
    { name: 'ready again long after its start', pods: [took(601), took(40)], expected: 40 },
    { name: 'terminating', pods: [took(30, { terminating: true })], expected: undefined },
  ])('$name', ({ pods, expected }) => {
    expect(typicalStartMs(pods)).toBe(expected === undefined ? undefined : expected * 1_000)
  })

  test('a pod has to be ready for a while, and within the deadline of its workload', () => {
    expect(typicalStartMs([took(30)], { minReadySeconds: 10 })).toBe(40_000)
    expect(typicalStartMs([took(30)], { progressDeadlineSeconds: 20 })).toBeUndefined()
  })
})

test.each([
  { name: 'a time to come', inMs: 1, expected: { expectedFinishMs: nowMs + 1 } },
  { name: 'a time that is over', inMs: 0, expected: {} },
  { name: 'no time', inMs: undefined, expected: {} },
])('a report has $name', ({ inMs, expected }) => {
  expect(expectedFinish(inMs === undefined ? undefined : nowMs + inMs, nowMs)).toEqual(expected)
})
