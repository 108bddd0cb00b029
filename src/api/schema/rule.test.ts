import { expect, test } from 'vitest'
import { isTransitionRule, rules, rulesOf, withoutRules } from './rule.ts'

test('a rule that names oldSelf speaks about updates only', () => {
  const [grows, positive] = rulesOf(
    rules<number>(
      { rule: 'self >= oldSelf', message: 'only grows', holds: (self, oldSelf) => self >= oldSelf },
      { rule: 'self >= 0', message: 'is not negative', holds: (self) => self >= 0 },
    ),
  )
  expect(grows && isTransitionRule(grows)).toBe(true)
  expect(positive && isTransitionRule(positive)).toBe(false)
})

test('a schema without rules has none', () => {
  expect(rulesOf({ type: 'string' })).toEqual([])
})

test('a schema without its rules keeps the rest, however deep', () => {
  const rule = { rule: 'true', message: 'fine', holds: () => true }
  const schema = { type: 'array', items: { type: 'object', properties: { a: { type: 'string', ...rules(rule) } } } }
  expect(withoutRules(schema)).toEqual({
    type: 'array',
    items: { type: 'object', properties: { a: { type: 'string' } } },
  })
  expect(rulesOf(schema.items.properties.a)).toEqual([rule])
})
