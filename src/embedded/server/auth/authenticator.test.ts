import { expect, test } from 'vitest'
import { anonymous, authenticatorOf } from './authenticator.ts'

const authenticator = authenticatorOf([
  (token) => (token === 'abc' ? { name: 'first', groups: ['a'] } : undefined),
  (token) => (token === 'abc' || token === 'def' ? { name: 'second', groups: [] } : undefined),
])
const certificate = { commonName: 'joe', organizations: ['admins'], isTrusted: true }
const joe = { name: 'joe', groups: ['admins', 'system:authenticated'] }
const first = { name: 'first', groups: ['a', 'system:authenticated'] }

test.each([
  { name: 'nothing shown', authorization: undefined, certificate: undefined, expected: anonymous },
  { name: 'another scheme', authorization: 'Basic abc', certificate: undefined, expected: anonymous },
  { name: 'a token of the first reader', authorization: 'Bearer abc', certificate: undefined, expected: first },
  { name: 'a scheme in lower case', authorization: 'bearer  abc', certificate: undefined, expected: first },
  {
    name: 'a token of the second reader',
    authorization: 'Bearer def',
    certificate: undefined,
    expected: { name: 'second', groups: ['system:authenticated'] },
  },
  { name: "nobody's token", authorization: 'Bearer ghi', certificate: undefined, expected: undefined },
  { name: 'a certificate', authorization: undefined, certificate, expected: joe },
  { name: 'a certificate before a token', authorization: 'Bearer abc', certificate, expected: joe },
  {
    name: 'a certificate of a stranger',
    authorization: undefined,
    certificate: { ...certificate, isTrusted: false },
    expected: undefined,
  },
  {
    name: 'a certificate of a stranger, but a token',
    authorization: 'Bearer abc',
    certificate: { ...certificate, isTrusted: false },
    expected: first,
  },
])('$name', ({ authorization, certificate: shown, expected }) => {
  expect(authenticator.authenticate({ authorization, certificate: shown })).toEqual(expected)
})
