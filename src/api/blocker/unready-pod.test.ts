import { expect, test } from 'vitest'
import { podOf } from '../../../test/build/why-view.ts'
import { storedMeta } from '../../../test/build/stored.ts'
import type { Pod } from '../kubernetes/core.ts'
import type { PodDisruptionBudget } from '../kubernetes/policy.ts'
import { blockerCommands, renderRemedy, renderWaiting, type Blocker } from './blocker.ts'
import { letsUnreadyGo, withoutOldReadiness, withReadiness } from './unready-pod.ts'

const ready = (status: 'True' | 'False'): Pod => ({ ...podOf(), status: { conditions: [{ type: 'Ready', status }] } })
const refusal = { kind: 'budget', budget: 'web', healthy: 1, needed: 2 }
const kept = { ...refusal, unhealthyPodEvictionPolicy: 'IfHealthyBudget' }

test.each([
  { name: 'an unready pod is kept by the default policy', refusal, pod: ready('False'), expected: kept },
  { name: 'a pod without conditions is not ready', refusal, pod: podOf(), expected: kept },
  {
    name: 'so it is where none is needed and none is healthy',
    refusal: { ...refusal, healthy: 0, needed: 0 },
    pod: ready('False'),
    expected: { ...kept, healthy: 0, needed: 0 },
  },
  { name: 'a ready pod is refused under any policy', refusal, pod: ready('True'), expected: refusal },
  { name: 'a pod that was not seen may be ready', refusal, pod: undefined, expected: refusal },
  {
    name: 'enough healthy pods would have let an unready one go',
    refusal: { ...refusal, healthy: 2 },
    pod: ready('False'),
    expected: { ...refusal, healthy: 2 },
  },
  {
    name: 'no policy of a budget helps against another refusal',
    refusal: { kind: 'throttled' },
    pod: ready('False'),
    expected: { kind: 'throttled' },
  },
])('$name', ({ refusal: given, pod, expected }) => {
  expect(withReadiness(given, pod)).toEqual(expected)
})

test('a pod that is ready again is no longer an unready one', () => {
  const blocker = { ...refusal, unhealthyPodEvictionPolicy: 'IfHealthyBudget' } as const
  expect(withoutOldReadiness(blocker, ready('True'))).toEqual(refusal)
  expect(withoutOldReadiness(blocker, ready('False'))).toEqual(blocker)
})

test.each<{ policy: 'AlwaysAllow' | 'IfHealthyBudget' | undefined; healthy: number; needed: number; goes: boolean }>([
  { policy: 'AlwaysAllow', healthy: 0, needed: 2, goes: true },
  { policy: 'IfHealthyBudget', healthy: 1, needed: 2, goes: false },
  { policy: undefined, healthy: 1, needed: 2, goes: false },
  { policy: undefined, healthy: 2, needed: 2, goes: true },
  { policy: undefined, healthy: 0, needed: 0, goes: false },
])('under $policy with $healthy healthy of $needed, unready pods go: $goes', ({ policy, healthy, needed, goes }) => {
  const budget: PodDisruptionBudget = {
    metadata: storedMeta({ namespace: 'shop', name: 'web' }),
    spec: policy === undefined ? {} : { unhealthyPodEvictionPolicy: policy },
    status: { currentHealthy: healthy, desiredHealthy: needed },
  }
  expect(letsUnreadyGo(budget)).toBe(goes)
})

test('an unready pod is said to be so, with what holds for it and the command that lets it go', () => {
  const pod = { namespace: 'shop', name: 'web-0', uid: 'uid-0' }
  const blocker: Blocker = { kind: 'budget', pod, budget: 'web', healthy: 1, needed: 2 }
  const unready: Blocker = { ...blocker, unhealthyPodEvictionPolicy: 'IfHealthyBudget' }
  const patch = `kubectl patch pdb web -n shop --type=merge -p '{"spec":{"unhealthyPodEvictionPolicy":"AlwaysAllow"}}'`
  expect(renderWaiting(unready)).toBe('is not ready and waits for budget web (1 healthy, 2 needed)')
  expect(renderRemedy(unready)).toBe(
    '2 healthy pods under budget web: the pod is not ready, and under unhealthyPodEvictionPolicy IfHealthyBudget such a pod may leave only once the budget is healthy (currentHealthy >= desiredHealthy); or the policy AlwaysAllow, which lets pods go that are not ready',
  )
  expect(blockerCommands(unready)).toEqual(['kubectl -n shop describe poddisruptionbudget web', patch])
  expect(`${renderRemedy(blocker)} ${blockerCommands(blocker).join(' ')}`).not.toContain('AlwaysAllow')
})
