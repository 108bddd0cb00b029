import { expect, test } from 'vitest'
import { isData, renderAs } from './output.ts'

const object = { kind: 'A', metadata: { name: 'a', managedFields: [1] }, spec: { list: [1, 'two'] } }

test('JSON and YAML say the same, without managedFields', () => {
  expect(JSON.parse(renderAs('json', object))).toEqual({
    kind: 'A',
    metadata: { name: 'a' },
    spec: { list: [1, 'two'] },
  })
  expect(renderAs('yaml', object)).toBe('kind: A\nmetadata:\n  name: a\nspec:\n  list:\n    - 1\n    - two')
})

test('YAML where nothing else is asked for; no anchors for what is there twice', () => {
  const twice = { text: 'x' }
  expect(renderAs(undefined, { a: twice, b: twice })).toBe('a:\n  text: x\nb:\n  text: x')
})

test.each([
  ['json', true],
  ['yaml', true],
  ['wide', false],
  [undefined, false],
] as const)('%s is read by programs: %s', (format, expected) => expect(isData(format)).toBe(expected))
