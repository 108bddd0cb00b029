import { expect, test } from 'vitest'
import { PlayedLogind } from '../../../test/build/played-logind.ts'
import { VirtualClock } from '../../runtime/virtual-clock.ts'
import { decideBudget, giveBudgetBack, renderBudget, settleBudget } from './settle-budget.ts'

const wantedMs = 1_800_000
const text = renderBudget(wantedMs)
const { signal } = new AbortController()

test('the drop-in says it in seconds, rounded up', () => {
  expect(text).toContain('\n[Login]\nInhibitDelayMaxSec=1800\n')
  expect(renderBudget(1_500)).toContain('InhibitDelayMaxSec=2\n')
})

test.each([
  { name: 'logind grants less', view: { written: undefined, budgetMs: 5_000 }, expected: { kind: 'write', text } },
  { name: 'logind grants it already', view: { written: undefined, budgetMs: wantedMs }, expected: { kind: 'leave' } },
  { name: 'an admin grants more', view: { written: undefined, budgetMs: 7_200_000 }, expected: { kind: 'leave' } },
  { name: 'it is all done', view: { written: text, budgetMs: wantedMs }, expected: { kind: 'leave' } },
  {
    name: 'died between the write and the reload, or another drop-in wins',
    view: { written: text, budgetMs: 5_000 },
    expected: { kind: 'reload' },
  },
  {
    name: 'another one was wanted before',
    view: { written: renderBudget(60_000), budgetMs: 60_000 },
    expected: { kind: 'write', text },
  },
  {
    name: 'less is wanted than before',
    view: { written: renderBudget(7_200_000), budgetMs: 7_200_000 },
    expected: { kind: 'write', text },
  },
])('$name', ({ view, expected }) => {
  expect(decideBudget({ ...view, wantedMs })).toEqual(expected)
})

test.each([
  { written: undefined, expected: { kind: 'leave' } },
  { written: text, expected: { kind: 'remove' } },
])('nothing is wanted: %j', ({ written, expected }) => {
  expect(decideBudget({ written, budgetMs: 5_000, wantedMs: 0 })).toEqual(expected)
})

test('logind grants it once it has read the drop-in', async () => {
  const [logind, clock] = [new PlayedLogind(), new VirtualClock()]
  await settleBudget({ logind, file: logind.file, clock }, { budgetMs: 5_000, wantedMs }, signal)
  expect([logind.state.budgetMs, logind.text, logind.reloads]).toEqual([wantedMs, text, 1])
})

test('gives up waiting for a logind that does not grant it', async () => {
  const [logind, clock] = [new PlayedLogind(), new VirtualClock()]
  logind.reload = async () => {}
  const settling = settleBudget({ logind, file: logind.file, clock }, { budgetMs: 5_000, wantedMs }, signal)
  await clock.advance(10_000)
  await settling
  expect(logind.reads).toBeLessThan(60)
})

test('gives back what it took, once', async () => {
  const [logind, clock] = [new PlayedLogind(), new VirtualClock()]
  const parts = { logind, file: logind.file, clock }
  await settleBudget(parts, { budgetMs: 5_000, wantedMs }, signal)
  await giveBudgetBack(parts, signal)
  expect([logind.state.budgetMs, logind.text, logind.reloads]).toEqual([5_000, undefined, 2])
  await giveBudgetBack(parts, signal)
  expect(logind.reloads).toBe(2)
})
