import { expect, test } from 'vitest'
import { storedMeta } from '../../../../../test/build/stored.ts'
import { compilePolicy } from './compile-policy.ts'
import type { PolicySpec } from './policy.ts'

const objectionsOf = (spec: PolicySpec, object: object = {}) =>
  compilePolicy({ metadata: storedMeta({ name: 'p' }), spec }).objections({ object: () => object })

const never = { expression: 'false' }

test.each<[string, PolicySpec, readonly { message: string; reason: string }[]]>([
  ['nothing against it', { validations: [{ expression: 'true' }] }, []],
  ['the expression', { validations: [never] }, [{ message: 'failed expression: false', reason: 'Invalid' }]],
  ['the message', { validations: [{ ...never, message: ' no ' }] }, [{ message: 'no', reason: 'Invalid' }]],
  [
    'the message expression',
    { validations: [{ ...never, message: 'no', messageExpression: "'be' + 'cause'", reason: 'Forbidden' }] },
    [{ message: 'because', reason: 'Forbidden' }],
  ],
  [
    'a message expression that is no text',
    { validations: [{ ...never, message: 'no', messageExpression: '1' }] },
    [{ message: 'no', reason: 'Invalid' }],
  ],
  [
    'a message expression that is too long',
    { validations: [{ ...never, message: 'no', messageExpression: `'${'x'.repeat(5_121)}'` }] },
    [{ message: 'no', reason: 'Invalid' }],
  ],
  [
    'what is neither true nor false',
    { validations: [{ expression: "'true'" }] },
    [{ message: "failed expression: 'true'", reason: 'Invalid' }],
  ],
  [
    'an error',
    { validations: [{ expression: 'object.x == 1', message: 'never said', reason: 'Forbidden' }] },
    [{ message: "expression 'object.x == 1' resulted in error: no such key: x", reason: 'Invalid' }],
  ],
  ['an error that is ignored', { failurePolicy: 'Ignore', validations: [{ expression: 'object.x == 1' }] }, []],
  [
    'a refusal where errors are ignored',
    { failurePolicy: 'Ignore', validations: [never] },
    [{ message: 'failed expression: false', reason: 'Invalid' }],
  ],
  ['an exemption', { matchConditions: [{ name: 'no', expression: 'false' }], validations: [never] }, []],
  [
    'a condition that fails',
    { matchConditions: [{ name: 'bad', expression: 'object.x == 1' }], validations: [never] },
    [{ message: "expression 'object.x == 1' resulted in error: no such key: x", reason: 'Invalid' }],
  ],
])('%s', (_name, spec, objections) => {
  expect(objectionsOf(spec)).toEqual(objections)
})

test('variables are evaluated when they are named, once, and see those before them', () => {
  const variables = [
    { name: 'one', expression: 'object.one' },
    { name: 'two', expression: 'variables.one + 1' },
    { name: 'bad', expression: 'object.missing' },
  ]
  const validations = [{ expression: 'variables.two == 2' }, { expression: 'variables.two + variables.one == 3' }]
  expect(objectionsOf({ variables, validations }, { one: 1n })).toEqual([])
  expect(objectionsOf({ variables, validations: [{ expression: 'variables.bad == 1' }] }, { one: 1n })).toEqual([
    {
      message: `expression 'variables.bad == 1' resulted in error: composited variable "bad" fails to evaluate: no such key: missing`,
      reason: 'Invalid',
    },
  ])
})

test('a variable that names itself does not hang', () => {
  const variables = [{ name: 'self', expression: 'variables.self' }]
  expect(objectionsOf({ variables, validations: [{ expression: 'variables.self == 1' }] })[0]?.message).toContain(
    'no such key: self',
  )
})
