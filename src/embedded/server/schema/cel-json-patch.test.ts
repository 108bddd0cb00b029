import { expect, test } from 'vitest'
import { patchesAsMaps } from './cel-json-patch.ts'

test.each([
  {
    name: 'one patch',
    from: '[JSONPatch{op: "add", path: "/x", value: 1}]',
    to: '[{"op": "add", "path": "/x", "value": 1}]',
  },
  {
    name: 'patches within a choice',
    from: "a ? [JSONPatch{op: 'remove', path: '/x'}] : []",
    to: `a ? [{"op": 'remove', "path": '/x'}] : []`,
  },
  {
    name: 'a map as a value, whose keys are its own',
    from: 'JSONPatch{op: "add", path: p, value: {op: 1, "b": x ? y : z}}',
    to: '{"op": "add", "path": p, "value": {op: 1, "b": x ? y : z}}',
  },
  {
    name: 'calls and lists as values',
    from: 'JSONPatch{path: f(op, path), value: [op, x ? op : path]}',
    to: '{"path": f(op, path), "value": [op, x ? op : path]}',
  },
  { name: 'gaps and comments', from: 'JSONPatch {\n// op:\n op : 1}', to: '{\n// op:\n "op" : 1}' },
  {
    name: 'the name within a text',
    from: '"JSONPatch{op: 1}" + \'JSONPatch{op: 1}\'',
    to: '"JSONPatch{op: 1}" + \'JSONPatch{op: 1}\'',
  },
  { name: 'a text with a quote in it', from: String.raw`"a\"JSONPatch{op: 1}"`, to: String.raw`"a\"JSONPatch{op: 1}"` },
  {
    name: 'a raw text that ends with a backslash',
    from: String.raw`[r'\', JSONPatch{op: 1}]`,
    to: String.raw`[r'\', {"op": 1}]`,
  },
  { name: 'a long text', from: '"""JSONPatch{op: "1"}""" + x', to: '"""JSONPatch{op: "1"}""" + x' },
  { name: 'a field of that name', from: 'object.JSONPatch{op: 1}', to: 'object.JSONPatch{op: 1}' },
  { name: 'another name that ends alike', from: 'MyJSONPatch{op: 1}', to: 'MyJSONPatch{op: 1}' },
  { name: 'a text without an end', from: '"JSONPatch{op: 1}', to: '"JSONPatch{op: 1}' },
])('$name', ({ from, to }) => {
  expect(patchesAsMaps(from)).toBe(to)
})

test('a field that it does not have is an error', () => {
  expect(() => patchesAsMaps('JSONPatch{oops: 1}')).toThrow("undefined field 'oops'")
})
