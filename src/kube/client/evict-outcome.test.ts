import { expect, test } from 'vitest'
import { errorFromResponse, KubeError } from './errors.ts'
import { evictOutcomeOf } from './evict-outcome.ts'

const outcome = (status: number, reason: string, message: string, details = {}) =>
  evictOutcomeOf(
    errorFromResponse('POST /x', { status, headers: {}, body: { kind: 'Status', reason, message, details } }),
  )

const byBudget = (message: string) => ({ causes: [{ reason: 'DisruptionBudget', message }] })
const refusal = "Cannot evict pod as it would violate the pod's disruption budget."

test.each([
  {
    name: 'a budget without room, with its numbers',
    answer: () =>
      outcome(
        429,
        'TooManyRequests',
        refusal,
        byBudget('The disruption budget web needs 3 healthy pods and has 2 currently'),
      ),
    expected: { kind: 'refused', by: { kind: 'budget', budget: 'web', needed: 3, healthy: 2 } },
  },
  {
    name: 'a budget that is not synced yet, with the time to wait',
    answer: () =>
      outcome(429, 'TooManyRequests', refusal, {
        ...byBudget('The disruption budget web is still being processed by the server.'),
        retryAfterSeconds: 10,
      }),
    expected: { kind: 'refused', by: { kind: 'budgetUnclear', budget: 'web' }, retryAfterSeconds: 10 },
  },
  {
    name: 'a budget with too many pods in flight',
    answer: () =>
      outcome(
        403,
        'Forbidden',
        'poddisruptionbudgets "web" is forbidden',
        byBudget('The disruption budget web does not allow evicting pods currently: too many'),
      ),
    expected: { kind: 'refused', by: { kind: 'budgetUnclear', budget: 'web' } },
  },
  {
    name: 'two budgets on one pod',
    answer: () =>
      outcome(
        500,
        '',
        'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
      ),
    expected: { kind: 'refused', by: { kind: 'manyBudgets' } },
  },
  {
    name: 'a webhook that says no',
    answer: () => outcome(403, 'Forbidden', 'admission webhook "guard.example.com" denied the request: not on Fridays'),
    expected: { kind: 'refused', by: { kind: 'admission' }, code: 403 },
  },
  {
    name: 'a webhook that says no with another code, and gives no reason',
    answer: () => outcome(429, '', 'admission webhook "vm.example.com" denied the request: on its way'),
    expected: { kind: 'refused', by: { kind: 'admission' }, code: 429 },
  },
  {
    name: 'a busy server',
    answer: () =>
      outcome(429, 'TooManyRequests', 'Too many requests, please try again later.', { retryAfterSeconds: 1 }),
    expected: { kind: 'refused', by: { kind: 'throttled' }, retryAfterSeconds: 1 },
  },
  {
    name: 'a pod that is not there',
    answer: () => outcome(404, 'NotFound', 'pods "a" not found'),
    expected: { kind: 'gone' },
  },
  {
    name: 'another pod of the same name',
    answer: () =>
      outcome(
        409,
        'Conflict',
        'Operation cannot be fulfilled on Pod "a": the UID in the precondition (x) does not match the UID in record (y).',
      ),
    expected: { kind: 'gone' },
  },
  {
    name: 'a webhook of another party that is down',
    answer: () =>
      outcome(
        500,
        'InternalError',
        'Internal error occurred: failed calling webhook "guard.example.com": failed to call webhook: Post "https://guard.example.svc:443/": connection refused',
      ),
    expected: { kind: 'refused', by: { kind: 'evictionFailed', webhook: 'guard.example.com' }, code: 500 },
  },
  {
    name: 'a server that failed half-way',
    answer: () => outcome(500, 'InternalError', 'etcdserver: request timed out'),
    expected: { kind: 'refused', by: { kind: 'evictionFailed', message: 'etcdserver: request timed out' } },
  },
  {
    name: 'a server that took too long, with the time to wait',
    answer: () => outcome(504, 'Timeout', 'Timeout: request did not complete', { retryAfterSeconds: 5 }),
    expected: { kind: 'refused', by: { kind: 'evictionFailed' }, retryAfterSeconds: 5 },
  },
  {
    name: 'a missing right',
    answer: () => outcome(403, 'Forbidden', 'pods "a" is forbidden: User "x" cannot create resource "pods/eviction"'),
    expected: { kind: 'refused', by: { kind: 'evictionForbidden' }, code: 403 },
  },
  {
    name: 'a pod that others change all the time',
    answer: () => outcome(409, 'Conflict', 'the object has been modified'),
    expected: { kind: 'refused', by: { kind: 'evictionFailed', message: 'the object has been modified' } },
  },
  {
    name: 'a webhook that says no as if the pod were not there',
    answer: () => outcome(404, 'NotFound', 'admission webhook "guard.example.com" denied the request: unknown'),
    expected: { kind: 'refused', by: { kind: 'admission' } },
  },
])('$name', ({ answer, expected }) => {
  expect(answer()).toMatchObject(expected)
})

test('no answer at all leaves open whether it happened', () => {
  expect(evictOutcomeOf(new KubeError('socket hang up', { kind: 'unreachable', mayHaveHappened: true }))).toMatchObject(
    {
      kind: 'unknown',
    },
  )
})

test('an expired token says nothing about the eviction and is thrown', () => {
  expect(outcome(401, 'Unauthorized', 'Unauthorized')).toBeUndefined()
})
