import { describe, expect, test } from 'vitest'
import type { AccessAttributes } from '../authorization.ts'
import { AuthorizerValue } from './cel-authorizer.ts'
import { CelCompileError, compileCel } from './cel.ts'

const user = { name: 'ann', groups: ['editors', 'system:authenticated'] }
const requested = { group: 'apps', resource: 'deployments', subresource: 'scale', namespace: 'shop', name: 'web' }

/** Evaluates, and tells what was asked on the way. Only `get` is allowed. */
function ask(expression: string) {
  const asked: AccessAttributes[] = []
  const authorizer = {
    authorize: (attributes: AccessAttributes) => {
      asked.push(attributes)
      return { allowed: attributes.verb === 'get', reason: attributes.verb === 'get' ? 'a role says so' : '' }
    },
  }
  const values = { authorizer: new AuthorizerValue(authorizer, user, requested), object: { name: 'web' } }
  return { outcome: compileCel(expression, ['authorizer', 'object']).evaluate(values), asked }
}

const pods = "authorizer.group('').resource('pods')"
const nothing = { group: '', resource: '', subresource: undefined, namespace: undefined, name: undefined }

test.each<[string, Partial<AccessAttributes>]>([
  [`${pods}.check('get')`, { resource: 'pods' }],
  [`${pods}.namespace('shop').name(object.name).check('get')`, { resource: 'pods', namespace: 'shop', name: 'web' }],
  [`${pods}.subresource('log').check('get')`, { resource: 'pods', subresource: 'log' }],
  [`${pods}.subresource('').namespace('').name('').check('get')`, { resource: 'pods' }],
  ["authorizer.group('apps').resource('deployments').check('get')", { group: 'apps', resource: 'deployments' }],
  ["authorizer.path('/healthz').check('get')", { path: '/healthz' }],
  ["authorizer.requestResource.check('get')", requested],
  ["authorizer.requestResource.subresource('').check('get')", { ...requested, subresource: undefined }],
  [
    "authorizer.serviceAccount('shop', 'robot').path('/x').check('get')",
    {
      path: '/x',
      user: {
        name: 'system:serviceaccount:shop:robot',
        groups: ['system:serviceaccounts', 'system:serviceaccounts:shop'],
      },
    },
  ],
])('%s asks for %j', (expression, attributes) => {
  const { outcome, asked } = ask(`${expression}.allowed()`)
  expect(outcome).toEqual({ kind: 'value', value: true })
  expect(asked).toEqual([{ ...nothing, verb: 'get', user, ...attributes }])
})

test.each<[string, unknown]>([
  [`${pods}.check('delete').allowed()`, false],
  [`${pods}.check('get').reason()`, 'a role says so'],
  [`${pods}.check('delete').reason()`, ''],
  [`${pods}.check('delete').errored()`, false],
  [`${pods}.check('delete').error()`, ''],
])('%s is %j', (expression, value) => {
  expect(ask(expression).outcome).toEqual({ kind: 'value', value })
})

test.each([
  ["authorizer.path(' ').check('get').allowed()", 'path must not be empty'],
  ["authorizer.group('').resource('').check('get').allowed()", 'resource must not be empty'],
  ["authorizer.serviceAccount('shop', 'not@valid').path('/x').check('get').allowed()", 'Invalid service account name'],
  [
    "authorizer.serviceAccount('not.a.label', 'robot').path('/x').check('get').allowed()",
    'Invalid service account namespace',
  ],
  [`${pods}.check(object.name == 'web' ? object.missing : '').allowed()`, 'no such key: missing'],
])('%s fails: %s', (expression, message) => {
  expect(ask(expression).outcome).toMatchObject({ kind: 'error', message })
})

test('two checks fit into one expression, three do not', () => {
  const check = `${pods}.check('get').allowed()`
  expect(ask(`${check} && ${check}`).outcome).toEqual({ kind: 'value', value: true })
  expect(ask(`${check} && ${check} && ${check}`).outcome).toMatchObject({ kind: 'error', isOverLimit: true })
})

test('each evaluation has room for two checks of its own', () => {
  const program = compileCel(`[1, 2, 3].exists(n, n > object.count && ${pods}.check('get').allowed())`, [
    'authorizer',
    'object',
  ])
  const authorizer = new AuthorizerValue({ authorize: () => ({ allowed: false, reason: '' }) }, user, requested)
  const evaluate = (count: bigint) => program.evaluate({ authorizer, object: { count } })
  for (const _time of [1, 2]) {
    expect(evaluate(1n)).toEqual({ kind: 'value', value: false })
    expect(evaluate(0n)).toMatchObject({ kind: 'error', isOverLimit: true })
  }
})

describe('what does not compile', () => {
  test.each([
    "authorizer.unheardOf('x')",
    'authorizer.user',
    "authorizer.group('').check('get')",
    "authorizer.check('get')",
    `${pods}.check('get').denied()`,
    `${pods}.check(1).allowed()`,
    `${pods}.fieldSelector('spec.nodeName=a').check('list').allowed()`,
    `${pods}.labelSelector('app=a').check('list').allowed()`,
    `${pods}.resource`,
    `${pods}.check('get') && true`,
    "authorizer.serviceAccount('shop').path('/x').check('get').allowed()",
  ])('%s', (expression) => {
    expect(() => compileCel(expression, ['authorizer', 'object'])).toThrow(CelCompileError)
  })

  test('a check where nobody gives an authorizer', () => {
    expect(() => compileCel(`${pods}.check('get').allowed()`, ['object'])).toThrow(CelCompileError)
  })
})
