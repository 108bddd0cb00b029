import { expect, test } from 'vitest'
import type { DrainTarget } from '../../api/maintenance/drain-targets.ts'
import { renderTarget } from './targets.ts'

const matchLabels = { app: 'web' }

test.each<{ target: DrainTarget; expected: string }>([
  { target: { podType: 'Default', podPriority: 5_000 }, expected: 'pods up to priority 5000' },
  { target: { podType: 'DaemonSet', podPriority: -10 }, expected: 'DaemonSet pods up to priority -10' },
  { target: { podType: 'Static', podPriority: 2_147_483_647 }, expected: 'all static pods' },
  {
    target: { podType: 'Default', podPriority: 5_000, podSelector: { matchLabels } },
    expected: 'pods with app=web up to priority 5000',
  },
  {
    target: {
      podType: 'Default',
      podPriority: 2_147_483_647,
      podSelector: {
        matchLabels,
        matchExpressions: [
          { key: 'tier', operator: 'In', values: ['a', 'b'] },
          { key: 'stage', operator: 'NotIn', values: ['test'] },
          { key: 'blue', operator: 'Exists' },
          { key: 'green', operator: 'DoesNotExist' },
        ],
      },
    },
    expected: 'all pods with app=web,tier in (a,b),stage notin (test),blue,!green',
  },
])('$expected', ({ target, expected }) => {
  expect(renderTarget(target)).toBe(expected)
})
