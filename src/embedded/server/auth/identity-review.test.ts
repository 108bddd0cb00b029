import { expect, test } from 'vitest'
import { reviewKinds } from '../kinds/review-kinds.ts'
import { reviewToken } from './identity-review.ts'

test('a token review asks for each audience, and names those that the token is good for', () => {
  const definition = reviewKinds.find(({ plural }) => plural === 'tokenreviews')
  if (definition === undefined) throw new Error('there are reviews')
  const asked: string[] = []
  const read = (_token: string, audience: string) => {
    asked.push(audience)
    return audience === 'b' ? { name: 'joe', groups: [] } : undefined
  }
  const body = { spec: { token: 't', audiences: ['a', 'b'] } }
  const user = { name: 'x', groups: [] }
  const request = { method: 'POST', path: '', query: {}, headers: {}, body, user, signal: undefined } as const
  const target = { request, definition, namespace: undefined, name: undefined, subresource: undefined, dryRun: false }
  expect(reviewToken(target, read)).toMatchObject({ status: { user: { username: 'joe' }, audiences: ['b'] } })
  expect(new Set(asked)).toEqual(new Set(['a', 'b']))
})
