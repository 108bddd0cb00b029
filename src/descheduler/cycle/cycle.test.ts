import { expect, test } from 'vitest'
import { enabled, policyOf, profileOf } from '../../../test/build/cycle-policy.ts'
import { noMetrics, nodeView, nowMs, openEvictor, podView } from '../../../test/build/descheduler-view.ts'
import { runCycle, type Answer, type CycleParts, type CycleReport, type PluginTable } from './cycle.ts'
import { breath, PluginFailure, type Nominations, type Outcome, type PluginWorld } from '../plugin.ts'
import { leavableOf } from './pods-listed.ts'
import type { PluginName } from '../policy/policy.ts'
import { nothingStands } from './standing.ts'
import type { PodView } from '../view.ts'

const nodes = [nodeView({ name: 'n1' }), nodeView({ name: 'n2' }), nodeView({ name: 'n3', isReady: false })]
const pods = [
  podView({ name: 'a', nodeName: 'n1' }),
  podView({ name: 'b', nodeName: 'n1', namespace: 'shop' }),
  podView({ name: 'c', nodeName: 'n2' }),
  podView({ name: 'd', nodeName: 'n2', namespace: 'shop' }),
  podView({ name: 'e', nodeName: 'n3' }),
]

/** Wants every pod that it sees, and tells what it was told. */
function* everybody(world: PluginWorld, told: string[]): Nominations {
  for (const { name } of world.nodes) {
    yield breath
    for (const pod of world.podsOn(name)) {
      if (world.evictor.filter(pod) !== undefined) continue
      const outcome: Outcome = yield pod
      told.push(`${pod.name} ${outcome}`)
    }
  }
}

interface Told {
  readonly asked: string[]
  readonly told: string[]
  readonly report: CycleReport
}

function run(
  choices: Partial<Omit<CycleParts, 'plugins'>> = {},
  answer: (pod: PodView) => Answer = () => ({ kind: 'requested' }),
  special: Partial<Record<PluginName, (world: PluginWorld) => Nominations>> = {},
): Told {
  const told: string[] = []
  const nominate = (name: PluginName) => special[name] ?? ((world: PluginWorld) => everybody(world, told))
  const plugin = (name: PluginName) => ({ name, extensionPoint: 'deschedule', nominate: nominate(name) })
  const plugins = {
    PodLifeTime: plugin('PodLifeTime'),
    RemoveDuplicates: plugin('RemoveDuplicates'),
    RemoveFailedPods: plugin('RemoveFailedPods'),
  } as unknown as PluginTable
  const view = { nowMs, nodes, pods, namespaces: new Map(), budgets: [], storageClasses: new Map(), metrics: noMetrics }
  const policy = policyOf({ profiles: [profileOf('p', { deschedule: [enabled('PodLifeTime')] })] })
  const cycle = runCycle({ view, policy, standing: nothingStands, plugins, evictorFor: () => openEvictor, ...choices })
  const asked: string[] = []
  for (let next = cycle.next(); ;) {
    if (next.done === true) return { asked, told, report: next.value }
    const step = next.value
    if (step === breath || step.kind === 'begins') next = cycle.next()
    else {
      asked.push(`${step.profile}/${step.strategy}: ${step.pod.name}`)
      next = cycle.next(answer(step.pod))
    }
  }
}

const named = (list: readonly { readonly pod: PodView }[]) => list.map(({ pod }) => pod.name)

test('asks for what the plugins want, on ready nodes that the policy selects', () => {
  const { asked, report } = run()
  expect(asked).toEqual(['a', 'b', 'c', 'd'].map((name) => `p/PodLifeTime: ${name}`))
  expect(report.strategies.map(({ left }) => left.map(({ name }) => name))).toEqual([['a', 'b', 'c', 'd']])
})

test.each([
  { name: 'one node', nodes: nodes.slice(0, 1), skipped: 'one node is ready and selected by the policy; it takes two' },
  {
    name: 'one ready node',
    nodes: nodes.slice(1),
    skipped: 'one node is ready and selected by the policy; it takes two',
  },
  { name: 'none', nodes: [], skipped: 'no node is ready and selected by the policy; it takes two' },
])('does nothing with $name', ({ nodes: some, skipped }) => {
  const view = { nowMs, nodes: some, pods, namespaces: new Map(), budgets: [], storageClasses: new Map() }
  const { asked, report } = run({ view: { ...view, metrics: noMetrics } })
  expect({ asked, report }).toEqual({ asked: [], report: { skipped, strategies: [] } })
})

test('first all profiles deschedule, then all balance, and who has left is not seen again', () => {
  const profiles = [
    profileOf('p', { deschedule: [enabled('PodLifeTime')], balance: [enabled('RemoveDuplicates')] }),
    profileOf('q', { deschedule: [enabled('RemoveFailedPods')] }),
  ]
  const answer = ({ name }: PodView): Answer =>
    name < 'c' ? { kind: 'requested' } : { kind: 'refused', reason: 'a budget' }
  const { asked, report } = run({ policy: policyOf({ profiles }) }, answer)
  expect(asked).toEqual([
    'p/PodLifeTime: a',
    'p/PodLifeTime: b',
    'p/PodLifeTime: c',
    'p/PodLifeTime: d',
    'q/RemoveFailedPods: c',
    'q/RemoveFailedPods: d',
    'p/RemoveDuplicates: c',
    'p/RemoveDuplicates: d',
  ])
  expect(report.strategies[0]?.refused).toEqual([
    { pod: pods[2], reason: 'a budget' },
    { pod: pods[3], reason: 'a budget' },
  ])
})

const one = [profileOf('p', { deschedule: [enabled('PodLifeTime')] })]
const none = { perNode: undefined, perNamespace: undefined, total: undefined }

test.each([
  { limits: { ...none, total: 3 }, left: ['a', 'b', 'c'], told: 'd totalLimit' },
  { limits: { ...none, perNode: 1 }, left: ['a', 'c'], told: 'b nodeLimit' },
  { limits: { ...none, perNamespace: 1 }, left: ['a', 'b'], told: 'c namespaceLimit' },
  { limits: { ...none, total: 0 }, left: [], told: 'a totalLimit' },
])('the limits $limits leave $left', ({ limits, left, told }) => {
  const seen = run({ policy: policyOf({ profiles: one, limits }) })
  expect(seen.asked.map((line) => line.slice(-1))).toEqual(left)
  expect(seen.told).toContain(told)
  expect(named(seen.report.strategies[0]?.cut ?? []).length).toBe(4 - left.length)
})

test('whoever is leaving already counts, fulfils the need, and is not asked for again', () => {
  const standing = { ...nothingStands, leaving: new Set(['b-uid', 'e-uid']) }
  const policy = policyOf({ profiles: one, limits: { ...none, total: 3 } })
  const { asked, told, report } = run({ policy, standing })
  expect(asked).toEqual(['p/PodLifeTime: a'])
  expect(told).toEqual(['a leaves', 'b leaves', 'c totalLimit', 'd totalLimit'])
  expect(report.strategies[0]?.leaving.map(({ name }) => name)).toEqual(['b'])
})

test('a refusal does not count', () => {
  const policy = policyOf({ profiles: one, limits: { ...none, total: 1 } })
  const { asked } = run({ policy }, ({ name }) =>
    name === 'a' ? { kind: 'refused', reason: 'a budget' } : { kind: 'requested' },
  )
  expect(asked.map((line) => line.slice(-1))).toEqual(['a', 'b'])
})

test('who is protected is reported with the reason', () => {
  const evictorFor = () => ({
    ...openEvictor,
    filter: ({ name }: PodView) => (name === 'b' ? 'it is precious' : undefined),
  })
  const { report } = run({ evictorFor })
  expect(report.strategies[0]?.spared).toEqual([{ pod: pods[1], reason: 'it is precious' }])
})

test('a plugin that fails does not stop the others', () => {
  const profiles = [profileOf('p', { deschedule: [enabled('RemoveFailedPods'), enabled('PodLifeTime')] })]
  // oxlint-disable-next-line require-yield -- it fails before it could
  const failing = function* (): Nominations {
    throw new PluginFailure('node n1 has no metrics')
  }
  const { asked, report } = run({ policy: policyOf({ profiles }) }, undefined, { RemoveFailedPods: failing })
  expect(asked).toHaveLength(4)
  expect(report.strategies.map(({ failure }) => failure)).toEqual(['node n1 has no metrics', undefined])
})

test('not more than a share of the pods of an owner, and none that has just come back', () => {
  const lifeboat = { maxPercentPerOwner: 40, returnBackoffMs: 60_000, nodeFitAsScheduler: false, window: undefined }
  const standing = {
    ...nothingStands,
    leftAloneUntilMs: new Map([
      ['a-uid', nowMs + 60_000],
      ['b-uid', nowMs],
    ]),
  }
  const { asked, report } = run({ policy: policyOf({ profiles: one, lifeboat }), standing })
  expect(asked.map((line) => line.slice(-1))).toEqual(['b', 'c'])
  expect(report.strategies[0]?.refused.map(({ reason }) => reason)).toEqual([
    'it came back to its node: it is left alone until 2026-06-01T12:01:00.000Z',
    '2 of 5 pods of ReplicaSet web are leaving: maxPercentPerOwner is 40',
  ])
})

test('the evictor is prepared before its profile is asked for pods', () => {
  const done: string[] = []
  const evictorFor: CycleParts['evictorFor'] = ({ name }) => ({
    ...openEvictor,
    *prepare() {
      yield breath
      done.push(`${name} is prepared`)
    },
  })
  const policy = policyOf({ profiles: [profileOf('p', { deschedule: [enabled('PodLifeTime')] })] })
  const { asked } = run({ policy, evictorFor }, ({ name }) => {
    done.push(name)
    return { kind: 'refused', reason: 'no' }
  })
  expect(asked.length).toBeGreaterThan(0)
  expect(done[0]).toBe('p is prepared')
  expect(done.slice(1)).toEqual(['a', 'b', 'c', 'd'])
})

test('a plugin may consider a pod in small steps', () => {
  const considered: string[] = []
  const evictorFor: CycleParts['evictorFor'] = () => ({
    ...openEvictor,
    *consider({ name }) {
      yield breath
      considered.push(name)
    },
  })
  const { asked } = run({ evictorFor }, undefined, {
    *PodLifeTime(world) {
      for (const pod of yield* leavableOf(world.podsOn('n1'), world.evictor)) yield pod
    },
  })
  expect(considered).toEqual(['a', 'b'])
  expect(asked).toEqual(['p/PodLifeTime: a', 'p/PodLifeTime: b'])
})
