import { expect, test } from 'vitest'
import { storedMeta } from '../../../../test/build/stored.ts'
import { nodeNamed, templateOf } from '../../../../test/build/controller-ground.ts'
import type { Pod } from '../objects.ts'
import { planSurge, surgeOf, surgeSurplus } from './plan-surge.ts'

function pod(node: string, hash: 'old' | 'new', ready = true): Pod {
  return {
    metadata: storedMeta({ name: `${hash}-${node}`, labels: { 'controller-revision-hash': hash } }),
    spec: { nodeName: node },
    status: { phase: 'Running', conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }] },
  }
}

const tainted = nodeNamed('d', { spec: { taints: [{ key: 'dedicated', effect: 'NoSchedule' }] } })
const viewOf = (pods: readonly Pod[], maxSurge: number | string = 1) => ({
  daemonSet: {
    metadata: storedMeta(),
    spec: { template: templateOf({}), updateStrategy: { rollingUpdate: { maxSurge, maxUnavailable: 0 } } },
  },
  nodes: [...['a', 'b', 'c'].map((name) => nodeNamed(name)), tainted],
  pods,
  hash: 'new',
})
const namesOf = (pods: readonly Pod[]) => pods.map(({ metadata }) => metadata.name)
const allOld = [pod('a', 'old'), pod('b', 'old'), pod('c', 'old')]

test.each([
  { name: 'begins on one node', pods: allOld, createOn: ['a'], remove: [] },
  { name: 'begins on as many as it may', pods: allOld, maxSurge: '50%', createOn: ['a', 'b'], remove: [] },
  {
    name: 'waits for the new one',
    pods: [...allOld, pod('a', 'new', false)],
    createOn: [],
    remove: [],
  },
  {
    name: 'lets the old one go when the new one is there, and goes on',
    pods: [...allOld, pod('a', 'new')],
    createOn: ['b'],
    remove: ['old-a'],
  },
  {
    name: 'replaces what does not work beside the surge',
    pods: [pod('a', 'old'), pod('b', 'old', false), pod('c', 'old')],
    createOn: ['b', 'a'],
    remove: [],
  },
  {
    name: 'leaves nodes with too many to the first step, and counts them',
    pods: [...allOld, pod('a', 'old')],
    createOn: [],
    remove: [],
  },
  {
    name: 'keeps a misplaced one while others are missing',
    pods: [pod('a', 'new'), pod('b', 'new', false), pod('c', 'new'), pod('d', 'old')],
    createOn: [],
    remove: [],
  },
  {
    name: 'lets a misplaced one go when there are enough',
    pods: [pod('a', 'new'), pod('b', 'new'), pod('c', 'new'), pod('d', 'old')],
    createOn: [],
    remove: ['old-d'],
  },
  {
    name: 'lets a misplaced one that does not work go at once',
    pods: [pod('a', 'new', false), pod('b', 'new'), pod('c', 'new'), pod('d', 'old', false)],
    createOn: [],
    remove: ['old-d'],
  },
])('$name', ({ pods, maxSurge = 1, createOn, remove }) => {
  const plan = planSurge(viewOf(pods, maxSurge), 0)
  expect([plan.createOn, namesOf(plan.remove)]).toEqual([createOn, remove])
})

test.each([
  { name: 'one alone', pods: [pod('a', 'old')], expected: [] },
  { name: 'old and new, which is not ready', pods: [pod('a', 'old'), pod('a', 'new', false)], expected: [] },
  { name: 'old and new, which is ready', pods: [pod('a', 'old'), pod('a', 'new')], expected: ['old-a'] },
  {
    name: 'neither ready',
    pods: [pod('a', 'old', false), pod('a', 'new', false)],
    expected: ['old-a'],
  },
  { name: 'two new ones', pods: [pod('a', 'new'), pod('a', 'new')], expected: ['new-a'] },
])('surplus of $name', ({ pods, expected }) => {
  expect(namesOf(surgeSurplus(pods, viewOf([]), 0))).toEqual(expected)
})

test('a surge is a number or a share, and none without a rolling update', () => {
  expect(surgeOf(viewOf([], '25%').daemonSet, 3)).toBe(1)
  expect(
    surgeOf(
      { metadata: storedMeta(), spec: { updateStrategy: { type: 'OnDelete', rollingUpdate: { maxSurge: 1 } } } },
      3,
    ),
  ).toBe(0)
  expect(surgeOf({ metadata: storedMeta() }, 3)).toBe(0)
})
