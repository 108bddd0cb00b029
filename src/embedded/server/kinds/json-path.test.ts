import { expect, test } from 'vitest'
import { compileJsonPath } from './json-path.ts'

const object = {
  metadata: { name: 'a', annotations: { 'x.y/z': 'v' } },
  spec: { count: 0, list: [{ n: 1 }, { n: 2 }] },
  status: {
    conditions: [
      { type: 'Ready', status: 'True' },
      { type: 'Drained', status: 'False' },
    ],
  },
}

test.each<[string, unknown[]]>([
  ['.metadata.name', ['a']],
  ['metadata.name', ['a']],
  ['.spec.count', [0]],
  ['.spec.missing.deeper', []],
  ['.constructor', []],
  ['.spec.list[1].n', [2]],
  ['.spec.list[-1].n', [2]],
  ['.spec.list[*].n', [1, 2]],
  ['.spec.list[9].n', []],
  [".metadata.annotations['x.y/z']", ['v']],
  [String.raw`.metadata.annotations.x\.y/z`, ['v']],
  ['.status.conditions[?(@.type=="Drained")].status', ['False']],
  [".status.conditions[?(@.type == 'Ready')].status", ['True']],
  ['.status.conditions[?(@.type=="Other")].status', []],
])('%s reads %j', (path, expected) => {
  expect(compileJsonPath(path)?.(object)).toEqual(expected)
})

test.each(['.a[', '.a[?(@.b > 1)]', '..a', '.a[x]'])('%s is not known', (path) => {
  expect(compileJsonPath(path)).toBeUndefined()
})
