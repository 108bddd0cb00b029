import { describe, expect, test } from 'vitest'
import { storedMeta } from '../../../../test/build/stored.ts'
import { decideEviction, isReady, stillProcessed } from './decide-eviction.ts'
import type { DisruptionBudget } from './disruption-budget.ts'

const pod = (phase = 'Running', ready = true, extra: object = {}) => ({
  metadata: storedMeta({ name: 'a', ...extra }),
  status: { phase, conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }] },
})
const budget = (status: DisruptionBudget['status'], policy?: string): DisruptionBudget => ({
  metadata: storedMeta({ name: 'web', generation: 1 }),
  spec: policy === undefined ? {} : { unhealthyPodEvictionPolicy: policy },
  status: { observedGeneration: 1, ...status },
})
const none = budget({ disruptionsAllowed: 0, currentHealthy: 2, desiredHealthy: 2 })
const short = { disruptionsAllowed: 0, currentHealthy: 1, desiredHealthy: 2 }

describe('decideEviction', () => {
  test.each([
    { name: 'a Succeeded pod goes unasked', of: pod('Succeeded'), budgets: [none], expected: 'delete' },
    { name: 'a Failed pod goes unasked', of: pod('Failed'), budgets: [none], expected: 'delete' },
    { name: 'a Pending pod goes unasked', of: pod('Pending'), budgets: [none], expected: 'delete' },
    {
      name: 'a terminating pod goes unasked',
      of: pod('Running', true, { deletionTimestamp: 'now' }),
      budgets: [none],
      expected: 'delete',
    },
    { name: 'without a budget it goes', of: pod(), budgets: [], expected: 'delete' },
    {
      name: 'two budgets are one too many',
      of: pod(),
      budgets: [none, none],
      expected: '500 This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
    },
    {
      name: 'a budget with room gives one away',
      of: pod(),
      budgets: [budget({ disruptionsAllowed: 1 })],
      expected: 'deleteFromBudget',
    },
    {
      name: 'a budget without room refuses, with its numbers',
      of: pod(),
      budgets: [none],
      expected: '429 The disruption budget web needs 2 healthy pods and has 2 currently',
    },
    {
      name: 'an unready pod goes while the rest is whole',
      of: pod('Running', false),
      budgets: [none],
      expected: 'delete',
    },
    {
      name: 'the same under IfHealthyBudget',
      of: pod('Running', false),
      budgets: [budget(none.status, 'IfHealthyBudget')],
      expected: 'delete',
    },
    {
      name: 'an unready pod stays while the rest is not',
      of: pod('Running', false),
      budgets: [budget(short)],
      expected: '429 The disruption budget web needs 2 healthy pods and has 1 currently',
    },
    {
      name: 'unless AlwaysAllow lets it go',
      of: pod('Running', false),
      budgets: [budget(short, 'AlwaysAllow')],
      expected: 'delete',
    },
    {
      name: 'AlwaysAllow does nothing for a ready pod',
      of: pod(),
      budgets: [budget(short, 'AlwaysAllow')],
      expected: '429 The disruption budget web needs 2 healthy pods and has 1 currently',
    },
    {
      name: 'wanting none is no reason to let an unready pod go',
      of: pod('Running', false),
      budgets: [budget({ disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0 })],
      expected: '429 The disruption budget web needs 0 healthy pods and has 0 currently',
    },
    {
      name: 'a budget that is behind its spec is not asked',
      of: pod(),
      budgets: [budget({ observedGeneration: 0, disruptionsAllowed: 5 })],
      expected: '429 The disruption budget web is still being processed by the server.',
    },
    {
      name: 'a negative allowance is nonsense',
      of: pod(),
      budgets: [budget({ disruptionsAllowed: -1 })],
      expected:
        '403 The disruption budget web does not allow evicting pods currently: pdb disruptions allowed is negative',
    },
    {
      name: 'a failed sync speaks for itself',
      of: pod(),
      budgets: [
        budget({
          disruptionsAllowed: 0,
          conditions: [
            {
              type: 'DisruptionAllowed',
              status: 'False',
              reason: 'SyncFailed',
              message: 'found no controllers',
              lastTransitionTime: '',
            },
          ],
        }),
      ],
      expected:
        '429 The disruption budget web does not allow evicting pods currently because it failed sync: found no controllers',
    },
    {
      name: 'more healthy than needed and still nothing allowed',
      of: pod(),
      budgets: [budget({ disruptionsAllowed: 0, currentHealthy: 3, desiredHealthy: 2 })],
      expected: '429 The disruption budget web does not allow evicting pods currently',
    },
  ])('$name', ({ of, budgets, expected }) => {
    const decision = decideEviction(of, budgets)
    const text =
      decision.kind === 'refuse'
        ? `${decision.failure.code} ${decision.failure.details?.causes?.[0]?.message ?? decision.failure.message}`
        : decision.kind
    expect(text).toBe(expected)
  })

  test.each([
    { count: 2_000, kind: 'deleteFromBudget' },
    { count: 2_001, kind: 'refuse' },
  ])('$count pods in flight: $kind', ({ count, kind }) => {
    const disruptedPods = Object.fromEntries(Array.from({ length: count }, (_, at) => [`pod-${at}`, 'now']))
    expect(decideEviction(pod(), [budget({ disruptionsAllowed: 1, disruptedPods })]).kind).toBe(kind)
  })
})

test('ready is what its condition says', () => {
  expect(isReady(pod())).toBe(true)
  expect(isReady(pod('Running', false))).toBe(false)
  expect(isReady({ metadata: storedMeta() })).toBe(false)
})

test('a budget in progress asks for ten seconds', () => {
  expect(stillProcessed('web').details?.retryAfterSeconds).toBe(10)
})
