import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { nodeView, podView, type NodeChoices, type PodChoices } from '../../../test/build/descheduler-view.ts'
import { wouldSchedule } from '../../../test/build/plain-scheduler.ts'
import { CycleState } from '../cycle/cycle-state.ts'
import type { NodeView, PodTemplateView, PodView } from '../view.ts'
import { SchedulerFit } from './scheduler-fit.ts'
import { SchedulerRules } from './scheduler-rules.ts'

const web = { matchLabels: { app: 'web' } }
const hostname = 'kubernetes.io/hostname'
const onHosts = { topologyKey: hostname, labelSelector: web }
const unschedulable = 'node.kubernetes.io/unschedulable'
const zones = ['a', 'a', 'b'].map((zone, index): NodeChoices => ({ name: `n${index + 1}`, labels: { zone } }))

interface Row {
  readonly name: string
  readonly nodes?: readonly NodeChoices[]
  readonly pod?: Partial<PodChoices>
  readonly others?: readonly (Partial<PodChoices> & { readonly nodeName: string })[]
  readonly obstacle?: string
}

const rows: readonly Row[] = [
  { name: 'a pod without wishes goes to another node' },
  {
    name: 'its own node does not count',
    nodes: [{ name: 'n1' }],
    obstacle: 'there is no other node that it could go to',
  },
  {
    name: 'a node that is not Ready is no destination',
    nodes: [{ name: 'n1' }, { name: 'n2', isReady: false }],
    obstacle: 'there is no other node that it could go to',
  },
  {
    name: 'its own node is not Ready, and its rules there do not blur the reasons',
    nodes: [
      { name: 'n1', isReady: false },
      { name: 'n2', labels: { zone: 'b' } },
    ],
    pod: { antiAffinity: [{ topologyKey: 'zone', labelSelector: web }] },
    others: [{ nodeName: 'n2' }],
    obstacle: 'it fits no other node: 1 is near a pod that its anti-affinity keeps it away from',
  },
  {
    name: 'room is counted as without the option',
    nodes: [{ name: 'n1' }, { name: 'n2', allocatable: { cpu: 1 } }],
    pod: { requests: { cpu: 2 } },
    obstacle: 'it fits no other node: 1 has too little cpu left',
  },
  {
    name: 'a cordoned node takes no pod',
    nodes: [{ name: 'n1' }, { name: 'n2', isCordoned: true }],
    obstacle: 'it fits no other node: 1 is cordoned',
  },
  {
    name: 'a cordoned node takes a pod that tolerates it',
    nodes: [{ name: 'n1' }, { name: 'n2', isCordoned: true, taints: [{ key: unschedulable, effect: 'NoSchedule' }] }],
    pod: { tolerations: [{ key: unschedulable, operator: 'Exists' }] },
  },
  {
    name: 'a pod that tolerates something else does not go to a cordoned node',
    nodes: [{ name: 'n1' }, { name: 'n2', isCordoned: true }],
    pod: { tolerations: [{ key: 'gpu', operator: 'Exists' }] },
    obstacle: 'it fits no other node: 1 is cordoned',
  },
  {
    name: 'all rules are told, each with its number of nodes',
    nodes: [...zones, { name: 'n4', labels: {} }, { name: 'n5', labels: { zone: 'c' }, isCordoned: true }],
    pod: {
      podAffinity: [{ topologyKey: 'zone', labelSelector: { matchLabels: { app: 'db' } } }],
      hostPorts: [{ protocol: 'TCP', port: 80, ip: '0.0.0.0' }],
    },
    others: [{ nodeName: 'n3', labels: { app: 'db' }, hostPorts: [{ protocol: 'TCP', port: 80, ip: '0.0.0.0' }] }],
    obstacle:
      'it fits no other node: 1 has a pod on the host port TCP/80, 1 has no label that its affinity to pods asks for, 1 is cordoned, 1 is not near the pods that its affinity asks for',
  },
]

test.each(rows)('$name', ({ nodes: choices = zones, pod: own, others = [], obstacle }) => {
  const pod = podView({ name: 'moved', labels: { app: 'web' }, ...own })
  const there = others.map((other, index) => podView({ name: `other-${index}`, labels: { app: 'web' }, ...other }))
  const nodes = choices.map(nodeView)
  const fit = fitOf(nodes, new CycleState({ pods: [pod, ...there] }))
  expect(fit.findObstacle(pod)).toBe(obstacle)
  expect(fit.findObstacle(pod)).toBe(obstacle)
})

function fitOf(nodes: readonly NodeView[], state: CycleState, namespaces = new Map<string, Record<string, string>>()) {
  const ready = nodes.filter(({ isReady }) => isReady)
  return new SchedulerFit(ready, new SchedulerRules({ nodes, namespaces }, state))
}

describe('within a cycle', () => {
  const [n1, n2, n3] = ['n1', 'n2', 'n3'].map((name) => nodeView({ name }))
  const on = (name: string, nodeName: string, more: Partial<PodChoices> = {}) =>
    podView({ name, nodeName, labels: { app: 'web' }, antiAffinity: [onHosts], ...more })
  const [first, second, third] = [on('first', 'n1'), on('second', 'n2'), on('third', 'n3')]
  if (n1 === undefined || n2 === undefined || n3 === undefined) throw new Error('three nodes')

  test('a domain is free once its last pod has left', () => {
    const state = new CycleState({ pods: [first, second, third] })
    const fit = fitOf([n1, n2, n3], state)
    expect(fit.findObstacle(first)).toBeTypeOf('string')
    state.sendAway(second)
    expect(fit.findObstacle(first)).toBeUndefined()
    expect(fit.findObstacle(third)).toBeUndefined()
  })

  test('pods that left before the first question do not count', () => {
    const state = new CycleState({ pods: [first, second, third] })
    state.sendAway(second)
    const fit = fitOf([n1, n2, n3], state)
    expect(fit.findObstacle(first)).toBeUndefined()
  })

  test('a spread that a departure upsets is seen', () => {
    const constraint = { maxSkew: 1, topologyKey: hostname, whenUnsatisfiable: 'DoNotSchedule', labelSelector: web }
    const spread = (name: string, nodeName: string) =>
      on(name, nodeName, { antiAffinity: [], spreadConstraints: [constraint] })
    const [asking, alone, pair] = [
      spread('asking', 'n1'),
      spread('alone', 'n2'),
      [spread('twin-1', 'n3'), spread('twin-2', 'n3')],
    ]
    const state = new CycleState({ pods: [asking, spread('beside', 'n1'), spread('beside-2', 'n1'), alone, ...pair] })
    const fit = fitOf([n1, n2, n3], state)
    expect(fit.findObstacle(asking)).toBeUndefined()
    state.sendAway(alone)
    // Only n2 is left now, as it is empty.
    expect(fit.findObstacle(asking)).toBeUndefined()
    const full = fitOf([n1, nodeView({ name: 'n2', allocatable: { pods: 0 } }), n3], state)
    expect(full.findObstacle(asking)).toBe(
      'it fits no other node: 1 has no room for another pod, 1 has too many such pods in its domain of kubernetes.io/hostname',
    )
  })

  test('pods that share an answer do not share their own nodes', () => {
    const state = new CycleState({ pods: [first, second] })
    const fit = fitOf([n1, n2], state)
    expect(fit.findObstacle(first)).toBeTypeOf('string')
    expect(fit.findObstacle(second)).toBeTypeOf('string')
    expect(fitOf([n1, n2, n3], state).findObstacle(second)).toBeUndefined()
  })

  test('a pod that is over or gone is asked about as any other', () => {
    const over = on('over', 'n1', { phase: 'Failed' })
    const state = new CycleState({ pods: [over, second] })
    const fit = fitOf([n1, n2, n3], state)
    expect(fit.findObstacle(over)).toBeUndefined()
    state.sendAway(over)
    expect(fit.findObstacle(over)).toBeUndefined()
    expect(fitOf([n1, n2], state).findObstacle(over)).toBeTypeOf('string')
  })
})

const names = ['n1', 'n2', 'n3', 'n4', 'n5']
const drawnNodes = fc.tuple(
  ...names.map((name) =>
    fc
      .record({
        pods: fc.integer({ min: 1, max: 6 }),
        isCordoned: fc.nat(6),
        isTainted: fc.nat(4),
        isReady: fc.nat(6),
        zone: fc.constantFrom('a', 'a', 'b', 'b', undefined),
        hasHost: fc.nat(5),
      })
      .map(({ pods, isCordoned, isTainted, isReady, zone, hasHost }): NodeView =>
        nodeView({
          name,
          allocatable: { pods },
          isCordoned: isCordoned === 0,
          isReady: isReady !== 0,
          taints: isTainted === 0 ? [{ key: 'gpu', effect: 'NoSchedule' }] : [],
          labels: { ...(zone === undefined ? {} : { zone }), ...(hasHost === 0 ? {} : { host: name }) },
        }),
      ),
  ),
)
const topologyKey = fc.constantFrom('zone', 'zone', 'host')
const selector = fc.option(
  fc.oneof(
    fc.constantFrom('web', 'db').map((app) => ({ matchLabels: { app } })),
    fc.constant({}),
    fc.constantFrom('In' as const, 'NotIn' as const).map((operator) => ({
      matchExpressions: [{ key: 'app', operator, values: ['web', 'mail'] }],
    })),
  ),
  { nil: undefined, freq: 12 },
)
const labelKeys = fc.constantFrom([], [], ['version'], ['absent'])
const optional = <Key extends string, Value>(key: Key, value: Value | undefined) =>
  (value === undefined ? {} : { [key]: value }) as { [Name in Key]?: Value }
const term = fc
  .record({
    topologyKey,
    selector,
    namespaces: fc.option(fc.constantFrom(['shop'], ['shop', 'bank']), { nil: undefined, freq: 1 }),
    namespaceSelector: fc.option(fc.constantFrom({}, { matchLabels: { team: 'x' } }), { nil: undefined, freq: 1 }),
    matchLabelKeys: labelKeys,
    mismatchLabelKeys: labelKeys,
  })
  .map(({ selector: labelSelector, namespaces, namespaceSelector, ...rest }) =>
    Object.assign(
      rest,
      optional('labelSelector', labelSelector),
      optional('namespaces', namespaces),
      optional('namespaceSelector', namespaceSelector),
    ),
  )
const constraint = fc
  .record({
    topologyKey,
    selector,
    maxSkew: fc.integer({ min: 1, max: 2 }),
    minDomains: fc.constantFrom(undefined, 1, 2, 3),
    whenUnsatisfiable: fc.constantFrom('DoNotSchedule', 'DoNotSchedule', 'ScheduleAnyway'),
    nodeAffinityPolicy: fc.constantFrom('Honor', 'Ignore', undefined),
    nodeTaintsPolicy: fc.constantFrom('Honor', 'Ignore', undefined),
    matchLabelKeys: labelKeys,
  })
  .map(({ selector: labelSelector, minDomains, nodeAffinityPolicy, nodeTaintsPolicy, ...rest }) =>
    Object.assign(
      rest,
      optional('labelSelector', labelSelector),
      optional('minDomains', minDomains),
      optional('nodeAffinityPolicy', nodeAffinityPolicy),
      optional('nodeTaintsPolicy', nodeTaintsPolicy),
    ),
  )
const hostPort = fc.record({
  protocol: fc.constantFrom('TCP', 'UDP'),
  port: fc.constantFrom(80, 81),
  ip: fc.constantFrom('0.0.0.0', '10.0.0.1', '10.0.0.2'),
})
const template = fc
  .record({
    app: fc.constantFrom('web', 'db'),
    version: fc.constantFrom('1', '2', undefined),
    antiAffinity: fc.oneof(fc.constant([]), fc.array(term, { maxLength: 2 })),
    podAffinity: fc.oneof(fc.constant([]), fc.constant([]), fc.array(term, { maxLength: 2 })),
    spreadConstraints: fc.oneof(fc.constant([]), fc.array(constraint, { maxLength: 2 })),
    hostPorts: fc.oneof(fc.constant([]), fc.array(hostPort, { maxLength: 2 })),
    zone: fc.constantFrom('a', 'b', undefined, undefined, undefined),
    tolerations: fc.constantFrom([], [], [{ operator: 'Exists' }], [{ key: 'gpu', operator: 'Exists' }]),
  })
  .map(
    ({ app, version, zone, ...rest }) =>
      podView({
        name: 'kind',
        labels: { app, ...optional('version', version) },
        nodeSelector: optional('zone', zone),
        ...rest,
      }).template,
  )
const sharedParts: (keyof PodTemplateView)[] = [
  'requests',
  'spreadConstraints',
  'antiAffinity',
  'podAffinity',
  'nodeSelector',
  'requiredNodeAffinity',
  'tolerations',
]
const pick = (from: PodTemplateView, parts: readonly (keyof PodTemplateView)[]): Partial<PodTemplateView> =>
  Object.fromEntries(parts.map((part) => [part, from[part]]))
const drawnPods = fc
  .tuple(
    template,
    fc.array(fc.tuple(template, fc.subarray(sharedParts)), { maxLength: 3 }),
    fc.array(
      fc.record({
        kind: fc.nat(3),
        namespace: fc.constantFrom('shop', 'shop', 'bank'),
        nodeName: fc.constantFrom(...names, 'unknown'),
        phase: fc.constantFrom('Running', 'Running', 'Running', 'Failed'),
        isTerminating: fc.nat(6).map((drawn) => drawn === 0),
      }),
      { maxLength: 12 },
    ),
  )
  .map(([first, others, list]) => {
    // Templates of one set share objects, and so do templates that differ in a part.
    const kinds = [first, ...others.map(([other, parts]) => Object.assign({}, other, pick(first, parts)))]
    return list.map(({ kind, ...rest }, index): PodView => {
      const own = podView({ name: `p${index}`, ...rest })
      return Object.assign(own, { template: kinds[kind % kinds.length] ?? first })
    })
  })
const namespaces = new Map([['bank', { team: 'x' }]])

test('answers as a look at every pod and node does, while pods leave', () => {
  let answered = 0
  let refused = 0
  fc.assert(
    fc.property(drawnNodes, drawnPods, fc.array(fc.nat(11), { maxLength: 6 }), (nodes, pods, leaving) => {
      const state = new CycleState({ pods })
      const fit = fitOf(nodes, state, namespaces)
      const cluster = { nodes, namespaces, occupancy: state }
      const compare = () => {
        const found = pods.map((pod) => fit.findObstacle(pod))
        const expected = pods.map((pod) =>
          nodes.some((node) => node.isReady && node.name !== pod.nodeName && wouldSchedule(pod, node, cluster)),
        )
        expect(found.map((obstacle) => obstacle === undefined)).toEqual(expected)
        for (const [index, obstacle] of found.entries()) {
          answered++
          if (obstacle === undefined) continue
          refused++
          const others = nodes.filter(({ isReady, name }) => isReady && name !== pods[index]?.nodeName)
          expect(sumIn(obstacle)).toBe(others.length)
        }
      }
      compare()
      for (const index of leaving) {
        const pod = pods[index]
        if (pod !== undefined && state.podsOn(pod.nodeName).includes(pod)) state.sendAway(pod)
        compare()
      }
    }),
    { numRuns: 1_000 },
  )
  // Neither answer is rare.
  expect(refused / answered).toBeGreaterThan(0.05)
  expect(refused / answered).toBeLessThan(0.95)
})

/** Over all reasons, of how many nodes an obstacle tells. */
function sumIn(obstacle: string): number {
  const counts = Array.from(obstacle.matchAll(/\d+(?= (?:is|are|has|have|does|do|more)\b)/g), ([count]) =>
    Number(count),
  )
  return counts.reduce((sum, count) => sum + count, 0)
}

describe('takes breaths', () => {
  const breathsOf = (fit: SchedulerFit, pod: PodView) => [...fit.consider(pod)].length
  const crowd = (count: number, choices: Omit<PodChoices, 'name'>) => {
    const one = podView({ name: 'one', ...choices })
    return Array.from({ length: count }, (_, at) =>
      Object.assign(podView({ name: `p${at}`, nodeName: `n${at % 3}` }), { template: one.template }),
    )
  }
  const hosts = ['n0', 'n1', 'n2'].map((name) => nodeView({ name }))

  test.each([
    { name: 'while it counts the pods of a term', choices: { labels: { app: 'web' }, antiAffinity: [onHosts] } },
    {
      name: 'while it counts the pods of a spread',
      choices: {
        labels: { app: 'web' },
        spreadConstraints: [
          { maxSkew: 1, topologyKey: hostname, whenUnsatisfiable: 'DoNotSchedule', labelSelector: web },
        ],
      },
    },
    {
      name: 'while it counts the pods on ports',
      choices: { hostPorts: [{ protocol: 'TCP', port: 80, ip: '0.0.0.0' }] },
    },
  ])('$name', ({ choices }) => {
    const pods = crowd(20_000, choices)
    const state = new CycleState({ pods })
    const rules = new SchedulerRules({ nodes: hosts, namespaces: new Map() }, state)
    for (const _ of rules.prepare());
    const fit = new SchedulerFit(hosts, rules)
    const [asking] = pods
    if (asking === undefined) throw new Error('a pod')
    expect(breathsOf(fit, asking)).toBeGreaterThanOrEqual(4)
    // It is known now, and so is the answer.
    expect(breathsOf(fit, asking)).toBe(0)
    expect(fit.findObstacle(asking)).toMatch(/^it fits no other node: 2 /)
  })

  test('while it looks at nodes for many rules', () => {
    const many = Array.from({ length: 200 }, (_, at) => nodeView({ name: `n${at}` }))
    const terms = Array.from({ length: 1_000 }, (_, at) => ({
      topologyKey: hostname,
      labelSelector: { matchLabels: { app: `app-${at}` } },
    }))
    const others = many.map(({ name }, at) =>
      podView({ name: `other-${at}`, nodeName: name, labels: { app: 'app-999' } }),
    )
    const asking = podView({ name: 'p', nodeName: 'n1', antiAffinity: terms })
    const state = new CycleState({ pods: [asking, ...others] })
    const rules = new SchedulerRules({ nodes: many, namespaces: new Map() }, state)
    for (const _ of rules.prepare());
    const fit = new SchedulerFit(many, rules)
    expect(breathsOf(fit, asking)).toBeGreaterThanOrEqual(4)
    expect(fit.findObstacle(asking)).toMatch(/^it fits no other node: 199 /)
  })
})
