import { expect, test } from 'vitest'
import type { Pod } from '../../api/kubernetes/core.ts'
import { storedMeta } from '../../../test/build/stored.ts'
import { decideDeletions } from './decide.ts'

const nowMs = Date.parse('2026-01-01T01:00:00Z')
const before = (seconds: number) => new Date(nowMs - seconds * 1_000).toISOString()

type State = 'ready' | 'justReady' | 'starting' | 'leaving' | 'crashing'

const crash = { name: 'main', ready: false, restartCount: 1, state: { waiting: { reason: 'CrashLoopBackOff' } } }

function podAt(at: number, state: State): Pod {
  return {
    metadata: storedMeta({
      namespace: 'shop',
      name: `web-${at}`,
      uid: `${at}`,
      ...(state === 'leaving' ? { deletionTimestamp: before(0) } : {}),
    }),
    status: {
      ...(state === 'crashing' ? { containerStatuses: [crash] } : {}),
      conditions: [
        {
          type: 'Ready',
          status: state === 'starting' || state === 'crashing' ? 'False' : 'True',
          lastTransitionTime: before(state === 'justReady' ? 4 : 60),
        },
      ],
    },
  }
}

const six: readonly State[] = ['ready', 'ready', 'ready', 'ready', 'ready', 'ready']
const fiveAnd = (...states: readonly State[]): readonly State[] => [...six.slice(1), ...states]
const all = [0, 1, 2, 3, 4, 5]
/** As on nodes that do not report any more. */
const allDown = six.map((): State => 'starting')

test.each<{
  name: string
  states: readonly State[]
  wanted: readonly number[]
  max?: number
  minReadySeconds?: number
  expected: readonly number[]
  inMs?: number
}>([
  { name: 'deletes the first', states: six, wanted: all, expected: [0] },
  { name: 'deletes the one that was asked for first', states: six, wanted: [4, 0], expected: [4] },
  { name: 'deletes two if two may be missing', states: six, wanted: all, max: 2, expected: [0, 1] },
  { name: 'deletes none that nobody wants gone', states: six, wanted: [], expected: [] },
  { name: 'waits while the last is on its way out', states: fiveAnd('leaving'), wanted: [0, 5], expected: [] },
  { name: 'waits until a replacement is made', states: six.slice(1), wanted: [0], expected: [] },
  { name: 'waits until the replacement is ready', states: fiveAnd('starting'), wanted: [0], expected: [] },
  { name: 'goes on when it is', states: fiveAnd('leaving', 'ready'), wanted: [0, 5], expected: [0] },
  {
    name: 'waits until it has been so for long enough',
    states: fiveAnd('justReady'),
    wanted: [0],
    minReadySeconds: 10,
    expected: [],
    inMs: 6_000,
  },
  {
    name: 'deletes one that is not ready if no other is missing',
    states: fiveAnd('starting'),
    wanted: [0, 5],
    expected: [5],
  },
  {
    name: 'leaves one that is not ready if others are missing',
    states: fiveAnd('starting').slice(1),
    wanted: [4],
    expected: [],
  },
  {
    name: 'deletes one that cannot start, whoever else is missing',
    states: fiveAnd('crashing').slice(1),
    wanted: [0, 4],
    expected: [4],
  },
  {
    name: 'deletes one that cannot start, and then none that serves',
    states: fiveAnd('crashing'),
    wanted: [0, 5],
    expected: [5],
  },
  { name: 'deletes the first of those that are down together', states: allDown, wanted: all, expected: [0] },
  { name: 'as many of them as may be in progress', states: allDown, wanted: all, max: 3, expected: [0, 1, 2] },
  {
    name: 'no other of them before the replacement is made',
    states: ['leaving', ...allDown.slice(1)],
    wanted: all,
    expected: [],
  },
  {
    name: 'nor before it is ready',
    states: ['leaving', ...allDown.slice(1), 'starting'],
    wanted: all,
    expected: [],
  },
  {
    name: 'and the next of them when it is',
    states: ['leaving', ...allDown.slice(1), 'ready'],
    wanted: all,
    expected: [1],
  },
  {
    name: 'first those that are down, then those that serve',
    states: ['ready', 'ready', 'ready', 'starting', 'starting', 'starting'],
    wanted: all,
    max: 4,
    expected: [3, 4, 5, 0],
  },
  {
    name: 'none while one is missing that nobody wants gone',
    states: ['starting', 'starting', 'starting', 'ready', 'ready', 'starting'],
    wanted: [0, 1, 2],
    expected: [],
  },
  { name: 'counts no surplus as room', states: [...six, 'ready', 'ready'], wanted: all, expected: [0] },
])('$name', ({ states, wanted, max = 1, minReadySeconds = 0, expected, inMs }) => {
  const pods = states.map((state, at) => podAt(at, state))
  const view = {
    replicas: 6,
    minReadySeconds,
    unavailableMax: max,
    pods,
    wanted: wanted.flatMap((at) => pods[at] ?? []),
  }
  const { deleted, againAtMs } = decideDeletions(view, nowMs)
  expect(deleted.map(({ metadata }) => Number(metadata.uid))).toEqual(expected)
  expect(againAtMs).toBe(inMs === undefined ? undefined : nowMs + inMs)
})
