import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { byPriorityThenClass, type Evacuator } from './evacuator.ts'

const evacuator = fc.record({
  evacuatorClass: fc.constantFrom('a.example.com', 'b.example.com', 'B.example.com', 'ä', '10', '9'),
  priority: fc.integer({ min: 0, max: 3 }),
})

describe('byPriorityThenClass', () => {
  test('the highest priority acts first, and the alphabet breaks ties', () => {
    const evacuators: Evacuator[] = [
      { evacuatorClass: 'fallback.example.com', priority: 2_000 },
      { evacuatorClass: 'zebra.example.com', priority: 11_000 },
      { evacuatorClass: 'deployment.apps.k8s.io', priority: 10_000, role: 'controller' },
      { evacuatorClass: 'ape.example.com', priority: 11_000 },
    ]
    expect(evacuators.toSorted(byPriorityThenClass).map((entry) => entry.evacuatorClass)).toEqual([
      'ape.example.com',
      'zebra.example.com',
      'deployment.apps.k8s.io',
      'fallback.example.com',
    ])
  })

  test('is a total order: antisymmetric, transitive, and zero only for the same class', () => {
    fc.assert(
      fc.property(evacuator, evacuator, evacuator, (a, b, c) => {
        expect(Math.sign(byPriorityThenClass(a, b)) + Math.sign(byPriorityThenClass(b, a))).toBe(0)
        if (byPriorityThenClass(a, b) <= 0 && byPriorityThenClass(b, c) <= 0) {
          expect(byPriorityThenClass(a, c)).toBeLessThanOrEqual(0)
        }
        expect(byPriorityThenClass(a, b) === 0).toBe(a.priority === b.priority && a.evacuatorClass === b.evacuatorClass)
      }),
    )
  })

  test('does not depend on the order that it is given', () => {
    fc.assert(
      fc.property(fc.uniqueArray(evacuator, { selector: (entry) => entry.evacuatorClass }), (evacuators) => {
        expect(evacuators.toReversed().toSorted(byPriorityThenClass)).toEqual(evacuators.toSorted(byPriorityThenClass))
      }),
    )
  })
})
