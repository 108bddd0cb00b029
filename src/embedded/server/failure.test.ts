import { expect, test } from 'vitest'
import {
  alreadyExists,
  conflict,
  forbidden,
  internal,
  invalid,
  modifiedMeanwhile,
  notFound,
  tellingWarnings,
  tooManyRequests,
  unauthorized,
} from './failure.ts'

const pods = { group: '', plural: 'pods' }
const deployments = { group: 'apps', plural: 'deployments' }

test.each([
  { failure: notFound(pods, 'a'), code: 404, message: 'pods "a" not found' },
  { failure: notFound(deployments, 'a'), code: 404, message: 'deployments.apps "a" not found' },
  { failure: alreadyExists(pods, 'a'), code: 409, message: 'pods "a" already exists' },
  {
    failure: conflict(pods, 'a', modifiedMeanwhile),
    code: 409,
    message: `Operation cannot be fulfilled on pods "a": ${modifiedMeanwhile}`,
  },
  { failure: forbidden(pods, '', 'no'), code: 403, message: 'pods is forbidden: no' },
  { failure: forbidden(pods, undefined, 'no'), code: 403, message: 'pods is forbidden: no' },
  { failure: notFound(pods, undefined), code: 404, message: 'pods "" not found' },
  { failure: invalid('Pod', '', undefined, []), code: 422, message: 'Pod "" is invalid: []' },
  { failure: unauthorized(), code: 401, message: 'Unauthorized' },
  { failure: internal('oops'), code: 500, message: 'Internal error occurred: oops' },
])('$message', ({ failure, code, message }) => {
  expect(failure.toStatus()).toMatchObject({ kind: 'Status', status: 'Failure', code, message })
})

test('an invalid object lists its faults, and each is a cause with its field', () => {
  const required = { field: 'spec.a', kind: 'Required', message: 'Required value' } as const
  const other = { field: 'spec.b', kind: 'Invalid', message: 'Invalid value: 1: too small' } as const
  expect(invalid('Deployment', 'apps', 'web', [required]).message).toBe(
    'Deployment.apps "web" is invalid: spec.a: Required value',
  )
  expect(invalid('Pod', '', 'a', [required, other]).toStatus()).toMatchObject({
    message: 'Pod "a" is invalid: [spec.a: Required value, spec.b: Invalid value: 1: too small]',
    details: {
      kind: 'Pod',
      causes: [
        { field: 'spec.a', reason: 'FieldValueRequired' },
        { field: 'spec.b', reason: 'FieldValueInvalid' },
      ],
    },
  })
})

test('a time to wait of 0 is not given', () => {
  expect(tooManyRequests('busy', 0).details).not.toHaveProperty('retryAfterSeconds')
  expect(tooManyRequests('busy', 10).details?.retryAfterSeconds).toBe(10)
})

test('a failure brings along what admission had to say before it', async () => {
  const warnings: string[] = []
  const failing = tellingWarnings(warnings, async () => {
    warnings.push('careful')
    throw notFound(pods, 'a')
  })
  await expect(failing).rejects.toMatchObject({ code: 404, warnings: ['careful'] })
})
