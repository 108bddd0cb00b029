import { expect, test } from 'vitest'
import { newEvacuationStatus, type Evacuation, type EvacuationStatus } from '../api/evacuation/evacuation.ts'
import { storedMeta } from '../../test/build/stored.ts'
import { EvacuatorTurns, type EndedTurn } from './evacuator-turns.ts'

const createdMs = Date.parse('2026-01-01T12:00:00Z')
const spec = {
  podRef: { name: 'a', uid: 'u' },
  progressDeadlineSeconds: 600,
  evacuators: [
    { evacuatorClass: 'late.example.com', priority: 1 },
    { evacuatorClass: 'early.example.com', priority: 2 },
  ],
}

/** Seconds after the creation, and what the controller sees then. */
type Sight = readonly [seconds: number, status: Partial<EvacuationStatus> | 'gone' | 'forgotten' | 'evicted']

const early = { activeEvacuatorClass: 'early.example.com' }
const late = { activeEvacuatorClass: 'late.example.com' }
const completed = { activeEvacuatorCompleted: true }

function endedAfter(sights: readonly Sight[]): string[] {
  const said: EndedTurn[] = []
  const turns = new EvacuatorTurns({ evicted: () => {}, turnEnded: (ended) => void said.push(ended) })
  const metadata = { ...storedMeta({ namespace: 'shop', name: 'e' }), creationTimestamp: '2026-01-01T12:00:00Z' }
  const withStatus = (status: Partial<EvacuationStatus>): Evacuation => {
    return { metadata, spec, status: { ...newEvacuationStatus, ...status } }
  }
  let evacuation = withStatus({})
  for (const [seconds, status] of sights) {
    if (status === 'forgotten') {
      turns.forget('shop/e')
      continue
    }
    if (status === 'evicted') {
      turns.fellSilent(evacuation, createdMs + seconds * 1_000)
      continue
    }
    if (status !== 'gone') evacuation = withStatus(status)
    turns.see(evacuation, status === 'gone', createdMs + seconds * 1_000)
  }
  return said.map(({ evacuatorClass, outcome, elapsedMs }) => `${evacuatorClass} ${outcome} ${elapsedMs / 1_000}`)
}

test.each<{ name: string; sights: readonly Sight[]; expected: readonly string[] }>([
  {
    name: 'an evacuator takes from its selection until its pod is gone',
    sights: [
      [0, {}],
      [2, early],
      [30, early],
      [62, 'gone'],
      [63, 'gone'],
    ],
    expected: ['early.example.com gone 60'],
  },
  {
    name: 'two evacuators take their own time each',
    sights: [
      [0, {}],
      [1, early],
      [11, { ...early, ...completed }],
      [12, late],
      [42, 'gone'],
    ],
    expected: ['early.example.com completed 10', 'late.example.com gone 30'],
  },
  {
    name: 'an evacuator that completed is not counted again when the pod goes',
    sights: [
      [0, {}],
      [1, late],
      [5, { ...late, ...completed }],
      [900, 'gone'],
    ],
    expected: ['late.example.com completed 4'],
  },
  {
    name: 'an evacuator whose turn passes on before it completed was silent',
    sights: [
      [0, {}],
      [1, early],
      [601, late],
      [602, 'gone'],
    ],
    expected: ['early.example.com silent 600', 'late.example.com gone 1'],
  },
  {
    name: 'an evacuator whose pod is evicted before it completed was silent, whenever the pod goes',
    sights: [
      [0, {}],
      [1, late],
      [601, late],
      [601, 'evicted'],
      [650, late],
      [650, 'evicted'],
      [700, 'gone'],
    ],
    expected: ['late.example.com silent 600'],
  },
  {
    name: 'an evacuator that completed was not silent when its pod is evicted',
    sights: [
      [0, {}],
      [1, late],
      [5, { ...late, ...completed }],
      [6, 'evicted'],
    ],
    expected: ['late.example.com completed 4'],
  },
  {
    name: 'after a restart the first evacuator counts from the creation',
    sights: [
      [100, early],
      [160, 'gone'],
    ],
    expected: ['early.example.com gone 160'],
  },
  {
    name: 'after a restart a later evacuator is not counted',
    sights: [
      [100, late],
      [160, 'gone'],
    ],
    expected: [],
  },
  {
    name: 'a pod that is evicted without evacuators has no turn',
    sights: [
      [0, {}],
      [5, 'gone'],
    ],
    expected: [],
  },
  {
    name: 'an evacuation that was cancelled is not counted',
    sights: [
      [0, {}],
      [1, early],
      [9, 'forgotten'],
    ],
    expected: [],
  },
])('$name', ({ sights, expected }) => {
  expect(endedAfter(sights)).toEqual(expected)
})
