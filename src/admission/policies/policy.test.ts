import { expect, test } from 'vitest'
import { renderFieldProblem } from '../../api/schema/field-problem.ts'
import { compileCel } from '../../embedded/server/schema/cel.ts'
import { buildPodPolicy, buildPolicy, celProblem, celText } from './policy.ts'

const evaluated = (expression: string, value: string) => {
  const outcome = compileCel(expression, ['value']).evaluate({ value })
  return outcome.kind === 'value' ? outcome.value : outcome.message
}

test.each(["it's", 'a\\.b', 'plain', `"both" 'kinds'`])('%s is the same text in CEL', (text) => {
  expect(evaluated(celText(text), '')).toBe(text)
})

test.each([
  { name: 'a short value', value: 'high', shown: 'high' },
  { name: 'two lines', value: 'a\nb', shown: 'a b' },
])('$name is worded as everywhere else', ({ value, shown }) => {
  const expected = renderFieldProblem({ field: 'metadata.annotations[k]', value: shown, allowed: 'must be "x"' })
  expect(evaluated(celProblem("'k'", 'value', 'must be "x"'), value)).toBe(expected)
})

test('a long value is cut', () => {
  const message = evaluated(celProblem("'k'", 'value', 'no'), 'x'.repeat(10_000))
  expect(message).toBe(`metadata.annotations[k] is "${'x'.repeat(100)}…": no`)
})

test('a policy comes with a binding to all namespaces that refuses', () => {
  const [policy, binding] = buildPodPolicy('lifeboat-test', { matchConditions: [], validations: [] })
  expect(policy).toMatchObject({ kind: 'ValidatingAdmissionPolicy', spec: { failurePolicy: 'Fail' } })
  expect(binding).toEqual({
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata: { name: 'lifeboat-test', labels: { 'app.kubernetes.io/managed-by': 'lifeboat' } },
    spec: { policyName: 'lifeboat-test', validationActions: ['Deny'] },
  })
})

test('a policy may only warn', () => {
  const spec = {
    failurePolicy: 'Ignore',
    matchConstraints: { resourceRules: [] },
    matchConditions: [],
    validations: [],
  } as const
  const [policy, binding] = buildPolicy('lifeboat-test', 'Warn', spec)
  expect(policy.spec).toEqual(spec)
  expect(binding.spec).toEqual({ policyName: 'lifeboat-test', validationActions: ['Warn'] })
})
