import { expect, test } from 'vitest'
import { podView } from '../../test/build/descheduler-view.ts'
import { KubeError } from '../kube/client/errors.ts'
import type { EvictOutcome } from '../kube/client/evict-outcome.ts'
import { VirtualClock } from '../runtime/virtual-clock.ts'
import { byEvacuation, byEviction, onlyReporting, type EvacuationOutcome } from './asking.ts'

const strategy = { profile: 'p', strategy: 'PodLifeTime' } as const
const { signal } = new AbortController()
const plain = podView({ name: 'a', labels: { app: 'web' } })
const only = podView({ name: 'b', marks: { requestEvictOnly: true } })
const refused = (message: string, code = 429): EvictOutcome => ({
  kind: 'refused',
  by: { kind: 'admission', message },
  code,
  retryAfterSeconds: undefined,
})

function evicting(outcome: EvictOutcome) {
  const sent: unknown[] = []
  const evict = async (
    pod: object,
    { annotations, gracePeriodSeconds }: object & { annotations: object; gracePeriodSeconds?: number },
  ) => {
    sent.push({ pod, annotations, gracePeriodSeconds })
    return outcome
  }
  const parts = { gracePeriodSeconds: 5, messagePrefixes: ['Eviction triggered'] }
  return { asking: byEviction({ evict }, parts), sent }
}

test('an eviction carries the UID, the reason and the grace period', async () => {
  const { asking, sent } = evicting({ kind: 'accepted' })
  expect(await asking.ask(plain, strategy, signal)).toEqual({ kind: 'requested' })
  expect(sent).toEqual([
    {
      pod: { namespace: 'default', name: 'a', uid: 'a-uid' },
      annotations: { reason: 'triggered by p/PodLifeTime: ', 'requested-by': 'sigs.k8s.io/descheduler' },
      gracePeriodSeconds: 5,
    },
  ])
})

const kubeVirt = 'admission webhook "v" denied the request: Eviction triggered evacuation of VMI "b"'

test.each([
  { name: 'a pod that is gone', pod: plain, outcome: { kind: 'gone' }, expected: 'it is gone' },
  {
    name: 'a budget',
    pod: plain,
    outcome: {
      kind: 'refused',
      by: { kind: 'budget', budget: 'web', needed: 2, healthy: 1 },
      code: 429,
      retryAfterSeconds: undefined,
    },
    expected: 'budget web needs 2 healthy pods and has 1',
  },
  { name: 'other words', pod: only, outcome: refused('not now'), expected: 'not now' },
  {
    name: 'the words, for a pod that does not ask for them',
    pod: plain,
    outcome: refused(kubeVirt),
    expected: kubeVirt,
  },
  { name: 'the words, with another code', pod: only, outcome: refused(kubeVirt, 403), expected: kubeVirt },
] as const)('$name: refused', async ({ pod, outcome, expected }) => {
  const { asking } = evicting(outcome)
  expect(await asking.ask(pod, strategy, signal)).toEqual({ kind: 'refused', reason: expected })
})

test.each(['evictionFailed', 'evictionForbidden'] as const)('%s: refused in the words of the server', async (kind) => {
  const { asking } = evicting({ ...refused('you may not'), by: { kind, message: 'you may not' } } as EvictOutcome)
  expect(await asking.ask(plain, strategy, signal)).toEqual({ kind: 'refused', reason: 'you may not' })
  const may = kind === 'evictionFailed' ? { kind: 'promised' } : { kind: 'refused', reason: 'you may not' }
  expect(await asking.ask(only, strategy, signal)).toEqual(may)
})

test.each([{ message: kubeVirt }, { message: kubeVirt.replace('Eviction', 'Evacuation in progress: Eviction') }])(
  'words that promise an eviction in the background are taken for it: $message',
  async ({ message }) => {
    const { asking } = evicting(refused(message))
    expect(await asking.ask(only, strategy, signal)).toEqual({ kind: 'promised' })
  },
)

test.each([
  { pod: plain, expected: { kind: 'refused', reason: 'whether it was evicted is unknown: no answer' } },
  { pod: only, expected: { kind: 'promised' } },
])('a lost answer for $pod.name: $expected.kind', async ({ pod, expected }) => {
  const error = new KubeError('no answer', { kind: 'unreachable', mayHaveHappened: true })
  expect(await evicting({ kind: 'unknown', error }).asking.ask(pod, strategy, signal)).toEqual(expected)
})

test.each([
  { outcome: { kind: 'requested' }, expected: { kind: 'requested' } },
  { outcome: { kind: 'podGone' }, expected: { kind: 'refused', reason: 'it is gone' } },
  { outcome: { kind: 'beingCancelled' }, expected: { kind: 'refused', reason: 'its Evacuation is being cancelled' } },
  { outcome: { kind: 'refused', message: 'no right' }, expected: { kind: 'refused', reason: 'no right' } },
] as const)('an Evacuation that is $outcome.kind', async ({ outcome, expected }) => {
  const sent: unknown[] = []
  const request = async (...[pod, more]: readonly unknown[]): Promise<EvacuationOutcome> => {
    sent.push([pod, more])
    return outcome
  }
  const asking = byEvacuation({ request }, { clock: new VirtualClock(), fallback: onlyReporting })
  expect(await asking.ask(plain, strategy, signal)).toEqual(expected)
  expect(sent).toMatchObject([
    [
      { namespace: 'default', name: 'a', uid: 'a-uid' },
      {
        node: 'n1',
        labels: { app: 'web' },
        annotations: { 'evacuation.coordination.k8s.io/descheduler-request': expect.stringContaining('PodLifeTime') },
      },
    ],
  ])
})

test('a pod that takes evictions only is evicted in every mode', async () => {
  const { asking: fallback, sent } = evicting({ kind: 'accepted' })
  const request = () => Promise.reject(new Error('asked for an Evacuation'))
  const asking = byEvacuation({ request }, { clock: new VirtualClock(), fallback })
  expect(await asking.ask(only, strategy, signal)).toEqual({ kind: 'requested' })
  expect(sent).toHaveLength(1)
})
