import { expect, test } from 'vitest'
import type { TestCase, TestModule } from 'vitest/node'
import { Ledger } from './ledger.ts'

type State = 'passed' | 'failed' | 'skipped' | 'pending'

function fileOf(tests: Readonly<Record<string, State>>, { broken = false, errors = [] as string[] } = {}): TestModule {
  const cases = Object.entries(tests).map(([id, state]) => ({ id, result: () => ({ state }) }) as unknown as TestCase)
  return {
    id: 'file',
    project: { name: 'real' },
    relativeModuleId: 'test/real/cart.test.ts',
    errors: () => errors.map((message) => new Error(message)),
    diagnostic: () => ({ duration: 1_500 }),
    meta: () => ({ cpuMs: 100 }),
    children: {
      allSuites: () => [{ errors: () => (broken ? [new Error('beforeAll')] : []) }].values(),
      allTests: () => cases.values(),
    },
  } as unknown as TestModule
}

test('it counts, and knows what failed and what it cost', () => {
  const ledger = new Ledger()
  ledger.onTestRunEnd([fileOf({ one: 'passed', two: 'failed', three: 'skipped', four: 'pending' })], [])
  expect(ledger.tally).toEqual({ passed: 1, failed: 2, skipped: 1 })
  expect(ledger.failures.map(({ id }) => id)).toEqual(['two', 'four'])
  expect(ledger.costs).toEqual([{ file: 'real test/real/cart.test.ts', wallMs: 1_500, cpuMs: 100 }])
})

test('what passes the second time counts as passed, and the rest of its file as before', () => {
  const ledger = new Ledger()
  ledger.onTestRunEnd([fileOf({ one: 'passed', two: 'failed' })], [])
  ledger.onTestRunEnd([fileOf({ one: 'skipped', two: 'passed' })], [])
  expect(ledger.tally).toEqual({ passed: 2, failed: 0, skipped: 0 })
  expect(ledger.failures).toEqual([])
})

test('a file whose hooks fail is one failure, until it passes', () => {
  const ledger = new Ledger()
  ledger.onTestRunEnd([fileOf({ one: 'skipped' }, { broken: true })], [])
  expect(ledger.tally).toEqual({ passed: 0, failed: 1, skipped: 1 })
  expect(ledger.failures.map(({ id }) => id)).toEqual(['file'])
  ledger.onTestRunEnd([fileOf({ one: 'passed' })], [])
  expect(ledger.tally).toEqual({ passed: 1, failed: 0, skipped: 0 })
})

test('what is left over because a story failed is no failure of its file', () => {
  const errors = ['Obsolete snapshots found when no snapshot update is expected.']
  const ledger = new Ledger()
  ledger.onTestRunEnd([fileOf({ one: 'passed', two: 'failed' }, { errors })], [])
  expect(ledger.failures.map(({ id }) => id)).toEqual(['two'])
  expect(ledger.tally.failed).toBe(1)
  ledger.onTestRunEnd([fileOf({ one: 'passed', two: 'passed' }, { errors })], [])
  expect(ledger.failures.map(({ id }) => id)).toEqual(['file'])
})

test('an error outside of all tests is a failure for good', () => {
  const ledger = new Ledger()
  ledger.onTestRunEnd([fileOf({ one: 'passed' })], [new Error('nobody caught it')])
  expect(ledger.tally).toEqual({ passed: 1, failed: 1, skipped: 0 })
})
