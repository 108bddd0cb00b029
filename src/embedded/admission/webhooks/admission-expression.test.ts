import { expect, test } from 'vitest'
import { buildAdmissionRequest } from '../../../../test/build/admission-request.ts'
import { compileExpression, compileFault, once, requestInput, requestVariables } from './admission-expression.ts'

const evaluate = (expression: string) =>
  compileExpression(expression, requestVariables)(requestInput(buildAdmissionRequest(), 'v1'))

test.each([
  ["object.metadata.name == 'a'", true],
  ['oldObject == null', true],
  ["request.operation == 'CREATE' && request.userInfo.username == 'ann'", true],
  ['has(request.subResource)', false],
  ["'editors' in request.userInfo.groups", true],
])('%s is %j', (expression, value) => {
  expect(evaluate(expression)).toEqual({ kind: 'value', value })
})

test('an error names the expression', () => {
  expect(evaluate('object.data.x == 1')).toEqual({
    kind: 'error',
    message: "expression 'object.data.x == 1' resulted in error: no such key: data",
    cause: 'no such key: data',
  })
})

test('what does not compile fails when it is evaluated', () => {
  expect(evaluate('object.')).toMatchObject({ kind: 'error', message: expect.stringMatching(/^compilation error: /) })
  expect(compileFault('object.', requestVariables)).toMatch(/^compilation failed: /)
  expect(compileFault('object == null', requestVariables)).toBeUndefined()
})

test('only what is named is made, and once', () => {
  let made = 0
  const object = once(() => ++made)
  const input = { object, oldObject: () => expect.unreachable(), request: () => expect.unreachable() }
  compileExpression('object != null && object != null', requestVariables)(input)
  compileExpression('object != null', requestVariables)(input)
  expect(made).toBe(1)
})
