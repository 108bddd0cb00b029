import { expect, test } from 'vitest'
import { nodeView, nowMs, noMetrics, openEvictor, podView } from '../../../test/build/descheduler-view.ts'
import { CycleState } from '../cycle/cycle-state.ts'
import { breath, type Outcome, type PluginWorld } from '../plugin.ts'
import type { PodView } from '../view.ts'
import { hasRoom } from './room.ts'
import { sendAway, type Plan } from './send-away.ts'
import { requestedUsage, type UsedNode } from './usage.ts'

const sourceNames = ['n1', 'n2']
const nodes = [...sourceNames, 'n3'].map((name) => nodeView({ name, allocatable: { cpu: 4, pods: 10 } }))
const pods = sourceNames.flatMap((nodeName) =>
  ['a', 'b', 'c'].map((name) => podView({ name: `${nodeName}-${name}`, nodeName, requests: { cpu: '300m' } })),
)

interface Choices extends Partial<Plan> {
  readonly outcomes?: Readonly<Record<string, Outcome>>
  readonly world?: Partial<PluginWorld>
}

/** Names in the order in which they were named. */
function run({ outcomes = {}, world: worldChoices = {}, ...choices }: Choices) {
  const state = new CycleState({ pods })
  const world: PluginWorld = {
    nowMs,
    nodes,
    podsOn: (name) => state.podsOn(name),
    usedOn: (name) => state.usedOn(name),
    namespaces: new Map(),
    metrics: noMetrics,
    evictor: openEvictor,
    rankOf: () => 1,
    ...worldChoices,
  }
  const usage = requestedUsage(world, { cpu: 50 })
  const used = nodes.map((node): UsedNode => ({ node, used: new Map(usage.usedOn(node)) }))
  const plan: Plan = {
    sources: used.slice(0, 2),
    destinations: used.slice(2),
    fillTo: { cpu: 50 },
    usage,
    continues: (_, room) => hasRoom(room),
    isMovable: () => true,
    excludedNamespaces: [],
    perSourceMax: undefined,
    ...choices,
  }
  const named: string[] = []
  let breaths = 0
  const departures = sendAway(world, plan)
  for (let next = departures.next(); next.done !== true;) {
    if (next.value === breath) breaths += 1
    else named.push(next.value.name)
    next = departures.next(next.value === breath ? 'refused' : (outcomes[next.value.name] ?? 'leaves'))
  }
  return { named, breaths, sources: used.slice(0, 2) }
}

const everyPod = ['n1-a', 'n1-b', 'n1-c', 'n2-a', 'n2-b', 'n2-c']

test.each<Choices & { name: string; expected: string[] }>([
  { name: 'all pods of all sources, if there is room', expected: everyPod },
  { name: 'as many as there is room for', fillTo: { cpu: 20 }, expected: everyPod.slice(0, 3) },
  {
    name: 'others instead of pods that are refused, which take no room',
    fillTo: { cpu: 20 },
    outcomes: { 'n1-a': 'refused', 'n1-b': 'namespaceLimit' },
    expected: everyPod.slice(0, 5),
  },
  {
    name: 'the next source after a node limit',
    outcomes: { 'n1-b': 'nodeLimit' },
    expected: ['n1-a', 'n1-b', 'n2-a', 'n2-b', 'n2-c'],
  },
  { name: 'none after the total limit', outcomes: { 'n1-b': 'totalLimit' }, expected: ['n1-a', 'n1-b'] },
  { name: 'so many of each source as the plan allows', perSourceMax: 1, expected: ['n1-a', 'n2-a'] },
  {
    name: 'others instead of refused pods, up to what the plan allows',
    perSourceMax: 1,
    outcomes: { 'n1-a': 'refused' },
    expected: ['n1-a', 'n1-b', 'n2-a'],
  },
  {
    name: 'whom the plan holds movable',
    isMovable: ({ name }) => name !== 'n1-b',
    expected: everyPod.filter((name) => name !== 'n1-b'),
  },
  {
    name: 'whom the evictor lets go',
    world: {
      evictor: {
        filter: ({ name }) => (name === 'n1-a' ? 'protected' : undefined),
        preEvictionFilter: ({ name }) => (name === 'n2-a' ? 'fits nowhere' : undefined),
      },
    },
    expected: ['n1-b', 'n1-c', 'n2-b', 'n2-c'],
  },
  { name: 'none of an excluded namespace', excludedNamespaces: ['default'], expected: [] },
  {
    name: 'none whose usage is unknown',
    usage: usageThat((pod) => (pod.name === 'n1-a' ? 'unknown' : pod.template.requests)),
    expected: everyPod.slice(1),
  },
  {
    name: 'one of each source if pods cannot be measured; a refused one is none',
    usage: usageThat(() => 'unmeasurable'),
    outcomes: { 'n1-a': 'refused' },
    expected: ['n1-a', 'n1-b', 'n2-a'],
  },
  {
    name: 'more of each source if the plan allows, though pods cannot be measured',
    usage: usageThat(() => 'unmeasurable'),
    perSourceMax: 2,
    expected: ['n1-a', 'n1-b', 'n2-a', 'n2-b'],
  },
  {
    name: 'who is leaving already, and counts it',
    perSourceMax: 2,
    world: { rankOf: ({ name }) => (name === 'n1-c' ? 0 : 1) },
    expected: ['n1-c', 'n1-a', 'n2-a', 'n2-b'],
  },
])('names $name', ({ name: _, expected, ...choices }) => {
  expect(run(choices).named).toEqual(expected)
})

test('keeps its own account of the sources, and breathes at every source', () => {
  const { sources, breaths } = run({ outcomes: { 'n1-c': 'refused' } })
  expect(sources.map(({ used }) => Object.fromEntries(used))).toEqual([
    { cpu: 300, memory: 0, pods: 1_000 },
    { cpu: 0, memory: 0, pods: 0 },
  ])
  expect(breaths).toBe(2)
})

function usageThat(usedBy: (pod: PodView) => ReturnType<Plan['usage']['usedBy']>): Plan['usage'] {
  return { resources: ['cpu', 'memory', 'pods'], usedOn: () => new Map(), usedBy }
}
