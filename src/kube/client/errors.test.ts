import { describe, expect, test } from 'vitest'
import {
  errorFromResponse,
  errorFromWatchEvent,
  isKubeError,
  KubeError,
  unlessForbidden,
  unlessNotFound,
} from './errors.ts'

const answer = (status: number, reason = '', details = {}) => ({
  status,
  headers: {},
  body: { kind: 'Status', message: 'as the server says', reason, details },
})

describe('an answer that is not a success', () => {
  test.each([
    { name: '400 is a bad request', status: 400, reason: 'BadRequest', kind: 'badRequest' },
    { name: '401 is unauthorized', status: 401, reason: 'Unauthorized', kind: 'unauthorized' },
    { name: '403 is forbidden', status: 403, reason: 'Forbidden', kind: 'forbidden' },
    { name: '404 is not found', status: 404, reason: 'NotFound', kind: 'notFound' },
    { name: '409 AlreadyExists is not a conflict', status: 409, reason: 'AlreadyExists', kind: 'alreadyExists' },
    { name: '409 Conflict is one', status: 409, reason: 'Conflict', kind: 'conflict' },
    { name: '410 Expired is expired', status: 410, reason: 'Expired', kind: 'expired' },
    { name: '410 Gone is expired', status: 410, reason: 'Gone', kind: 'expired' },
    { name: '415 is unsupported', status: 415, reason: 'UnsupportedMediaType', kind: 'unsupported' },
    { name: '422 is invalid', status: 422, reason: 'Invalid', kind: 'invalid' },
    { name: '429 is too many requests', status: 429, reason: 'TooManyRequests', kind: 'tooManyRequests' },
    { name: '500 is a server error', status: 500, reason: 'InternalError', kind: 'serverError' },
    { name: '504 is a server error', status: 504, reason: 'Timeout', kind: 'serverError' },
    { name: 'an unheard-of 418 is our mistake', status: 418, reason: '', kind: 'badRequest' },
  ])('$name', ({ status, reason, kind }) => {
    const error = errorFromResponse('GET /x', answer(status, reason))
    expect(error).toMatchObject({ kind, code: status, reason, message: 'as the server says' })
  })

  test('keeps the causes with their fields', () => {
    const causes = [{ field: 'spec.stage', reason: 'FieldValueInvalid', message: 'cannot go back' }]
    expect(errorFromResponse('PUT /x', answer(422, 'Invalid', { causes })).causes).toEqual(causes)
  })

  test('takes the time to wait from the details before the header', () => {
    const response = { ...answer(429, 'TooManyRequests', { retryAfterSeconds: 10 }), headers: { 'retry-after': '1' } }
    expect(errorFromResponse('GET /x', response).retryAfterSeconds).toBe(10)
  })

  test('takes the time to wait from the header of a bare 429', () => {
    const response = { status: 429, headers: { 'retry-after': '7' }, body: 'Too many requests' }
    expect(errorFromResponse('GET /x', response)).toMatchObject({ retryAfterSeconds: 7, kind: 'tooManyRequests' })
  })

  test('passes over a time to wait that is not a number of seconds', () => {
    const response = { status: 429, headers: { 'retry-after': 'Wed, 21 Oct 2026 07:28:00 GMT' }, body: '' }
    expect(errorFromResponse('GET /x', response).retryAfterSeconds).toBeUndefined()
  })

  test('says what was asked for where the answer is no Status, and cuts it', () => {
    const response = { status: 502, headers: {}, body: `<html>${'x'.repeat(1_000)}` }
    const { message } = errorFromResponse('GET /api/v1/nodes', response)
    expect(message).toMatch(/^GET \/api\/v1\/nodes: 502 <html>x+$/)
    expect(message.length).toBeLessThan(300)
  })

  test.each([
    { status: 500, mayHaveHappened: true },
    { status: 504, mayHaveHappened: true },
    { status: 503, mayHaveHappened: false },
    { status: 422, mayHaveHappened: false },
  ])('$status: may have happened is $mayHaveHappened', ({ status, mayHaveHappened }) => {
    expect(errorFromResponse('POST /x', answer(status)).mayHaveHappened).toBe(mayHaveHappened)
  })
})

test('an ERROR event of a watch is classified by its Status', () => {
  expect(errorFromWatchEvent({ kind: 'Status', code: 410, reason: 'Expired' }).kind).toBe('expired')
  expect(errorFromWatchEvent(undefined).kind).toBe('serverError')
})

test('isKubeError asks for any of the kinds, or for none in particular', () => {
  const error = errorFromResponse('GET /x', answer(404, 'NotFound'))
  expect(isKubeError(error)).toBe(true)
  expect(isKubeError(error, 'conflict', 'notFound')).toBe(true)
  expect(isKubeError(error, 'conflict')).toBe(false)
  expect(isKubeError(new Error('other'))).toBe(false)
})

test('what is not there is undefined, and no other failure is', async () => {
  const failing = (kind: 'notFound' | 'forbidden') => Promise.reject(new KubeError('no', { kind }))
  expect(await unlessNotFound(Promise.resolve('found'))).toBe('found')
  expect(await unlessNotFound(failing('notFound'))).toBeUndefined()
  await expect(unlessNotFound(failing('forbidden'))).rejects.toMatchObject({ kind: 'forbidden' })
})

test('what somebody may not read is undefined, and any other failure stays one', async () => {
  const failing = (kind: 'forbidden' | 'notFound') =>
    Promise.reject(new KubeError('no', { kind, code: 400, reason: '' }))
  expect(await unlessForbidden(Promise.resolve('found'))).toBe('found')
  expect(await unlessForbidden(failing('forbidden'))).toBeUndefined()
  await expect(unlessForbidden(failing('notFound'))).rejects.toThrow('no')
})
