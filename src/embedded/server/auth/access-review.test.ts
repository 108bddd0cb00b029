import { expect, test } from 'vitest'
import type { AccessAttributes } from '../authorization.ts'
import { reviewKinds } from '../kinds/review-kinds.ts'
import { reviewOwnAccess } from './access-review.ts'

test('what is empty in a question stands for nothing, as in Go', () => {
  const definition = reviewKinds[1]
  if (definition === undefined) throw new Error('there are reviews')
  const asked: AccessAttributes[] = []
  const authorizer = {
    authorize: (attributes: AccessAttributes) => {
      asked.push(attributes)
      return { allowed: true, reason: 'because' }
    },
  }
  const resourceAttributes = { verb: 'get', resource: 'pods', namespace: '', name: '', subresource: '' }
  const user = { name: 'joe', groups: [] }
  const request = {
    method: 'POST',
    path: '',
    query: {},
    headers: {},
    body: { spec: { resourceAttributes } },
    user,
    signal: undefined,
  } as const
  const target = { request, definition, namespace: undefined, name: undefined, subresource: undefined, dryRun: false }
  expect(reviewOwnAccess(target, authorizer)).toMatchObject({ status: { allowed: true, reason: 'because' } })
  const nothing = { namespace: undefined, name: undefined, subresource: undefined, group: '' }
  expect(asked).toEqual([{ user, verb: 'get', resource: 'pods', ...nothing }])
})
