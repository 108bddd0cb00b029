import { expect, test } from 'vitest'
import { changedOutcomes } from './changed-outcomes.ts'
import { resolve, type Resolution } from './plan.ts'
import { tallyNode } from './pods.ts'
import { noTargets } from './targets.ts'

const maintenance = (name: string) => ({ name, createdMs: 0, plan: [{ podPriority: 5, podType: 'Default' as const }] })
const [m, n] = [maintenance('m'), maintenance('n')]
const node = (name: string, maintenances = [m], daemons = 0) =>
  tallyNode({ name, maintenances, reached: noTargets, pods: { leaving: [], staying: { DaemonSet: daemons } } })
const before = resolve([node('one'), node('two')])

test.each<{ name: string; after: Resolution; nodes: string[]; maintenances: string[] }>([
  { name: 'the same', after: resolve([node('one'), node('two')]), nodes: [], maintenances: [] },
  {
    name: 'one more node',
    after: resolve([node('one'), node('two'), node('three')]),
    nodes: ['three'],
    maintenances: ['m'],
  },
  { name: 'one node less', after: resolve([node('one')]), nodes: [], maintenances: ['m'] },
  { name: 'all nodes gone', after: resolve([]), nodes: [], maintenances: ['m'] },
  {
    name: 'another maintenance',
    after: resolve([node('one'), node('two'), node('three', [n])]),
    nodes: ['three'],
    maintenances: ['n'],
  },
])('$name', ({ after, nodes, maintenances }) => {
  expect(changedOutcomes(before, after)).toEqual({ nodes, maintenances })
})
