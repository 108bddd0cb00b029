import { describe, expect, test } from 'vitest'
import { podView } from '../../../test/build/descheduler-view.ts'
import type { PodAffinityTerm } from '../../api/kubernetes/scheduling.ts'
import { selects, termOf, Terms } from './affinity-term.ts'

const namespaces = new Map([
  ['shop', { team: 'x' }],
  ['bank', { team: 'y' }],
])
const carrier = podView({ name: 'carrier', namespace: 'shop', labels: { app: 'web', version: '1' } })
const term = (more: Partial<PodAffinityTerm>): PodAffinityTerm => ({
  topologyKey: 'zone',
  labelSelector: { matchLabels: { app: 'db' } },
  ...more,
})

interface Row {
  readonly name: string
  readonly term: Partial<PodAffinityTerm>
  readonly namespace: string
  readonly labels?: Record<string, string>
  readonly expected: boolean
}

describe('a term', () => {
  test.each<Row>([
    { name: 'is about its own namespace', term: {}, namespace: 'shop', expected: true },
    { name: 'is not about others', term: {}, namespace: 'bank', expected: false },
    { name: 'is not about other labels', term: {}, namespace: 'shop', labels: { app: 'web' }, expected: false },
    { name: 'may name another', term: { namespaces: ['bank'] }, namespace: 'bank', expected: true },
    {
      name: 'that names another is not about its own',
      term: { namespaces: ['bank'] },
      namespace: 'shop',
      expected: false,
    },
    { name: 'may select all', term: { namespaceSelector: {} }, namespace: 'bank', expected: true },
    { name: 'may select all, even unknown ones', term: { namespaceSelector: {} }, namespace: 'lost', expected: true },
    {
      name: 'may select others, and then is not about its own',
      term: { namespaceSelector: { matchLabels: { team: 'y' } } },
      namespace: 'shop',
      expected: false,
    },
    {
      name: 'may select some and name others',
      term: { namespaces: ['shop'], namespaceSelector: { matchLabels: { team: 'y' } } },
      namespace: 'bank',
      expected: true,
    },
    {
      name: 'may select some and name others, which count, too',
      term: { namespaces: ['shop'], namespaceSelector: { matchLabels: { team: 'y' } } },
      namespace: 'shop',
      expected: true,
    },
    {
      name: 'does not select an unknown namespace by a label',
      term: { namespaceSelector: { matchLabels: { team: 'y' } } },
      namespace: 'lost',
      expected: false,
    },
    {
      name: 'asks for its own version',
      term: { matchLabelKeys: ['version'] },
      namespace: 'shop',
      labels: { app: 'db', version: '2' },
      expected: false,
    },
    {
      name: 'asks for another version than its own',
      term: { mismatchLabelKeys: ['version'] },
      namespace: 'shop',
      labels: { app: 'db', version: '2' },
      expected: true,
    },
  ])('$name', ({ term: more, namespace, labels = { app: 'db' }, expected }) => {
    const other = podView({ name: 'other', namespace, labels })
    expect(selects(termOf(term(more), carrier), other, namespaces)).toBe(expected)
  })

  test('without a selector is about no pod', () => {
    expect(selects(termOf({ topologyKey: 'zone' }, carrier), carrier, namespaces)).toBe(false)
  })
})

describe('pods with the same list of terms', () => {
  const [plain, keyed] = [[term({})], [term({ matchLabelKeys: ['version'] })]]
  const elsewhere = podView({ name: 'b', namespace: 'bank' })
  const newer = podView({ name: 'c', namespace: 'shop', labels: { version: '2' } })

  test('share what does not depend on their labels', () => {
    const terms = new Terms()
    expect(terms.of(plain, newer)).toBe(terms.of(plain, carrier))
    expect(terms.of([term({})], newer)[0]).toBe(terms.of(plain, carrier)[0])
  })

  test.each([
    { name: 'have their own namespaces', list: plain, other: elsewhere },
    { name: 'have their own labels', list: keyed, other: newer },
  ])('$name', ({ list, other }) => {
    const terms = new Terms()
    expect(terms.of(list, other)[0]?.key).not.toBe(terms.of(list, carrier)[0]?.key)
  })
})
