import { expect, test } from 'vitest'
import { stored } from '../../../test/build/stored.ts'
import type { Node } from '../../api/kubernetes/core.ts'
import { selectedNodes, selectorOf } from './selected-nodes.ts'

const nodes = ['one', 'two', 'three'].map((name) =>
  stored<Node>({ metadata: { name, labels: { size: `${name.length}` } } }),
)
const selecting = (...nodeSelectorTerms: object[]) => ({ spec: { nodeSelector: { nodeSelectorTerms } } })
const size = (operator: string, values: unknown) => ({ matchExpressions: [{ key: 'size', operator, values }] })

test.each([
  { name: 'a label', maintenance: selecting(size('In', ['3'])), expected: ['one', 'two'] },
  { name: 'a number', maintenance: selecting(size('Gt', ['3'])), expected: ['three'] },
  {
    name: 'a name',
    maintenance: selecting({ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['two'] }] }),
    expected: ['two'],
  },
  { name: 'what nobody has', maintenance: selecting(size('In', ['9'])), expected: [] },
  { name: 'an empty term', maintenance: selecting({}), expected: [] },
  { name: 'nothing, because there is no object', maintenance: undefined, expected: [] },
  {
    name: 'an operator that nobody knows',
    maintenance: selecting(size('Like', ['3'])),
    expected: ['one', 'two', 'three'],
  },
  { name: 'no selector', maintenance: { spec: {} }, expected: ['one', 'two', 'three'] },
  {
    name: 'a selector of another shape',
    maintenance: { spec: { nodeSelector: 7 } },
    expected: ['one', 'two', 'three'],
  },
  { name: 'anything at all', maintenance: 'all', expected: ['one', 'two', 'three'] },
])('by $name: $expected', ({ maintenance, expected }) => {
  expect(selectedNodes(maintenance, nodes).map(({ metadata }) => metadata.name)).toEqual(expected)
})

test.each([
  { maintenance: selecting({}), expected: { nodeSelectorTerms: [{}] } },
  { maintenance: { spec: [] }, expected: undefined },
  { maintenance: undefined, expected: undefined },
])('the selector of $maintenance', ({ maintenance, expected }) => {
  expect(selectorOf(maintenance)).toEqual(expected)
})
