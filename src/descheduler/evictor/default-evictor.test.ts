import { describe, expect, test } from 'vitest'
import { defaultEvictor } from '../../../test/build/descheduler-evictor.ts'
import { nodeView, podView, type NodeChoices, type PodChoices } from '../../../test/build/descheduler-view.ts'
import { CycleState } from '../cycle/cycle-state.ts'
import type { Evictor } from '../plugin.ts'
import type { DefaultEvictorArgs } from '../policy/policy.ts'

const mark = { evict: true }
const daemonSet = { kind: 'DaemonSet', name: 'log', uid: 'log-uid' }
const replicaSet = { kind: 'ReplicaSet', name: 'web', uid: 'web-uid' }

describe('the annotation evict opens every door', () => {
  const closed: readonly (Omit<PodChoices, 'name'> & { readonly about: string })[] = [
    { about: 'a pod of a DaemonSet', owners: [daemonSet] },
    { about: 'the mirror of a static pod', marks: { mirror: true } },
    { about: 'a pod of system-critical priority', priority: 2_000_000_000 },
    { about: 'a pod above the threshold', priority: 900 },
    { about: 'a pod with local storage', hasLocalStorage: true },
    { about: 'a bare pod', owners: [] },
    { about: 'a pod that is being deleted', isTerminating: true },
    { about: 'a pod that would rather stay', marks: { preferNoEviction: true } },
    { about: 'a pod of a small set', owners: [{ ...replicaSet, uid: 'small-uid' }] },
  ]
  const evictor = defaultEvictor({ noEvictionPolicy: 'Mandatory', minReplicas: 2 }, { priorityThreshold: 800 })

  test.each(closed)('$about', ({ about: _, ...choices }) => {
    const [closedPod, openPod] = [
      podView({ name: 'a', ...choices }),
      podView({ name: 'a', ...choices, marks: { ...choices.marks, ...mark } }),
    ]
    const door = evictor(new CycleState({ pods: [closedPod] }), [])
    expect(door.filter(closedPod)).toBeTypeOf('string')
    expect(door.filter(openPod)).toBeUndefined()
  })

  test.each([
    { name: 'a usual pod needs no annotation', pod: {} },
    { name: 'a usual pod may have it', pod: { marks: mark } },
  ])('$name', ({ pod }) => {
    const view = podView({ name: 'a', ...pod })
    const two = [view, podView({ name: 'b' })]
    expect(evictor(new CycleState({ pods: two }), []).filter(view)).toBeUndefined()
  })
})

describe('by Evacuation', () => {
  test.each([
    {
      name: 'a pod of a DaemonSet stays, whatever the policy says',
      pod: { owners: [daemonSet] },
      expected: 'it belongs to a DaemonSet, whose pods an Evacuation cannot move',
    },
    {
      name: 'the mirror of a static pod stays, whatever its annotation says',
      pod: { marks: { mirror: true, evict: true } },
      expected: 'it is the mirror of a static pod, which an Evacuation cannot move',
    },
    { name: 'other pods go by the policy', pod: {}, expected: undefined },
  ])('$name', ({ pod, expected }) => {
    const evictor = defaultEvictor({ protections: new Set() }, { isByEvacuation: true })
    expect(evictor(new CycleState({ pods: [] }), []).filter(podView({ name: 'p', ...pod }))).toBe(expected)
  })
})

interface Row {
  readonly name: string
  readonly pod?: Omit<PodChoices, 'name'>
  readonly others?: readonly PodChoices[]
  readonly nodes?: readonly NodeChoices[]
  readonly args?: Partial<DefaultEvictorArgs>
  readonly refusal?: string
}

const gpu = { key: 'hardware', value: 'gpu', effect: 'NoSchedule' }
const tainted = ['n2', 'n3'].map((name) => ({ name, taints: [gpu] }))
const east = ['n2', 'n3'].map((name) => ({ name, labels: { datacenter: 'east' } }))
const inEast = { nodeSelector: { datacenter: 'east' } }
const small = (memory: number) => (node: NodeChoices) => ({ ...node, allocatable: { cpu: '100m', memory } })
const tenOn = (nodeName: string) => ({ name: `on-${nodeName}`, nodeName, requests: { cpu: '20m', memory: 10 } })
const selecting = (key: string, value: string) => ({
  nodeSelectorTerms: [{ matchExpressions: [{ key, operator: 'In' as const, values: [value] }] }],
})

const fits: readonly Row[] = [
  { name: 'all other nodes are tainted', nodes: tainted, refusal: 'it fits no other node: 2 have the taint hardware' },
  { name: 'all other nodes are tainted, and it tolerates that', nodes: tainted, pod: { tolerations: [gpu] } },
  {
    name: 'no other node has the label',
    nodes: east,
    pod: { nodeSelector: { datacenter: 'west' } },
    refusal: 'it fits no other node: 2 do not match the node selector or affinity',
  },
  { name: 'the other nodes have the label', nodes: east, pod: inEast },
  {
    name: 'the other nodes have the label and too little cpu',
    nodes: east.map((node) => ({ ...node, allocatable: { cpu: '10m' } })),
    pod: { ...inEast, requests: { cpu: '12m' } },
    refusal: 'it fits no other node: 2 have too little cpu left',
  },
  {
    name: 'one of the other nodes has enough memory',
    nodes: [...east.slice(0, 1).map(small(16)), ...east.slice(1).map(small(20))],
    others: [tenOn('n2'), tenOn('n3')],
    pod: { ...inEast, requests: { cpu: '12m', memory: 8 } },
  },
  {
    name: 'none of the other nodes has enough memory',
    nodes: east.map(small(16)),
    others: [tenOn('n2'), tenOn('n3')],
    pod: { ...inEast, requests: { cpu: '12m', memory: 8 } },
    refusal: 'it fits no other node: 2 have too little memory left',
  },
  {
    name: 'it fits nowhere, and nodeFit is off',
    nodes: east,
    pod: { nodeSelector: { datacenter: 'west' } },
    args: { nodeFit: false },
  },
  {
    name: 'the annotation evict does not open this door',
    nodes: tainted,
    pod: { marks: mark },
    refusal: 'it fits no other node: 2 have the taint hardware',
  },
  {
    name: 'a node that is not Ready is none',
    nodes: [{ name: 'n2', isReady: false }],
    refusal: 'there is no other node that it could go to',
  },
  {
    name: 'the only node that fits is not selected',
    nodes: [{ name: 'n2' }, { name: 'n3', labels: { datacenter: 'east' }, isCordoned: true }],
    args: { nodeSelector: selecting('datacenter', 'east') },
    refusal: 'it fits no other node: 1 is cordoned',
  },
  {
    name: 'a node that is selected fits',
    nodes: [{ name: 'n2', isCordoned: true }, ...east.slice(1)],
    args: { nodeSelector: selecting('datacenter', 'east') },
  },
]

const team = (name: string) => ({ namespaceLabelSelector: { matchLabels: { team: name } } })
const outside = 'its namespace default does not match the namespaceLabelSelector of DefaultEvictor'
const namespaces: readonly Row[] = [
  { name: 'no selector selects every namespace', args: { nodeFit: false } },
  {
    name: 'an empty selector selects every namespace, even an unknown one',
    pod: { namespace: 'lost' },
    args: { nodeFit: false, namespaceLabelSelector: {} },
  },
  { name: 'its namespace has the label', args: { nodeFit: false, ...team('shop') } },
  { name: 'its namespace has another value', args: { nodeFit: false, ...team('bank') }, refusal: outside },
  {
    name: 'its namespace is unknown',
    pod: { namespace: 'lost' },
    args: { nodeFit: false, ...team('shop') },
    refusal: outside.replace('default', 'lost'),
  },
  {
    name: 'an expression selects it',
    args: { nodeFit: false, namespaceLabelSelector: { matchExpressions: [{ key: 'team', operator: 'Exists' }] } },
  },
  {
    name: 'an expression does not select it',
    args: { nodeFit: false, namespaceLabelSelector: { matchExpressions: [{ key: 'team', operator: 'DoesNotExist' }] } },
    refusal: outside,
  },
  {
    name: 'its namespace has the label, and it fits nowhere',
    nodes: tainted,
    args: team('shop'),
    refusal: 'it fits no other node: 2 have the taint hardware',
  },
]

describe.each([
  { about: 'nodeFit', rows: fits },
  { about: 'namespaceLabelSelector', rows: namespaces },
])('$about', ({ rows }) => {
  test.each(rows)('$name', ({ pod: choices, others = [], nodes = [], args, refusal }) => {
    const pod = podView({ name: 'p', ...choices })
    const state = new CycleState({ pods: [pod, ...others.map(podView)] })
    const known = { namespaces: new Map([['default', { team: 'shop' }]]) }
    const evictor = defaultEvictor({ nodeFit: true, ...args }, known)(state, [
      nodeView({ name: 'n1' }),
      ...nodes.map(nodeView),
    ])
    expect(evictor.preEvictionFilter(pod)).toBe(refusal)
    expect(evictor.filter(pod)).toBeUndefined()
  })
})

describe('nodeFit as the scheduler sees it', () => {
  const web = { matchLabels: { app: 'web' } }
  const keepsAway = { antiAffinity: [{ topologyKey: 'datacenter', labelSelector: web }] }
  const selected = { key: 'shop', value: 'yes' }
  const rows: readonly (Row & { readonly without?: string })[] = [
    { name: 'a pod without wishes goes to another node', nodes: east },
    {
      name: 'another pod keeps it away from the whole datacenter',
      nodes: east,
      pod: { labels: { app: 'web' } },
      others: [{ name: 'other', nodeName: 'n2', ...keepsAway }],
      refusal: 'it fits no other node: 2 are near a pod whose anti-affinity keeps it away',
    },
    {
      name: 'a rule that selects namespaces is not about its own',
      nodes: east,
      pod: {
        antiAffinity: [
          { topologyKey: 'datacenter', labelSelector: {}, namespaceSelector: { matchLabels: { team: 'bank' } } },
        ],
      },
      others: [
        { name: 'other-2', nodeName: 'n2' },
        { name: 'other-3', nodeName: 'n3' },
      ],
      without: 'it fits no other node: 2 have a pod that anti-affinity keeps it away from',
    },
    {
      name: 'only selected nodes are destinations',
      nodes: [...east, { name: 'n4', labels: { [selected.key]: selected.value }, isCordoned: true }],
      args: { nodeSelector: selecting(selected.key, selected.value) },
      refusal: 'it fits no other node: 1 is cordoned',
      without: 'it fits no other node: 1 is cordoned',
    },
    {
      name: 'nodes that are not selected still make domains of a spread',
      nodes: [
        { name: 'n2', labels: { zone: 'b' } },
        { name: 'n4', labels: { zone: 'c', ssd: '' } },
      ],
      pod: {
        labels: { app: 'web' },
        spreadConstraints: [
          { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule', labelSelector: web },
        ],
      },
      others: [{ name: 'other', nodeName: 'n4', labels: { app: 'web' } }],
      args: { nodeSelector: selecting('ssd', '') },
      refusal: 'it fits no other node: 1 has too many such pods in its domain of zone',
    },
    {
      name: 'a cordoned node takes a pod that tolerates it',
      nodes: [{ name: 'n2', isCordoned: true }],
      pod: { tolerations: [{ operator: 'Exists' }] },
      without: 'it fits no other node: 1 is cordoned',
    },
    {
      name: 'without nodeFit nothing is asked',
      nodes: [{ name: 'n2', isCordoned: true }],
      args: { nodeFit: false },
    },
  ]

  test.each(rows)('$name', ({ pod: choices, others = [], nodes = [], args, refusal, without }) => {
    const pod = podView({ name: 'p', ...choices })
    const state = new CycleState({ pods: [pod, ...others.map(podView)] })
    const namespaceLabels = new Map([['default', { team: 'shop' }]])
    const all = [nodeView({ name: 'n1' }), ...nodes.map(nodeView)]
    const evictorWith = (nodeFitAsScheduler: boolean) =>
      defaultEvictor({ nodeFit: true, ...args }, { namespaces: namespaceLabels, nodeFitAsScheduler })(state, all)
    expect(evictorWith(true).preEvictionFilter(pod)).toBe(refusal)
    expect(evictorWith(false).preEvictionFilter(pod)).toBe(without)
  })

  test('is prepared in small steps, and only where it is asked for', () => {
    const state = new CycleState({ pods: [] })
    const stepsWith = (nodeFit: boolean, nodeFitAsScheduler: boolean) =>
      defaultEvictor({ nodeFit }, { nodeFitAsScheduler })(state, [nodeView({ name: 'n1' })]).prepare?.()
    expect([...(stepsWith(true, true) ?? [])].length).toBeGreaterThan(0)
    expect([stepsWith(true, false), stepsWith(false, true)]).toEqual([undefined, undefined])
  })

  test('considers a pod in small steps, the more the more there is to count, and answers the same', () => {
    const pods = Array.from({ length: 10_000 }, (_, at) =>
      podView({ name: `p${at}`, nodeName: `n${at % 2}`, hostPorts: [{ protocol: 'TCP', port: 80, ip: '0.0.0.0' }] }),
    )
    const [pod] = pods
    if (pod === undefined) throw new Error('a pod')
    const all = ['n0', 'n1'].map((name) => nodeView({ name, allocatable: { pods: 20_000 } }))
    const evictorWith = (nodeFit: boolean, nodeFitAsScheduler: boolean) =>
      defaultEvictor({ nodeFit }, { nodeFitAsScheduler })(new CycleState({ pods }), all)
    const breathsOf = (one: Evictor) => [...(one.consider?.(pod) ?? [])].length
    const evictor = evictorWith(true, true)
    for (const _ of evictor.prepare?.() ?? []);
    expect(breathsOf(evictor)).toBeGreaterThan(2)
    expect(evictor.preEvictionFilter(pod)).toBe('it fits no other node: 1 has a pod on the host port TCP/80')
    expect([breathsOf(evictorWith(true, false)), breathsOf(evictorWith(false, true))]).toEqual([1, 0])
  })
})

test('the pods of an owner are counted without those that have left', () => {
  const pods = ['a', 'b'].map((name) => podView({ name }))
  const [first, second] = pods
  const state = new CycleState({ pods })
  const evictor = defaultEvictor({ minReplicas: 2 })(state, [])
  if (first === undefined || second === undefined) throw new Error('two pods')
  expect(evictor.filter(second)).toBeUndefined()
  state.sendAway(first)
  expect(evictor.filter(second)).toBe('its ReplicaSet web has 1 of at least 2 pods (minReplicas)')
})
