import { describe, expect, test } from 'vitest'
import type { LabelSelector, LabelSelectorRequirement } from './meta.ts'
import { labelSelectorSchema, matchesLabelSelector } from './label-selector.ts'
import { validateSchema } from '../schema/validate-schema.ts'

const labels = { app: 'cart', tier: 'web' }

describe('matchesLabelSelector', () => {
  const requirement = (operator: LabelSelectorRequirement['operator'], key: string, ...values: string[]) => ({
    matchExpressions: [{ key, operator, values }],
  })

  test.each<{ name: string; selector: LabelSelector; expected: boolean }>([
    { name: 'an empty selector matches everything', selector: {}, expected: true },
    { name: 'equal labels match', selector: { matchLabels: { app: 'cart' } }, expected: true },
    { name: 'another value does not', selector: { matchLabels: { app: 'shop' } }, expected: false },
    { name: 'a missing label does not', selector: { matchLabels: { app: 'cart', zone: 'a' } }, expected: false },
    { name: 'In matches one of the values', selector: requirement('In', 'app', 'shop', 'cart'), expected: true },
    { name: 'In needs the label', selector: requirement('In', 'zone', 'a'), expected: false },
    { name: 'NotIn holds for other values', selector: requirement('NotIn', 'app', 'shop'), expected: true },
    { name: 'NotIn holds without the label', selector: requirement('NotIn', 'zone', 'a'), expected: true },
    { name: 'NotIn fails for a listed value', selector: requirement('NotIn', 'app', 'cart'), expected: false },
    { name: 'Exists needs the label', selector: requirement('Exists', 'zone'), expected: false },
    { name: 'Exists takes any value', selector: requirement('Exists', 'app'), expected: true },
    { name: 'DoesNotExist needs its absence', selector: requirement('DoesNotExist', 'app'), expected: false },
    { name: 'DoesNotExist holds without it', selector: requirement('DoesNotExist', 'zone'), expected: true },
    { name: 'no label is inherited', selector: requirement('Exists', 'constructor'), expected: false },
    {
      name: 'labels and expressions must both hold',
      selector: { matchLabels: { app: 'cart' }, ...requirement('Exists', 'zone') },
      expected: false,
    },
  ])('$name', ({ selector, expected }) => {
    expect(matchesLabelSelector(selector, labels)).toBe(expected)
  })

  test('an object without labels matches only what asks for none', () => {
    expect(matchesLabelSelector({ matchLabels: { app: 'cart' } }, undefined)).toBe(false)
    expect(matchesLabelSelector(requirement('DoesNotExist', 'app'), undefined)).toBe(true)
  })
})

describe('the schema', () => {
  test.each([
    { name: 'an empty selector', selector: {}, field: '' },
    { name: 'In without values', selector: { matchExpressions: [{ key: 'a', operator: 'In' }] }, field: 'values' },
    {
      name: 'Exists with values',
      selector: { matchExpressions: [{ key: 'a', operator: 'Exists', values: ['b'] }] },
      field: 'values',
    },
    { name: 'a bad label value', selector: { matchLabels: { app: 'not ok' } }, field: 'matchLabels.app' },
  ])('refuses $name', ({ selector, field }) => {
    const problems = validateSchema(labelSelectorSchema('Pods.'), selector)
    expect(problems).toHaveLength(1)
    expect(problems[0]?.field.endsWith(field)).toBe(true)
  })

  test('takes a selector that selects something', () => {
    const selector = { matchLabels: { app: 'cart' }, matchExpressions: [{ key: 'tier', operator: 'Exists' }] }
    expect(validateSchema(labelSelectorSchema('Pods.'), selector)).toEqual([])
  })
})
