import { describe, expect, test } from 'vitest'
import { storedMeta } from '../../../../../test/build/stored.ts'
import { buildAdmissionRequest, kindOf } from '../../../../../test/build/admission-request.ts'
import { Definitions } from '../../definitions.ts'
import { Store } from '../../store.ts'
import { matchedVersion, matchesSelectors, withScope, type Rule } from './match-request.ts'

const store = new Store()
store.put('namespaces', 'shop', { metadata: storedMeta({ name: 'shop', labels: { team: 'a' } }) })
const custom = { ...kindOf('configmaps'), group: 'example.com', plural: 'boats', mayUpdateUnconditionally: false }
const parts = { store, definitions: new Definitions([custom, { ...custom, version: 'v2' }]) }
const all: Rule = { operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*'] }

describe('rules', () => {
  test.each<{ rule: Partial<Rule>; plural?: string; subresource?: string; matches: boolean }>([
    { rule: {}, matches: true },
    { rule: {}, subresource: 'eviction', plural: 'pods', matches: true },
    { rule: { resources: ['*'] }, matches: true },
    { rule: { resources: ['*'] }, subresource: 'eviction', plural: 'pods', matches: false },
    { rule: { resources: ['pods'] }, subresource: 'eviction', plural: 'pods', matches: false },
    { rule: { resources: ['pods/*'] }, subresource: 'eviction', plural: 'pods', matches: true },
    // Against the documentation, and so on the real server: no subresource is one of them.
    { rule: { resources: ['pods/*'] }, plural: 'pods', matches: true },
    { rule: { resources: ['*/eviction'] }, subresource: 'eviction', plural: 'pods', matches: true },
    { rule: { resources: ['pods/eviction'] }, subresource: 'status', plural: 'pods', matches: false },
    { rule: { operations: ['UPDATE', 'CREATE'] }, matches: true },
    { rule: { operations: ['UPDATE'] }, matches: false },
    { rule: { apiGroups: ['apps'] }, matches: false },
    { rule: { apiVersions: ['v2'] }, matches: false },
    { rule: { scope: 'Namespaced' }, matches: true },
    { rule: { scope: 'Cluster' }, matches: false },
    { rule: { scope: 'Cluster' }, plural: 'namespaces', matches: true },
    { rule: { resourceNames: ['a'] }, matches: true },
    { rule: { resourceNames: ['b'] }, matches: false },
  ])('$rule on $plural/$subresource: $matches', ({ rule, matches, ...what }) => {
    const request = buildAdmissionRequest(what)
    expect(matchedVersion([{ ...all, ...rule }], 'Exact', request, parts) !== undefined).toBe(matches)
  })

  test('no rules match nothing', () => {
    expect(matchedVersion([], undefined, buildAdmissionRequest(), parts)).toBeUndefined()
  })

  test('another version of a custom resource matches if it need not be exact', () => {
    const request = buildAdmissionRequest({ definition: custom })
    const rules = [{ ...all, apiVersions: ['v2'] }]
    expect(matchedVersion(rules, 'Equivalent', request, parts)).toBe('v2')
    expect(matchedVersion(rules, 'Exact', request, parts)).toBeUndefined()
  })

  test('without a scope a rule is for all', () => {
    expect([withScope({}), withScope({ scope: 'Cluster' })]).toEqual([{ scope: '*' }, { scope: 'Cluster' }])
  })
})

describe('selectors', () => {
  const labelled = (labels: Record<string, string>) => ({ metadata: storedMeta({ name: 'a', labels }) })

  test('either the old or the new object has the labels', () => {
    const objectSelector = { matchLabels: { app: 'web' } }
    const matches = (object: Record<string, string>, old: Record<string, string>) =>
      matchesSelectors(
        { objectSelector },
        buildAdmissionRequest({ object: labelled(object), oldObject: labelled(old) }),
        parts,
      )
    expect([matches({ app: 'web' }, {}), matches({}, { app: 'web' }), matches({}, {})]).toEqual([true, true, false])
  })

  test('the namespace has the labels', () => {
    const matches = (team: string) =>
      matchesSelectors({ namespaceSelector: { matchLabels: { team } } }, buildAdmissionRequest(), parts)
    expect([matches('a'), matches('b')]).toEqual([true, false])
  })

  test('what is in no namespace is never exempt', () => {
    const node = buildAdmissionRequest({ plural: 'nodes', namespace: undefined })
    expect(matchesSelectors({ namespaceSelector: { matchLabels: { team: 'z' } } }, node, parts)).toBe(true)
  })

  test('a namespace that is written is judged by what it will be', () => {
    const object = labelled({ team: 'z' })
    const request = buildAdmissionRequest({ plural: 'namespaces', namespace: undefined, name: 'shop', object })
    expect(matchesSelectors({ namespaceSelector: { matchLabels: { team: 'z' } } }, request, parts)).toBe(true)
  })

  test('a namespace that is not there is told', () => {
    const request = buildAdmissionRequest({ namespace: 'gone' })
    const selectors = { namespaceSelector: { matchLabels: { team: 'a' } } }
    expect(() => matchesSelectors(selectors, request, parts)).toThrow('namespaces "gone" not found')
  })
})
