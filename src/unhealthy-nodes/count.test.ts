import { describe, expect, test } from 'vitest'
import type { UnhealthySince } from '../api/maintenance/unhealthy-node.ts'
import { stored } from '../../test/build/stored.ts'
import type { Node } from '../api/kubernetes/core.ts'
import { countOf, isSameCount, notedCount, renderCount, type Count } from './count.ts'

const at = (second: number) => new Date(Date.UTC(2026, 0, 1) + second * 1_000).toISOString()
const notReady = (second: number): UnhealthySince => ({ taint: 'node.kubernetes.io/not-ready', since: at(second) })
const unreachable = (second: number): UnhealthySince => ({ taint: 'node.kubernetes.io/unreachable', since: at(second) })

interface Row {
  readonly name: string
  readonly present: readonly UnhealthySince[]
  readonly noted?: Count
  readonly expected: Count | undefined
}

describe('from when Kubernetes counts', () => {
  test.each<Row>([
    { name: 'not at all without a taint', present: [], expected: undefined },
    { name: 'not at all without a taint, whatever was noted', present: [], noted: notReady(0), expected: undefined },
    { name: 'from the taint', present: [unreachable(5)], expected: unreachable(5) },
    { name: 'from the first of two', present: [notReady(0), unreachable(5)], expected: notReady(0) },
    { name: 'as noted, while nothing changes', present: [notReady(0)], noted: notReady(0), expected: notReady(0) },
    {
      name: 'as noted, while one takes the place of the other',
      present: [notReady(0), unreachable(5)],
      noted: notReady(0),
      expected: notReady(0),
    },
    {
      name: 'from the first that another took the place of',
      present: [unreachable(5)],
      noted: notReady(0),
      expected: { ...notReady(0), swapped: unreachable(5) },
    },
    {
      name: 'from the first, also later',
      present: [unreachable(5)],
      noted: { ...notReady(0), swapped: unreachable(5) },
      expected: { ...notReady(0), swapped: unreachable(5) },
    },
    {
      name: 'from the first, also when the first comes back in its place',
      present: [notReady(9)],
      noted: { ...notReady(0), swapped: unreachable(5) },
      expected: { ...notReady(0), swapped: notReady(9) },
    },
    { name: 'anew if the taint was off', present: [notReady(9)], noted: notReady(0), expected: notReady(9) },
    {
      name: 'anew if the second was off',
      present: [unreachable(9)],
      noted: { ...notReady(0), swapped: unreachable(5) },
      expected: unreachable(9),
    },
  ])('$name', ({ present, noted, expected }) => {
    expect(countOf(present, noted)).toEqual(expected)
  })
})

describe('what is noted on a node', () => {
  const noted = (text: string) =>
    notedCount(stored<Node>({ metadata: { annotations: { 'evacuation.coordination.k8s.io/unhealthy': text } } }))

  test.each<Count>([notReady(0), { ...notReady(0), swapped: unreachable(5) }])('reads back as it was', (count) => {
    expect(noted(renderCount(count) ?? '')).toEqual(count)
    expect(isSameCount(count, noted(renderCount(count) ?? ''))).toBe(true)
    expect(isSameCount(count, undefined)).toBe(false)
  })

  test.each([
    '',
    'soon',
    'null',
    '[]',
    '{}',
    '{"taint":"other","since":"2026-01-01T00:00:00Z"}',
    '{"taint":"node.kubernetes.io/not-ready","since":"soon"}',
    '{"taint":"node.kubernetes.io/not-ready","since":"2026-01-01T00:00:00Z","swapped":{"taint":"x"}}',
  ])('counts for nothing where it means nothing: %s', (text) => {
    expect(noted(text)).toBeUndefined()
  })
})
