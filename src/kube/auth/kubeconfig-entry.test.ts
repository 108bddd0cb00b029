import { describe, expect, test } from 'vitest'

import { flagField, isSet, type KubeconfigFields, listField, pemField, textField } from './kubeconfig-entry.ts'

const entry = (fields: KubeconfigFields) => ({ place: 'user "dev"', folder: '/etc/kube', fields })
const pem = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n'
const encoded = Buffer.from(pem).toString('base64')

test.each([
  { value: 'x', expected: 'x' },
  { value: '', expected: undefined },
  { value: null, expected: undefined },
  { value: undefined, expected: undefined },
])('a text of $value is $expected', ({ value, expected }) => {
  expect(textField(entry({ name: value }), 'name')).toBe(expected)
})

test.each([7, true, ['x'], {}])('%j is no text', (value) => {
  expect(() => textField(entry({ name: value }), 'name')).toThrow('user "dev": name must be a text (put it in quotes)')
})

test('a flag is true, false, or not set', () => {
  expect([true, false, undefined, null].map((flag) => flagField(entry({ flag }), 'flag'))).toEqual([
    true,
    false,
    false,
    false,
  ])
  expect(() => flagField(entry({ flag: 'yes' }), 'flag')).toThrow('user "dev": flag must be true or false')
})

test('a list may be missing, but not something else', () => {
  expect(listField(entry({ args: ['a'] }), 'args')).toEqual(['a'])
  expect(listField(entry({ args: null }), 'args')).toEqual([])
  expect(() => listField(entry({ args: 'a' }), 'args')).toThrow('user "dev": args must be a list')
})

test.each([
  { value: 'x', expected: true },
  { value: { a: 1 }, expected: true },
  { value: false, expected: true },
  { value: '', expected: false },
  { value: [], expected: false },
  { value: null, expected: false },
])('$value counts as set: $expected', ({ value, expected }) => {
  expect(isSet(entry({ field: value }), 'field')).toBe(expected)
})

describe('pemField', () => {
  const files = {
    readText: async (path: string) => {
      if (path === '/etc/kube/pki/ca.pem') return pem
      if (path === '/etc/kube/text') return 'text'
      throw Object.assign(new Error('gone'), { code: 'ENOENT' })
    },
  }
  const read = async (fields: KubeconfigFields) => await pemField(entry(fields), 'ca', { kind: 'certificate', files })

  test.each([
    { name: 'data', fields: { 'ca-data': encoded }, expected: pem },
    { name: 'data in several lines', fields: { 'ca-data': encoded.replace(/(.{20})/gu, '$1\n') }, expected: pem },
    { name: 'a file beside the kubeconfig', fields: { ca: 'pki/ca.pem' }, expected: pem },
    { name: 'an absolute file', fields: { ca: '/etc/kube/pki/ca.pem' }, expected: pem },
    { name: 'nothing', fields: {}, expected: undefined },
  ])('reads $name', async ({ fields, expected }) => expect(await read(fields)).toBe(expected))

  test.each([
    { fields: { ca: 'pki/ca.pem', 'ca-data': encoded }, expected: 'user "dev": has both ca and ca-data; keep one' },
    { fields: { ca: 'none' }, expected: 'user "dev": ca /etc/kube/none does not exist' },
    { fields: { ca: 'text' }, expected: 'user "dev": ca /etc/kube/text does not hold a PEM certificate' },
    { fields: { 'ca-data': 'a$b=' }, expected: 'user "dev": ca-data is not valid base64' },
    { fields: { 'ca-data': 'abc' }, expected: 'user "dev": ca-data is not valid base64' },
    { fields: { 'ca-data': pem }, expected: 'user "dev": ca-data is not valid base64' },
    { fields: { 'ca-data': 'dGV4dA==' }, expected: 'user "dev": ca-data does not hold a PEM certificate' },
  ])('$expected', async ({ fields, expected }) => {
    await expect(read(fields)).rejects.toThrow(expected)
  })

  test.each(['PRIVATE KEY', 'RSA PRIVATE KEY', 'EC PRIVATE KEY'])('knows a key by %s', async (mark) => {
    const key = `-----BEGIN ${mark}-----\nAAAA\n-----END ${mark}-----\n`
    const fields = { 'key-data': Buffer.from(key).toString('base64') }
    expect(await pemField(entry(fields), 'key', { kind: 'private key', files })).toBe(key)
  })
})
