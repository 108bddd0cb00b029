import { expect, test } from 'vitest'
import { buildAdmissionRequest } from '../../../../../test/build/admission-request.ts'
import { allowEverything, type AccessAttributes } from '../../authorization.ts'
import { compileExpression, compileFault, once, requestInput, requestVariables } from './admission-expression.ts'

const evaluate = (expression: string) =>
  compileExpression(expression, requestVariables)(requestInput(buildAdmissionRequest(), 'v1', allowEverything))

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

test.each([
  ['object == null', 'bool', undefined],
  ['object.isFine', 'bool', undefined],
  ['1 + 1', 'bool', 'must evaluate to bool but got int'],
  ["'a'", 'string', undefined],
  ["authorizer.path('/x').check('get')", 'bool', 'must evaluate to bool but got kubernetes.authorization.Decision'],
  ["authorizer.path('/x').check('get')", 'any', undefined],
] as const)('%s as %s: %s', (expression, wanted, fault) => {
  expect(compileFault(expression, requestVariables, wanted)).toBe(fault)
})

test('the authorizer knows the user and the resource of the request', () => {
  const asked: AccessAttributes[] = []
  const authorizer = {
    authorize: (attributes: AccessAttributes) => {
      asked.push(attributes)
      return { allowed: attributes.verb === 'delete', reason: 'because' }
    },
  }
  const request = buildAdmissionRequest()
  const expression =
    "authorizer.requestResource.check('delete').allowed() && !authorizer.path('/x').check('get').allowed()"
  const outcome = compileExpression(expression, requestVariables)(requestInput(request, 'v1', authorizer))
  expect(outcome).toEqual({ kind: 'value', value: true })
  const { user, namespace, name, definition } = request
  expect(asked).toEqual([
    { user, verb: 'delete', group: definition.group, resource: definition.plural, namespace, name },
    { user, verb: 'get', path: '/x', group: '', resource: '' },
  ])
})

test('only what is named is made, and once', () => {
  let made = 0
  const object = once(() => ++made)
  const input = { object, oldObject: () => expect.unreachable(), request: () => expect.unreachable() }
  compileExpression('object != null && object != null', requestVariables)(input)
  compileExpression('object != null', requestVariables)(input)
  expect(made).toBe(1)
})
