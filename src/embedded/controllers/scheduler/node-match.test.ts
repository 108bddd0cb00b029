import { expect, test } from 'vitest'
import { storedMeta } from '../../../../test/build/stored.ts'
import { matchesNode, namedNodes } from './node-match.ts'

const node = { metadata: storedMeta({ name: 'one', labels: { disk: 'ssd', cores: '8' } }) }
const required = (...nodeSelectorTerms: object[]) => ({
  affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } },
})
const byName = (name: string) => ({ matchFields: [{ key: 'metadata.name', operator: 'In', values: [name] }] })

test.each([
  { name: 'nothing asked', spec: {}, expected: true },
  { name: 'its label', spec: { nodeSelector: { disk: 'ssd' } }, expected: true },
  { name: 'another label', spec: { nodeSelector: { disk: 'hdd' } }, expected: false },
  {
    name: 'an expression',
    spec: required({ matchExpressions: [{ key: 'cores', operator: 'Gt', values: ['4'] }] }),
    expected: true,
  },
  { name: 'another name', spec: required(byName('two')), expected: false },
  { name: 'one of two terms', spec: required(byName('two'), byName('one')), expected: true },
  {
    name: 'selector and affinity both',
    spec: { nodeSelector: { disk: 'hdd' }, ...required(byName('one')) },
    expected: false,
  },
])('$name: $expected', ({ spec, expected }) => {
  expect(matchesNode({ spec }, node)).toBe(expected)
})

test('knows the nodes that an affinity names, if each of its terms does', () => {
  const named = (spec: object) => namedNodes({ metadata: storedMeta(), spec })
  expect(named(required(byName('one'), byName('two')))).toEqual(new Set(['one', 'two']))
  expect(named(required(byName('one'), { matchExpressions: [{ key: 'disk', operator: 'Exists' }] }))).toBeUndefined()
  expect(named({})).toBeUndefined()
})
