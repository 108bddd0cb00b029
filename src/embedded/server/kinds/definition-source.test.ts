import { expect, test } from 'vitest'
import { readDefinition } from './definition-source.ts'

test('what is left out has its default', () => {
  const definition = {
    metadata: { name: 'tests.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Cluster',
      names: { plural: 'tests', kind: 'Test' },
      versions: [{ name: 'v1', served: true }],
    },
  }
  expect(readDefinition(definition)).toMatchObject({
    names: { singular: 'test', listKind: 'TestList', shortNames: [], categories: [] },
    conversion: 'None',
    versions: [
      {
        name: 'v1',
        storage: false,
        schema: undefined,
        subresources: { status: false, scale: undefined },
        columns: [{ name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' }],
      },
    ],
  })
})

test('anything else is read as nothing', () => {
  for (const spec of [undefined, 'x', [], { versions: 'x' }, { versions: [1] }]) {
    expect(readDefinition({ metadata: {}, spec })).toMatchObject({ group: '', versions: [] })
  }
})
