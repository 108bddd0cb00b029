import { expect, test } from 'vitest'
import { podView } from '../../../test/build/descheduler-view.ts'
import type { CycleReport } from '../../descheduler/cycle/cycle.ts'
import { silentLog } from '../../runtime/log.ts'
import { reportingAtInterval } from './descheduler-reports.ts'

const pod = (name: string) => podView({ name, namespace: 'shop', nodeName: 'n1' })
const report: CycleReport = {
  strategies: [
    {
      profile: 'old',
      strategy: 'PodLifeTime',
      left: [pod('a')],
      leaving: [],
      spared: [],
      refused: [],
      cut: [{ pod: pod('b'), limit: 'totalLimit' }],
      failure: undefined,
    },
  ],
}
const counts = { asked: 1, alreadyLeaving: 0, protected: 0, refused: 0, cut: 1, failures: [], elapsedMs: 12 }
const brief = 'old/PodLifeTime: 1 pod would go: shop/a on n1; 1 stopped by a limit: maxNoOfPodsToEvictTotal is reached'
const counted = { ...counts, message: 'cycle' }

test.each([
  { name: 'counts', options: {}, logged: [counted], printed: 0 },
  {
    name: 'in a dry run, what each strategy would do',
    options: { dryRun: true },
    logged: [{ message: brief }, counted],
    printed: 0,
  },
  { name: 'for programs, everything in one line', options: { output: 'json' as const }, logged: [counted], printed: 1 },
])('at an interval a descheduler tells $name', ({ options, logged, printed }) => {
  const seen: object[] = []
  const lines: string[] = []
  const log = { ...silentLog, info: (fields: object, message: string) => void seen.push({ ...fields, message }) }
  reportingAtInterval(options, { log, print: (line) => void lines.push(line) })(report, 12.3)
  expect(seen).toEqual(logged)
  expect(lines).toHaveLength(printed)
  for (const line of lines) expect(JSON.parse(line)).toMatchObject({ evictions: [{ name: 'a' }], cut: [{ name: 'b' }] })
})

test('a cycle that was skipped says why', () => {
  const seen: object[] = []
  const log = { ...silentLog, info: (fields: object) => void seen.push(fields) }
  reportingAtInterval({}, { log, print: () => {} })({ skipped: 'no node is ready', strategies: [] }, 0)
  expect(seen).toEqual([expect.objectContaining({ skipped: 'no node is ready', asked: 0 })])
})
