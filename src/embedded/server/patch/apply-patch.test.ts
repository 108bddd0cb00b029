import { expect, test } from 'vitest'
import { storedMeta } from '../../../../test/build/stored.ts'
import type { Stored } from '../store.ts'
import { applyPatch } from './apply-patch.ts'
import { plainMergeKeys } from './merge-keys.ts'

const object: Stored = { metadata: storedMeta({ name: 'a', finalizers: ['x/y'] }), spec: { replicas: 1 } }

test.each([
  ['application/json-patch+json', [{ op: 'replace', path: '/spec/replicas', value: 2 }], { spec: { replicas: 2 } }],
  ['application/merge-patch+json; charset=utf-8', { metadata: { finalizers: null } }, { metadata: { name: 'a' } }],
  [
    'application/strategic-merge-patch+json',
    { metadata: { finalizers: ['z/z'] } },
    { metadata: { finalizers: ['z/z', 'x/y'] } },
  ],
])('%s applies %j', (contentType, patch, expected) => {
  expect(applyPatch(contentType, patch, object, plainMergeKeys)).toMatchObject(expected)
})

test.each([
  ['application/apply-patch+yaml', 415, 'leaves server-side apply (application/apply-patch+yaml) out on purpose'],
  ['application/json', 415, 'accepted media types include: application/json-patch+json, application/merge-patch+json'],
  ['application/strategic-merge-patch+json', 415, 'the body of the request was in an unknown format'],
])('%s on a custom resource is refused with %d', (contentType, code, message) => {
  const failing = () => applyPatch(contentType, {}, object, undefined)
  expect(failing).toThrow(message)
  expect(failing).toThrow(expect.objectContaining({ code, reason: 'UnsupportedMediaType' }) as Error)
})

test.each([
  ['application/merge-patch+json', [], 400, 'error decoding patch: json: cannot unmarshal array into Go value'],
  ['application/strategic-merge-patch+json', 'x', 400, 'json: cannot unmarshal string into Go value'],
  [
    'application/merge-patch+json',
    JSON.parse('{"a":'.repeat(5_000) + '1' + '}'.repeat(5_000)),
    400,
    'exceeded max depth',
  ],
  ['application/json-patch+json', [{ op: 'replace', path: '', value: [] }], 422, 'patch: Invalid value: "[]"'],
  ['application/merge-patch+json', { metadata: 'x' }, 422, 'the patched object has no metadata'],
])('%s: a body that cannot be used is refused', (contentType, patch: unknown, code, message) => {
  const failing = () => applyPatch(contentType, patch, object, plainMergeKeys)
  expect(failing).toThrow(message)
  expect(failing).toThrow(expect.objectContaining({ code }) as Error)
})

test('a content type that nobody knows, on a built-in kind', () => {
  expect(() => applyPatch('application/x-patch', {}, object, plainMergeKeys)).toThrow('415: Unsupported Media Type')
})
