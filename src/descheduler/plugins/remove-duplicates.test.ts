import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  nodeView,
  podView,
  runPlugin,
  type NodeChoices,
  type PodChoices,
} from '../../../test/build/descheduler-view.ts'
import { simpleEvictor } from '../../../test/build/simple-evictor.ts'
import type { Outcome } from '../plugin.ts'
import type { RemoveDuplicatesArgs } from '../policy/policy.ts'
import type { NodeView, PodView } from '../view.ts'
import { removeDuplicates } from './remove-duplicates.ts'

const nodesNamed = (names: string, choices: Partial<NodeChoices> = {}) =>
  names.split(' ').map((name) => nodeView({ ...choices, name }))

/** So many pods on each node, named by node and number. */
const spread = (counts: Readonly<Record<string, number>>, choices: Partial<PodChoices> = {}, prefix = '') =>
  Object.entries(counts).flatMap(([nodeName, count]) =>
    Array.from({ length: count }, (_, index) =>
      podView({ name: `${prefix}${nodeName}-${index}`, nodeName, ...choices }),
    ),
  )
const withImages = (name: string, ...images: string[]) => podView({ name, images })
const ownedBy = (...names: string[]) => ({
  owners: names.map((name) => ({ kind: 'ReplicaSet', name, uid: `${name}-uid` })),
})
const fiveThreeOne = { n1: 5, n2: 3, n3: 1 }

interface Row {
  readonly name: string
  readonly args?: RemoveDuplicatesArgs
  readonly nodes?: readonly NodeView[]
  readonly pods: readonly PodView[]
  readonly nodeFit?: boolean
  readonly expected: readonly string[]
}

const three = spread({ n1: 3 })
const twoNodes = nodesNamed('n1 n2')
const taint = (key: string, effect = 'NoSchedule') => [{ key, value: 'yes', effect }]
const small = nodeView({ name: 'n6', allocatable: { cpu: '200m', memory: 200, pods: 10 } })
const hungry = spread({ n1: 3 }, { requests: { cpu: '100m' } })

test.each<Row>([
  { name: 'takes one of three on one of two nodes', pods: three, expected: ['n1-0'] },
  {
    name: 'takes none of an excluded kind of owner',
    args: { excludeOwnerKinds: ['ReplicaSet'] },
    pods: three,
    expected: [],
  },
  {
    name: 'takes one of three in another namespace',
    pods: spread({ n1: 3 }, { namespace: 'test' }),
    expected: ['n1-0'],
  },
  {
    name: 'looks at each namespace by itself, though the owners have the same name',
    pods: [...spread({ n1: 3 }, { namespace: 'dev' }, 'dev-'), ...spread({ n1: 3 }, { namespace: 'test' }, 'test-')],
    expected: ['dev-n1-0', 'test-n1-0'],
  },
  { name: 'takes no protected pods', pods: spread({ n1: 3 }, {}, 'kept-'), expected: [] },
  {
    name: 'counts no protected pods',
    pods: [...three, ...spread({ n1: 3 }, {}, 'kept-')],
    expected: ['n1-0'],
  },
  { name: 'takes none with other images', pods: [withImages('a', 'foo'), withImages('b', 'bar')], expected: [] },
  { name: 'does not take a pod for a duplicate of itself', pods: [withImages('a', 'foo', 'bar')], expected: [] },
  {
    name: 'takes none with one image more',
    pods: [withImages('a', 'foo'), withImages('b', 'bar', 'foo')],
    expected: [],
  },
  {
    name: 'takes none if the other node has a taint',
    nodes: [...nodesNamed('n1'), ...nodesNamed('n3', { taints: taint('hardware') })],
    pods: three,
    nodeFit: true,
    expected: [],
  },
  {
    name: 'takes none if the other node does not match the node selector',
    nodes: [...nodesNamed('n1'), ...nodesNamed('n4', { labels: { datacenter: 'east' } })],
    pods: spread({ n1: 3 }, { nodeSelector: { datacenter: 'west' } }),
    nodeFit: true,
    expected: [],
  },
  {
    name: 'takes none if the other node is cordoned and pods have to fit',
    nodes: [...nodesNamed('n1'), ...nodesNamed('n5', { isCordoned: true })],
    pods: three,
    nodeFit: true,
    expected: [],
  },
  {
    name: 'takes none if the other node has too little cpu and pods have to fit',
    nodes: [...nodesNamed('n1'), small],
    pods: [...hungry, podView({ name: 'eater', nodeName: 'n6', owners: [], requests: { cpu: '150m' } })],
    nodeFit: true,
    expected: [],
  },
  {
    name: 'takes one if the other node has just enough cpu',
    nodes: [...nodesNamed('n1'), small],
    pods: [...hungry, podView({ name: 'saver', nodeName: 'n6', owners: [], requests: { cpu: '100m' } })],
    nodeFit: true,
    expected: ['n1-0'],
  },
])('RemoveDuplicates $name', ({ args = {}, nodes = twoNodes, pods, nodeFit = false, expected }) => {
  const evictor = simpleEvictor({ nodes, pods, nodeFit })
  expect(runPlugin(removeDuplicates, args, { nodes, pods, evictor })).toEqual(expected)
})

const workers = nodesNamed('n1 n2 n3')
const masters = (choices: Partial<NodeChoices> = {}) => nodesNamed('m1 m2 m3', choices)
const tolerating = (key: string) => ({ tolerations: [{ key, operator: 'Equal', value: 'yes', effect: 'NoSchedule' }] })
const avoiding = (...keys: string[]) => ({
  requiredNodeAffinity: {
    nodeSelectorTerms: [{ matchExpressions: keys.map((key) => ({ key, operator: 'DoesNotExist' as const })) }],
  },
})
/** Every second pod is of another kind. */
const mixed = (one: Partial<PodChoices>, other: Partial<PodChoices>) =>
  spread(fiveThreeOne).map(({ name, nodeName }, index) =>
    podView({ name, nodeName, ...(index % 2 === 0 ? one : other) }),
  )

test.each<Omit<Row, 'expected'> & { counts: Readonly<Record<string, number>> }>([
  { name: '(5,3,1) lose two of the five', nodes: workers, pods: spread(fiveThreeOne), counts: { n1: 2 } },
  {
    name: '(5,3) beside a node that is not in the cycle lose one',
    nodes: twoNodes,
    pods: spread(fiveThreeOne),
    counts: { n1: 1 },
  },
  {
    name: '(5,3,1) with two owners lose two, each once',
    nodes: workers,
    pods: spread(fiveThreeOne, ownedBy('one', 'two')),
    counts: { n1: 2 },
  },
  {
    name: '(5,3,1) and (1,3,5) of two owners lose two each',
    nodes: workers,
    pods: [...spread(fiveThreeOne), ...spread({ n1: 1, n2: 3, n3: 5 }, ownedBy('other'), 'other-')],
    counts: { n1: 2, n3: 2 },
  },
  { name: '(2,0,0) lose one', nodes: workers, pods: spread({ n1: 2 }), counts: { n1: 1 } },
  {
    name: 'images foo, bar, baz, foo of one owner lose one foo',
    nodes: workers,
    pods: [withImages('a', 'foo'), withImages('b', 'bar'), withImages('c', 'baz'), withImages('d', 'foo')],
    counts: { n1: 1 },
  },
  { name: '(1,0,0) lose none', nodes: workers, pods: spread({ n1: 1 }), counts: {} },
  {
    name: '(5,3,1) beside three tainted nodes lose two',
    nodes: [...workers, ...masters({ taints: taint('control-plane') })],
    pods: mixed(tolerating('k1'), tolerating('k2')),
    counts: { n1: 2 },
  },
  {
    name: '(5,3,1) beside three nodes that the affinity avoids lose two',
    nodes: [...workers, ...masters({ labels: { 'control-plane': '' } })],
    pods: mixed(avoiding('control-plane', 'k1'), avoiding('control-plane', 'k2')),
    counts: { n1: 2 },
  },
  {
    name: '(5,3,1) of which half select three of six nodes, and half none, lose two',
    nodes: [...nodesNamed('n1 n2 n3', { labels: { worker: 'k2' } }), ...masters()],
    pods: mixed({ nodeSelector: { worker: 'k1' } }, { nodeSelector: { worker: 'k2' } }),
    counts: { n1: 2 },
  },
  {
    name: '(5,3,1) that select no node lose none',
    nodes: [...workers, ...masters()],
    pods: mixed({ nodeSelector: { worker: 'k1' } }, { nodeSelector: { worker: 'k2' } }),
    counts: {},
  },
  {
    name: '(4,0) lose two for a cordoned node, which counts',
    nodes: [...nodesNamed('n1'), ...nodesNamed('n2', { isCordoned: true })],
    pods: spread({ n1: 4 }),
    counts: { n1: 2 },
  },
  {
    name: '(4,0) beside a node with a taint that is a mere preference lose two',
    nodes: [...nodesNamed('n1'), ...nodesNamed('n2', { taints: taint('full', 'PreferNoSchedule') })],
    pods: spread({ n1: 4 }),
    counts: { n1: 2 },
  },
  {
    name: '(4,0) beside a node that expels lose none',
    nodes: [...nodesNamed('n1'), ...nodesNamed('n2', { taints: taint('broken', 'NoExecute') })],
    pods: spread({ n1: 4 }),
    counts: {},
  },
  {
    name: '(6,0,0) of which half can be on their node alone lose three: that node does not count',
    nodes: [...nodesNamed('n1', { labels: { disk: 'ssd' } }), ...nodesNamed('n2 n3', { labels: { disk: 'old' } })],
    pods: [
      ...spread({ n1: 3 }, { nodeSelector: { disk: 'ssd' } }, 'ssd-'),
      ...spread({ n1: 3 }, { nodeSelector: { disk: 'old' } }, 'old-'),
    ],
    counts: { n1: 3 },
  },
  {
    name: 'a node that one kind of duplicate alone may use does not count: (4,0) lose none',
    nodes: [...nodesNamed('n1', { labels: { worker: 'yes' } }), ...nodesNamed('n2')],
    pods: spread({ n1: 4 }, { nodeSelector: { worker: 'yes' } }),
    counts: {},
  },
])('RemoveDuplicates: $name', ({ nodes = [], pods, counts }) => {
  const left = runPlugin(removeDuplicates, {}, { nodes, pods })
  const nodeOf = new Map(pods.map(({ name, nodeName }) => [name, nodeName]))
  const byNode = Object.groupBy(left, (name) => nodeOf.get(name) ?? '')
  expect(Object.fromEntries(Object.entries(byNode).map(([node, names]) => [node, names?.length]))).toEqual(counts)
})

describe('RemoveDuplicates', () => {
  test.each<{ name: string; outcomes: Readonly<Record<string, Outcome>>; expected: string[] }>([
    {
      name: 'takes no other in place of a refused pod',
      outcomes: { 'n1-0': 'refused' },
      expected: ['n1-1', 'n2-0', 'n2-1'],
    },
    { name: 'goes to the next node after a node limit', outcomes: { 'n1-0': 'nodeLimit' }, expected: ['n2-0', 'n2-1'] },
    {
      name: 'goes to the next pod after a namespace limit',
      outcomes: { 'n1-0': 'namespaceLimit' },
      expected: ['n1-1', 'n2-0', 'n2-1'],
    },
    { name: 'ends at the total limit', outcomes: { 'n1-1': 'totalLimit' }, expected: ['n1-0'] },
  ])('$name', ({ outcomes, expected }) => {
    const world = { nodes: nodesNamed('n1 n2 n3 n4'), pods: spread({ n1: 4, n2: 4 }) }
    const outcomeOf = ({ name }: PodView) => outcomes[name]
    expect(runPlugin(removeDuplicates, {}, { ...world, outcomeOf })).toEqual(expected)
  })

  test.each<{ name: string; leaving: string[]; alone: string[]; expected: string[] }>([
    {
      name: 'pods that are leaving already are those who leave',
      leaving: ['n1-3'],
      alone: [],
      expected: ['n1-3', 'n1-0'],
    },
    {
      name: 'pods to be left alone stay if others can go',
      leaving: [],
      alone: ['n1-0', 'n1-1'],
      expected: ['n1-2', 'n1-3'],
    },
    {
      name: 'pods to be left alone go if no others can',
      leaving: [],
      alone: ['n1-0', 'n1-1', 'n1-2'],
      expected: ['n1-3', 'n1-0'],
    },
  ])('$name', ({ leaving, alone, expected }) => {
    const rankOf = ({ name }: PodView) => (leaving.includes(name) ? 0 : alone.includes(name) ? 2 : 1)
    expect(runPlugin(removeDuplicates, {}, { nodes: twoNodes, pods: spread({ n1: 4 }), rankOf })).toEqual(expected)
  })

  test.each([
    { name: 'pods without owner', choices: { owners: [] }, args: {} },
    { name: 'pods that are over', choices: { phase: 'Succeeded' }, args: {} },
    { name: 'namespaces that the policy excludes', choices: {}, args: { namespaces: { exclude: ['default'] } } },
    { name: 'namespaces that the policy does not include', choices: {}, args: { namespaces: { include: ['other'] } } },
  ])('passes over $name', ({ choices, args }) => {
    expect(runPlugin(removeDuplicates, args, { nodes: twoNodes, pods: spread({ n1: 3 }, choices) })).toEqual([])
  })

  test('asks about protection only where there are duplicates', () => {
    const asked: string[] = []
    const filter = ({ name }: PodView) => {
      asked.push(name)
      return undefined
    }
    const pods = [...spread({ n1: 1, n2: 1 }, ownedBy('calm'), 'calm-'), ...spread({ n1: 2 })]
    runPlugin(removeDuplicates, {}, { nodes: twoNodes, pods, evictor: { filter, preEvictionFilter: () => undefined } })
    expect(asked).toEqual(['n1-0', 'n1-1'])
  })

  test('asks about protection before the first pod leaves, though fewer are left then', () => {
    let leaving = 0
    const evictor = { filter: () => (leaving > 0 ? 'too few are left' : undefined), preEvictionFilter: () => undefined }
    const outcomeOf = (): Outcome => {
      leaving += 1
      return 'leaves'
    }
    const pods = [...spread({ n1: 2 }), ...spread({ n1: 2 }, { images: ['web:2'] }, 'new-')]
    expect(runPlugin(removeDuplicates, {}, { nodes: twoNodes, pods, evictor, outcomeOf })).toEqual(['n1-0', 'new-n1-0'])
  })

  test('leaves no node with more than its share, and takes no pod of a node below', () => {
    const counts = fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 2, maxLength: 6 })
    fc.assert(
      fc.property(counts, (sizes) => {
        const names = sizes.map((_, index) => `n${index}`)
        const pods = spread(Object.fromEntries(sizes.map((size, index) => [`n${index}`, size])))
        const left = runPlugin(removeDuplicates, {}, { nodes: nodesNamed(names.join(' ')), pods })
        const share = Math.ceil(pods.length / sizes.length)
        for (const [index, size] of sizes.entries()) {
          const gone = left.filter((name) => name.startsWith(`n${index}-`)).length
          expect(size - gone).toBe(Math.min(size, Math.max(share, 1)))
        }
      }),
    )
  })
})
