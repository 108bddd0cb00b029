import { describe, expect, test } from 'vitest'
import { storedMeta } from '../../../../test/build/stored.ts'
import type { Pod } from '../objects.ts'
import { timeOf } from '../pod-status.ts'
import { chooseVictims } from './rank-victims.ts'

const nowMs = timeOf('2026-01-02T00:00:00Z')
const cost = (value: string) => ({ annotations: { 'controller.kubernetes.io/pod-deletion-cost': value } })

interface Options {
  readonly metadata?: object
  readonly node?: string
  readonly phase?: string
  readonly readySince?: string | undefined
  readonly restarts?: number
}

function podNamed(name: string, options: Options = {}): Pod {
  const readySince = 'readySince' in options ? options.readySince : '2026-01-01T12:00:00Z'
  const condition = {
    type: 'Ready',
    status: readySince === undefined ? 'False' : 'True',
    lastTransitionTime: readySince ?? '',
  }
  return {
    metadata: storedMeta({
      name,
      uid: name,
      creationTimestamp: '2026-01-01T10:00:00Z',
      ...options.metadata,
    }),
    spec: { nodeName: options.node ?? name },
    status: {
      phase: options.phase ?? 'Running',
      conditions: [condition],
      containerStatuses: [{ name: 'main', restartCount: options.restarts ?? 0 }],
    },
  }
}

/** Each row: the first goes before the second, whatever comes after in the order. */
const rows: readonly { readonly name: string; readonly first: Options; readonly second: Options }[] = [
  {
    name: 'unassigned',
    first: { node: '', metadata: cost('9') },
    second: { phase: 'Pending', readySince: undefined },
  },
  {
    name: 'pending',
    first: { phase: 'Pending', metadata: cost('9') },
    second: { phase: 'Unknown', metadata: cost('-9') },
  },
  { name: 'unknown', first: { phase: 'Unknown', metadata: cost('9') }, second: { metadata: cost('-9') } },
  { name: 'not ready', first: { readySince: undefined, metadata: cost('9') }, second: { metadata: cost('-9') } },
  { name: 'cheaper', first: { metadata: cost('-1'), node: 'x' }, second: { metadata: cost('5'), node: 'crowded' } },
  {
    name: 'cheaper than one whose cost does not fit into 32 bits, which counts as none',
    first: { metadata: cost('-2147483648') },
    second: { metadata: cost('-2147483649') },
  },
  { name: 'on a crowded node', first: { node: 'crowded' }, second: { node: 'x', readySince: '2026-01-01T23:00:00Z' } },
  { name: 'ready since later', first: { readySince: '2026-01-01T23:59:00Z' }, second: { restarts: 5 } },
  {
    name: 'restarted more often',
    first: { restarts: 5 },
    second: { metadata: { creationTimestamp: '2026-01-01T23:59:00Z' } },
  },
  { name: 'newer', first: { metadata: { creationTimestamp: '2026-01-01T23:59:00Z' } }, second: {} },
]

describe('the first to go is the one that is', () => {
  test.each(rows)('$name', ({ first, second }) => {
    // Named so that the order of names would choose the other one.
    const [one, other] = [podNamed('z', first), podNamed('a', second)]
    const crowd = [podNamed('n1', { node: 'crowded' }), podNamed('n2', { node: 'crowded' })]
    const victims = chooseVictims([other, one], [one, other, ...crowd], 1, nowMs)
    expect(victims.map(({ metadata }) => metadata.name)).toEqual(['z'])
  })
})

test('ages that are alike leave it to the uid', () => {
  const pods = [
    podNamed('b', { readySince: '2026-01-01T12:00:01Z' }),
    podNamed('a', { readySince: '2026-01-01T12:00:00Z' }),
  ]
  expect(chooseVictims(pods, pods, 1, nowMs)[0]?.metadata.name).toBe('a')
})

test('a cost that is no number costs nothing', () => {
  const pods = [podNamed('a', { metadata: cost('1') }), podNamed('b', { metadata: cost('0x9') })]
  expect(chooseVictims(pods, pods, 1, nowMs)[0]?.metadata.name).toBe('b')
})
