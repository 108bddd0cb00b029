import { expect, test } from 'vitest'
import { storedMeta } from '../../../test/build/stored.ts'
import { matchesDrainTargets, type DrainTarget } from './drain-targets.ts'
import type { Pod } from '../kubernetes/core.ts'

const owner = { apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'logs', uid: '1', controller: true }
const pod = (options: { priority?: number; app?: string; daemonSet?: boolean }): Pod => ({
  metadata: storedMeta({
    namespace: 'shop',
    labels: { app: options.app ?? 'cart' },
    ...(options.daemonSet === true ? { ownerReferences: [owner] } : {}),
  }),
  spec: { containers: [], ...(options.priority === undefined ? {} : { priority: options.priority }) },
})

const upTo1000: DrainTarget = { podPriority: 1_000, podType: 'Default' }
const postgresUpTo2000: DrainTarget = {
  podPriority: 2_000,
  podType: 'Default',
  podSelector: { matchLabels: { app: 'postgres' } },
}
const negative: DrainTarget = { podPriority: -10, podType: 'Default' }

test.each<{ name: string; pod: Pod; targets: DrainTarget[]; expected: boolean }>([
  { name: 'nothing is targeted without targets', pod: pod({}), targets: [], expected: false },
  { name: 'a lower priority is targeted', pod: pod({ priority: 999 }), targets: [upTo1000], expected: true },
  { name: 'the same priority is targeted', pod: pod({ priority: 1_000 }), targets: [upTo1000], expected: true },
  { name: 'a higher one is not', pod: pod({ priority: 1_001 }), targets: [upTo1000], expected: false },
  { name: 'no priority counts as 0', pod: pod({}), targets: [upTo1000], expected: true },
  { name: 'no priority is above negative ones', pod: pod({}), targets: [negative], expected: false },
  { name: 'another type is not targeted', pod: pod({ daemonSet: true }), targets: [upTo1000], expected: false },
  {
    name: 'a selector targets by label',
    pod: pod({ priority: 2_000, app: 'postgres' }),
    targets: [upTo1000, postgresUpTo2000],
    expected: true,
  },
  {
    name: 'a selector passes over other labels',
    pod: pod({ priority: 2_000 }),
    targets: [upTo1000, postgresUpTo2000],
    expected: false,
  },
])('$name', ({ pod: subject, targets, expected }) => {
  expect(matchesDrainTargets(subject, targets)).toBe(expected)
})
