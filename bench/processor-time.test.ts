import { expect, test } from 'vitest'
import { childrensTimeMs, processorTimeMs, processorTimes, timeBetween } from './processor-time.ts'

test('time of a process and of the kernel for it count, whatever the process is called', () => {
  const rest = `S 1 2 3 4 5 6 7 8 9 10 150 25 0 0 20 0`
  expect(processorTimeMs(`77 (kube apiserver) 1) ${rest}`)).toBe(1_750)
})

test('time of processes that it started and that ended counts apart', () => {
  expect(childrensTimeMs('77 (kubectl) S 1 2 3 4 5 6 7 8 9 10 150 25 30 4 20 0')).toBe(340)
})

test('this process has had some, and one that is gone is left out', async () => {
  const times = await processorTimes(new Map(Object.entries({ own: process.pid, gone: 2 ** 30 })))
  expect([...times.keys()]).toEqual(['own'])
  expect(times.get('own')).toBeGreaterThan(0)
})

test('what began in between counts from its beginning', () => {
  const before = new Map([['one', 100]])
  const after = new Map(Object.entries({ one: 150, two: 20 }))
  expect(Object.fromEntries(timeBetween(before, after))).toEqual({ one: 50, two: 20 })
})
