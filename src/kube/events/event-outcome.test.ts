import { expect, test } from 'vitest'

import { KubeError, type KubeErrorKind } from '../client/errors.ts'
import { eventOutcomeOf } from './event-outcome.ts'

test.each<{ kind: KubeErrorKind; cause?: string; expected: string }>([
  { kind: 'alreadyExists', expected: 'exists' },
  { kind: 'notFound', expected: 'gone' },
  { kind: 'forbidden', cause: 'NamespaceTerminating', expected: 'namespaceTerminating' },
  { kind: 'forbidden', expected: 'refused' },
  { kind: 'invalid', expected: 'refused' },
  { kind: 'badRequest', expected: 'refused' },
  { kind: 'unsupported', expected: 'refused' },
  { kind: 'unreachable', expected: 'later' },
  { kind: 'serverError', expected: 'later' },
  { kind: 'tooManyRequests', expected: 'later' },
  { kind: 'unauthorized', expected: 'later' },
])('$kind $cause means $expected', ({ kind, cause, expected }) => {
  const causes = cause === undefined ? [] : [{ reason: cause }]
  expect(eventOutcomeOf(new KubeError('no', { kind, causes }))).toBe(expected)
})

test('what is no answer may be one later', () => {
  expect(eventOutcomeOf(new Error('no credentials'))).toBe('later')
})
