import { describe, expect, test } from 'vitest'
import { lifeboatCycle, UpstreamCycles } from './cycle-lines.ts'

describe('a line of Lifeboat', () => {
  test.each([
    {
      name: 'is about a cycle',
      line: { msg: 'cycle', asked: 3, alreadyLeaving: 2, elapsedMs: 41 },
      expected: { named: 3, leaving: 2, elapsedMs: 41 },
    },
    { name: 'is about something else', line: { msg: 'the policy changed' }, expected: undefined },
  ])('$name', ({ line, expected }) => expect(lifeboatCycle(JSON.stringify(line))).toEqual(expected))

  test('is no JSON', () => expect(lifeboatCycle('ready on Kubernetes v1.37.1')).toBeUndefined())
})

describe('lines of upstream', () => {
  const begins = (ts: number) => ({ msg: 'Processing namespaces for topology spread constraints', ts })
  const pluginsEnd = (ts: number) => ({ msg: 'Total number of evictions/requests', ts })
  const ends = (totalEvicted: number) => ({ msg: 'Number of evictions/requests', ts: 9_999, totalEvicted })

  test.each([
    {
      name: 'a cycle takes from its first plugin to its last',
      lines: [begins(1_000), pluginsEnd(1_500), ends(7)],
      expected: [{ named: 7, leaving: 0, elapsedMs: 500 }],
    },
    {
      name: 'two profiles: the last end counts, and the first begin',
      lines: [begins(1_000), pluginsEnd(1_200), begins(1_300), pluginsEnd(1_600), ends(7)],
      expected: [{ named: 7, leaving: 0, elapsedMs: 600 }],
    },
    {
      name: 'each cycle is measured for itself',
      lines: [begins(1_000), pluginsEnd(1_500), ends(7), begins(3_000), pluginsEnd(3_100), ends(0)],
      expected: [
        { named: 7, leaving: 0, elapsedMs: 500 },
        { named: 0, leaving: 0, elapsedMs: 100 },
      ],
    },
    {
      name: 'a cycle that was skipped has no time',
      lines: [ends(0)],
      expected: [{ named: 0, leaving: 0, elapsedMs: undefined }],
    },
  ])('$name', ({ lines, expected }) => {
    const cycles = new UpstreamCycles()
    const found = lines.map((line) => cycles.read(JSON.stringify(line))).filter((cycle) => cycle !== undefined)
    expect(found).toEqual(expected)
  })
})
