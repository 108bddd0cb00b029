import { describe, expect, test } from 'vitest'
import { storedMeta } from '../../../../test/build/stored.ts'
import { countsInZone, decideDisruption, zoneOf, zoneStateOf, type ZoneState } from './zones.ts'

const labelled = (labels: Record<string, string>) => ({ metadata: storedMeta({ name: 'one', labels }) })

test('a zone is known by its region and its name', () => {
  const of = (zone: string, region: string) =>
    zoneOf(labelled({ 'topology.kubernetes.io/zone': zone, 'topology.kubernetes.io/region': region }))
  expect(of('a', 'west')).not.toBe(of('a', 'east'))
  expect(of('a', 'west')).not.toBe(of('b', 'west'))
  expect(zoneOf({ metadata: storedMeta({ name: 'one' }) })).toBe(zoneOf(labelled({})))
})

test('a label keeps a node out of what is said of its zone', () => {
  expect(countsInZone(labelled({ 'node.kubernetes.io/exclude-disruption': '' }))).toBe(false)
  expect(countsInZone(labelled({}))).toBe(true)
})

test.each([
  { ready: 3, notReady: 0, expected: 'normal' },
  { ready: 0, notReady: 1, expected: 'fullDisruption' },
  { ready: 1, notReady: 2, expected: 'normal' },
  { ready: 2, notReady: 3, expected: 'partialDisruption' },
  { ready: 5, notReady: 6, expected: 'normal' },
  { ready: 45, notReady: 55, expected: 'partialDisruption' },
])('$ready ready and $notReady not: $expected', ({ expected, ...tally }) => {
  expect(zoneStateOf(tally)).toBe(expected)
})

describe('what follows', () => {
  const well = { ready: 3, notReady: 1 }
  const partly = { ready: 2, notReady: 3 }
  const largePartly = { ready: 20, notReady: 40 }
  const lost = { ready: 0, notReady: 3 }
  const before = (states: Record<string, ZoneState>) => new Map(Object.entries(states))
  const nothing = { rates: {}, stopsAll: false, resumes: false }

  test.each([
    { name: 'no nodes', was: {}, now: {}, expected: nothing },
    { name: 'a new zone', was: {}, now: { a: well }, expected: { ...nothing, rates: { a: 0.1 } } },
    { name: 'nothing new', was: { a: 'normal' as const }, now: { a: well }, expected: nothing },
    {
      name: 'a small zone in trouble',
      was: { a: 'normal' as const },
      now: { a: partly },
      expected: { ...nothing, rates: { a: 0 } },
    },
    {
      name: 'a large zone in trouble',
      was: { a: 'normal' as const },
      now: { a: largePartly },
      expected: { ...nothing, rates: { a: 0.01 } },
    },
    {
      name: 'a zone that is well again',
      was: { a: 'partialDisruption' as const },
      now: { a: well },
      expected: { ...nothing, rates: { a: 0.1 } },
    },
    {
      name: 'one of two zones lost',
      was: { a: 'normal' as const, b: 'normal' as const },
      now: { a: well, b: lost },
      expected: { ...nothing, rates: { b: 0.1 } },
    },
    {
      name: 'all zones lost',
      was: { a: 'normal' as const, b: 'fullDisruption' as const },
      now: { a: lost, b: lost },
      expected: { rates: { a: 0, b: 0 }, stopsAll: true, resumes: false },
    },
    { name: 'all zones still lost', was: { a: 'fullDisruption' as const }, now: { a: lost }, expected: nothing },
    {
      name: 'the first zone back',
      was: { a: 'fullDisruption' as const, b: 'fullDisruption' as const },
      now: { a: well, b: lost },
      expected: { rates: { a: 0.1, b: 0.1 }, stopsAll: false, resumes: true },
    },
    {
      name: 'a new zone that is lost from the start',
      was: { a: 'fullDisruption' as const },
      now: { a: lost, b: lost },
      expected: { rates: { a: 0, b: 0 }, stopsAll: true, resumes: false },
    },
    {
      name: 'a zone that is gone',
      was: { a: 'normal' as const, b: 'normal' as const },
      now: { a: well },
      expected: nothing,
    },
  ])('$name', ({ was, now, expected }) => {
    const tallies = new Map(Object.entries(now))
    const { states, rates, ...rest } = decideDisruption(before(was), tallies)
    expect({ rates: Object.fromEntries(rates), ...rest }).toEqual(expected)
    expect([...states.keys()]).toEqual([...tallies.keys()])
  })
})
