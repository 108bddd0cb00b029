import { expect, test } from 'vitest'
import { closeRun, type Run } from './closing-lines.ts'

const passed: Run = { tally: { passed: 12, failed: 0, skipped: 0 }, costs: [], flaky: [], failed: [], problems: [] }
const trouble = (name: string) => ({ name, error: `${name} is not ready\nat line 7` })

test.for<{ name: string; run: Run; lines: string[]; exitCode: number }>([
  { name: 'all passed', run: passed, lines: ['12 passed, 0 failed'], exitCode: 0 },
  {
    name: 'something failed, something was skipped',
    run: { ...passed, tally: { passed: 12, failed: 1, skipped: 3 }, failed: [trouble('one')] },
    lines: ['failed: one', '  one is not ready', '12 passed, 1 failed, 3 skipped'],
    exitCode: 1,
  },
  {
    name: 'nothing ran',
    run: { ...passed, tally: { passed: 0, failed: 0, skipped: 3 } },
    lines: ['no test ran to its end, which counts as a failure', '0 passed, 1 failed, 3 skipped'],
    exitCode: 1,
  },
  {
    name: 'something around the tests went wrong',
    run: { ...passed, problems: ['no cluster'] },
    lines: ['no cluster', '12 passed, 1 failed'],
    exitCode: 1,
  },
  {
    name: 'two are flaky',
    run: { ...passed, flaky: [trouble('one'), trouble('two')] },
    lines: ['flaky: one', '  one is not ready', 'flaky: two', '  two is not ready', '12 passed, 0 failed'],
    exitCode: 0,
  },
  {
    name: 'three are flaky',
    run: { ...passed, flaky: ['one', 'two', 'three'].map(trouble) },
    lines: [
      ...['one', 'two', 'three'].flatMap((name) => [`flaky: ${name}`, `  ${name} is not ready`]),
      '3 are flaky, and 2 at most may be',
      '12 passed, 1 failed',
    ],
    exitCode: 1,
  },
])('$name', ({ run, lines, exitCode }) => {
  expect(closeRun(run)).toEqual({ lines, exitCode })
})

test('the slowest files come first, each with its time and the share of waiting', () => {
  const costs = [
    { file: 'unit quick.test.ts', wallMs: 40, cpuMs: 60 },
    { file: 'real slow.test.ts', wallMs: 61_240, cpuMs: 6_124 },
  ]
  expect(closeRun({ ...passed, costs }).lines).toEqual([
    'the 2 slowest of 2 files, and how much of each was waiting:',
    '   61.2 s   90 %  real slow.test.ts',
    '    0.0 s    0 %  unit quick.test.ts',
    '12 passed, 0 failed',
  ])
})

test('twenty files are shown', () => {
  const costs = Array.from({ length: 25 }, (_, at) => ({ file: `unit ${at}.test.ts`, wallMs: at, cpuMs: 0 }))
  const { lines } = closeRun({ ...passed, costs })
  expect(lines).toHaveLength(22)
  expect(lines[1]).toContain('unit 24.test.ts')
})
