import { expect, test } from 'vitest'
import { KubeError, type KubeErrorDetails } from './errors.ts'
import { retryDelayMs } from './retry.ts'
import type { Method } from './transport.ts'

const middle = { next: () => 0.5 }

const delayMs = (method: Method, details: KubeErrorDetails, attempts = 1) =>
  retryDelayMs({ method, error: new KubeError('', details), attempts }, middle)

test.each<{ name: string; method: Method; details: KubeErrorDetails; expected: number | undefined }>([
  {
    name: 'a read after a broken connection',
    method: 'GET',
    details: { kind: 'unreachable', mayHaveHappened: true },
    expected: 100,
  },
  {
    name: 'a read after a 500',
    method: 'GET',
    details: { kind: 'serverError', code: 500, mayHaveHappened: true },
    expected: 100,
  },
  {
    name: 'a write that never left',
    method: 'POST',
    details: { kind: 'unreachable', mayHaveHappened: false },
    expected: 100,
  },
  {
    name: 'no write whose reply was lost',
    method: 'POST',
    details: { kind: 'unreachable', mayHaveHappened: true },
    expected: undefined,
  },
  {
    name: 'no delete whose reply was lost',
    method: 'DELETE',
    details: { kind: 'unreachable', mayHaveHappened: true },
    expected: undefined,
  },
  { name: 'no write after a 500', method: 'PATCH', details: { kind: 'serverError', code: 500 }, expected: undefined },
  {
    name: 'no write after a bare 503',
    method: 'PUT',
    details: { kind: 'serverError', code: 503 },
    expected: undefined,
  },
  {
    name: 'a write that a stopping server sent away',
    method: 'PUT',
    details: { kind: 'serverError', code: 503, retryAfterSeconds: 1 },
    expected: 1_000,
  },
  {
    name: 'a write after 429, when the server says',
    method: 'POST',
    details: { kind: 'tooManyRequests', code: 429, retryAfterSeconds: 3 },
    expected: 3_000,
  },
  { name: 'a 429 that names no time', method: 'POST', details: { kind: 'tooManyRequests', code: 429 }, expected: 100 },
  {
    name: 'a 429 with a time of 0',
    method: 'POST',
    details: { kind: 'tooManyRequests', code: 429, retryAfterSeconds: 0 },
    expected: 100,
  },
  {
    name: 'no 429 that asks for an hour',
    method: 'GET',
    details: { kind: 'tooManyRequests', code: 429, retryAfterSeconds: 3_600 },
    expected: undefined,
  },
  { name: 'no conflict', method: 'PUT', details: { kind: 'conflict', code: 409 }, expected: undefined },
  { name: 'nothing that is not found', method: 'GET', details: { kind: 'notFound', code: 404 }, expected: undefined },
  { name: 'nothing invalid', method: 'POST', details: { kind: 'invalid', code: 422 }, expected: undefined },
  { name: 'nothing forbidden', method: 'GET', details: { kind: 'forbidden', code: 403 }, expected: undefined },
])('repeats $name', ({ method, details, expected }) => {
  expect(delayMs(method, details)).toBe(expected)
})

test('waits twice as long each time, and stops after six attempts', () => {
  const delays = [1, 2, 3, 4, 5, 6].map((attempts) => delayMs('GET', { kind: 'unreachable' }, attempts))
  expect(delays).toEqual([100, 200, 400, 800, 1_600, undefined])
})
