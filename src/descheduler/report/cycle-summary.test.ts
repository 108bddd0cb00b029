import { expect, test } from 'vitest'
import { podView } from '../../../test/build/descheduler-view.ts'
import type { CycleReport } from '../cycle/cycle.ts'
import { summaryOf } from './cycle-summary.ts'

const pod = podView({ name: 'web-0' })
const because = { pod, reason: 'not now' }
const nothing = { left: [], leaving: [], spared: [], refused: [], cut: [], failure: undefined }
const zero = { asked: 0, alreadyLeaving: 0, protected: 0, refused: 0, cut: 0, failures: [], elapsedMs: 0 }

test.each<{ name: string; report: CycleReport; elapsedMs?: number; expected: object }>([
  { name: 'nothing to do', report: { strategies: [] }, expected: zero },
  {
    name: 'a cycle that did not run says why',
    report: { skipped: 'no nodes', strategies: [] },
    expected: { ...zero, skipped: 'no nodes' },
  },
  {
    name: 'the strategies are added up',
    report: {
      strategies: [
        { ...nothing, profile: 'p', strategy: 'PodLifeTime', left: [pod, pod], spared: [because] },
        { ...nothing, profile: 'p', strategy: 'RemoveDuplicates', left: [pod], leaving: [pod], refused: [because] },
        { ...nothing, profile: 'p', strategy: 'RemoveDuplicates', cut: [{ pod, limit: 'totalLimit' }], failure: 'why' },
      ],
    },
    elapsedMs: 12.6,
    expected: { asked: 3, alreadyLeaving: 1, protected: 1, refused: 1, cut: 1, failures: ['why'], elapsedMs: 13 },
  },
])('$name', ({ report, elapsedMs = 0, expected }) => {
  expect(summaryOf(report, elapsedMs)).toEqual(expected)
})
