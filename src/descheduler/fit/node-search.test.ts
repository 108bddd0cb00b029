import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { nodeView, podView, type NodeChoices, type PodChoices } from '../../../test/build/descheduler-view.ts'
import { CycleState } from '../cycle/cycle-state.ts'
import { misfitOf } from './node-fit.ts'
import { NodeSearch } from './node-search.ts'
import type { NodeView, PodView } from '../view.ts'

const gpu = { key: 'hardware', value: 'gpu', effect: 'NoSchedule' }
const many = (count: number, choices: Partial<NodeChoices>): NodeChoices[] =>
  Array.from({ length: count }, (_, index) => ({ name: `m${index}`, ...choices }))

interface Row {
  readonly name: string
  readonly nodes: readonly NodeChoices[]
  readonly pod?: Partial<PodChoices>
  readonly others?: readonly PodChoices[]
  readonly obstacle?: string
}

const rows: readonly Row[] = [
  { name: 'another node takes it', nodes: [{ name: 'n1' }, { name: 'n2' }] },
  {
    name: 'its own node does not count, however much room it has',
    nodes: [{ name: 'n1' }, { name: 'n2', isCordoned: true }],
    obstacle: 'it fits no other node: 1 is cordoned',
  },
  {
    name: 'its own node is the only one',
    nodes: [{ name: 'n1' }],
    obstacle: 'there is no other node that it could go to',
  },
  { name: 'there are no nodes', nodes: [], obstacle: 'there is no other node that it could go to' },
  { name: 'its own node is not among them, and one fits', nodes: [{ name: 'n2' }] },
  {
    name: 'the reasons are counted, the most frequent first, without its own node',
    nodes: [
      { name: 'n1', isCordoned: true },
      ...many(3, { isCordoned: true }),
      { name: 'n2', taints: [gpu] },
      { name: 'n3', taints: [gpu] },
      { name: 'n4', allocatable: { cpu: 1 } },
      { name: 'n5', labels: {} },
    ],
    pod: { nodeSelector: { 'kubernetes.io/hostname': 'n4' }, requests: { cpu: 2 } },
    obstacle:
      'it fits no other node: 3 do not match the node selector or affinity, 3 are cordoned, 1 has too little cpu left',
  },
  {
    name: 'equally frequent reasons are told in alphabetical order',
    nodes: [
      { name: 'n2', taints: [gpu] },
      { name: 'n3', allocatable: { cpu: 1 } },
      { name: 'n4', isCordoned: true },
    ],
    pod: { requests: { cpu: 2 } },
    obstacle: 'it fits no other node: 1 has the taint hardware, 1 has too little cpu left, 1 is cordoned',
  },
  {
    name: 'of many reasons the most frequent are told',
    nodes: ['a', 'b', 'c', 'd', 'e', 'e'].map((key, index) => ({
      name: `n${index + 2}`,
      taints: [{ key, effect: 'NoSchedule' }],
    })),
    obstacle:
      'it fits no other node: 2 have the taint e, 1 has the taint a, 1 has the taint b, 1 has the taint c, and 1 more',
  },
  {
    name: 'a pod there keeps it away by its own rule',
    nodes: [{ name: 'n2' }],
    pod: { antiAffinity: [{ topologyKey: 'kubernetes.io/hostname', labelSelector: {} }] },
    others: [{ name: 'other', nodeName: 'n2' }],
    obstacle: 'it fits no other node: 1 has a pod that anti-affinity keeps it away from',
  },
]

test.each(rows)('$name', ({ nodes, pod: choices, others = [], obstacle }) => {
  const pod = podView({ name: 'moved', ...choices })
  const state = new CycleState({ pods: [pod, ...others.map(podView)] })
  const search = new NodeSearch(nodes.map(nodeView), state)
  expect(search.findObstacle(pod)).toBe(obstacle)
  expect(search.findObstacle(pod)).toBe(obstacle)
})

describe('within a cycle', () => {
  const full = podView({ name: 'full', nodeName: 'n2', requests: { cpu: 4 } })
  const small = podView({ name: 'small', nodeName: 'n1', requests: { cpu: 1 } })
  const [n1, n2] = [nodeView({ name: 'n1' }), nodeView({ name: 'n2' })]

  test('room that a pod leaves behind is seen', () => {
    const state = new CycleState({ pods: [full, small] })
    const search = new NodeSearch([n1, n2], state)
    expect(search.findObstacle(small)).toBe('it fits no other node: 1 has too little cpu left')
    state.sendAway(full)
    expect(search.findObstacle(small)).toBeUndefined()
  })

  test('pods that ask for the same on different nodes get their own answers', () => {
    const twin = podView({ name: 'twin', nodeName: 'n2', requests: { cpu: 1 } })
    const search = new NodeSearch([n1, n2], new CycleState({ pods: [full, small, twin] }))
    expect(search.findObstacle(small)).toBe('it fits no other node: 1 has too little cpu left')
    expect(search.findObstacle(twin)).toBeUndefined()
  })

  test('its own node is one of any: it has room for the pod already', () => {
    const search = new NodeSearch([n1, n2], new CycleState({ pods: [full, small] }))
    expect(search.fitsAny(full)).toBe(true)
    const cordoned = new NodeSearch([n1, { ...n2, isCordoned: true }], new CycleState({ pods: [full, small] }))
    expect(cordoned.fitsAny(full)).toBe(false)
    expect(cordoned.fitsAny(small)).toBe(true)
    expect(new NodeSearch([], new CycleState({ pods: [] })).fitsAny(small)).toBe(false)
  })
})

const names = ['n1', 'n2', 'n3', 'n4']
const apps = ['web', 'db']
const drawnNodes = fc.tuple(
  ...names.map((name) =>
    fc
      .record({ cpu: fc.nat(6), pods: fc.nat(5), isCordoned: fc.nat(4), isTainted: fc.nat(3), hasZone: fc.boolean() })
      .map(({ cpu, pods, isCordoned, isTainted, hasZone }): NodeView =>
        nodeView({
          name,
          allocatable: { cpu, pods },
          isCordoned: isCordoned === 0,
          taints: isTainted === 0 ? [gpu] : [],
          labels: hasZone ? { zone: 'a' } : {},
        }),
      ),
  ),
)
const drawnPod = fc.record({
  name: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
  namespace: fc.constantFrom('shop', 'bank'),
  nodeName: fc.constantFrom(...names),
  app: fc.constantFrom(...apps),
  cpu: fc.nat(3),
  phase: fc.constantFrom('Running', 'Running', 'Failed'),
  tolerates: fc.boolean(),
  awayFrom: fc.option(fc.constantFrom(...apps)),
  abroad: fc.option(fc.constantFrom('shop', 'bank')),
})
const drawnPods = fc
  .uniqueArray(drawnPod, { selector: ({ namespace, name }) => `${namespace}/${name}`, maxLength: 10 })
  .map((list) =>
    list.map(({ app, cpu, tolerates, awayFrom, abroad, ...rest }): PodView =>
      podView({
        ...rest,
        uid: `${rest.namespace}/${rest.name}`,
        labels: { app },
        requests: { cpu },
        tolerations: tolerates ? [{ operator: 'Exists' }] : [],
        antiAffinity:
          awayFrom === null
            ? []
            : [
                {
                  topologyKey: 'zone',
                  labelSelector: { matchLabels: { app: awayFrom } },
                  ...(abroad === null ? {} : { namespaces: [abroad] }),
                },
              ],
      }),
    ),
  )

test('answers as a look at every node does, while pods leave', () => {
  fc.assert(
    fc.property(drawnNodes, drawnPods, fc.array(fc.nat(9), { maxLength: 5 }), (nodes, pods, leaving) => {
      const state = new CycleState({ pods })
      const search = new NodeSearch(nodes, state)
      const compare = () => {
        const present = pods.filter((pod) => state.podsOn(pod.nodeName).includes(pod))
        const found = present.map((pod) => [search.findObstacle(pod) === undefined, search.fitsAny(pod)])
        const expected = present.map((pod) => {
          const fitting = nodes.filter((node) => misfitOf(pod, node, state) === undefined)
          return [fitting.some(({ name }) => name !== pod.nodeName), fitting.length > 0]
        })
        expect(found).toEqual(expected)
      }
      compare()
      for (const index of leaving) {
        const pod = pods[index]
        if (pod !== undefined && state.podsOn(pod.nodeName).includes(pod)) state.sendAway(pod)
        compare()
      }
    }),
    { numRuns: 300 },
  )
})

test('tells as many reasons as there are other nodes, while pods leave', () => {
  fc.assert(
    fc.property(drawnNodes, drawnPods, (nodes, pods) => {
      const state = new CycleState({ pods })
      const search = new NodeSearch(nodes, state)
      for (const pod of pods) {
        const obstacle = search.findObstacle(pod)
        if (obstacle !== undefined) {
          const counts = Array.from(obstacle.matchAll(/\d+(?= (?:is|are|has|have|does|do) )/g), ([count]) =>
            Number(count),
          )
          expect(counts.reduce((sum, count) => sum + count, 0)).toBe(nodes.length - 1)
        }
        state.sendAway(pod)
      }
    }),
    { numRuns: 100 },
  )
})
