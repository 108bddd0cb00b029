import { expect, test } from 'vitest'
import { podView } from '../../../test/build/descheduler-view.ts'
import type { BudgetView } from '../view.ts'
import { BudgetCoverage } from './budget-coverage.ts'

const pod = podView({ name: 'p', namespace: 'shop', labels: { app: 'web', tier: 'front' } })
const selecting = (selector: BudgetView['selector'], namespace = 'shop'): BudgetView => ({ namespace, selector })

test.each([
  { name: 'no budget covers nothing', budgets: [], expected: false },
  { name: 'a budget that selects it', budgets: [selecting({ matchLabels: { app: 'web' } })], expected: true },
  { name: 'a budget with another value', budgets: [selecting({ matchLabels: { app: 'db' } })], expected: false },
  {
    name: 'a budget of another namespace',
    budgets: [selecting({ matchLabels: { app: 'web' } }, 'bank')],
    expected: false,
  },
  {
    name: 'a budget of which only the first label matches',
    budgets: [selecting({ matchLabels: { app: 'web', tier: 'back' } })],
    expected: false,
  },
  {
    name: 'a budget with labels and expressions that all match',
    budgets: [selecting({ matchLabels: { tier: 'front' }, matchExpressions: [{ key: 'app', operator: 'Exists' }] })],
    expected: true,
  },
  {
    name: 'a budget with expressions alone',
    budgets: [selecting({ matchExpressions: [{ key: 'app', operator: 'In', values: ['web'] }] })],
    expected: true,
  },
  { name: 'a budget with an empty selector covers everything', budgets: [selecting({})], expected: true },
  { name: 'a budget without a selector covers nothing', budgets: [selecting(undefined)], expected: false },
  {
    name: 'one of several budgets is enough',
    budgets: [selecting({ matchLabels: { app: 'db' } }), selecting({ matchLabels: { tier: 'front' } })],
    expected: true,
  },
])('$name', ({ budgets, expected }) => {
  expect(new BudgetCoverage(budgets).covers(pod)).toBe(expected)
})
