import { expect, test } from 'vitest'
import { storedMeta } from '../../../../test/build/stored.ts'
import { nodes, namespaces } from '../kinds/cluster-kinds.ts'
import { nodeLabelWarnings } from './node-label-warnings.ts'

const request = {
  operation: 'UPDATE',
  definition: nodes,
  subresource: undefined,
  namespace: undefined,
  name: 'one',
  user: { name: 'x', groups: [] },
  dryRun: false,
  oldObject: undefined,
  options: undefined,
} as const
const labelled = (value: string) => ({
  metadata: storedMeta({ name: 'one', labels: { 'lifeboat.test/silent': value } }),
})
const said = 'metadata.labels[lifeboat.test/silent]: "yes" has no effect: the only value is "true"'

test.each([
  { name: 'a value that means nothing', change: { object: labelled('yes') }, expected: [said] },
  { name: 'the value that means something', change: { object: labelled('true') }, expected: [] },
  {
    name: 'a value that was there before',
    change: { object: labelled('yes'), oldObject: labelled('yes') },
    expected: [],
  },
  { name: 'another kind', change: { object: labelled('yes'), definition: namespaces }, expected: [] },
  { name: 'the status', change: { object: labelled('yes'), subresource: 'status' }, expected: [] },
  { name: 'a node that goes', change: { object: undefined }, expected: [] },
])('$name', ({ change, expected }) => {
  const warnings: string[] = []
  void nodeLabelWarnings.validate?.({ ...request, ...change }, warnings)
  expect(warnings).toEqual(expected)
})
