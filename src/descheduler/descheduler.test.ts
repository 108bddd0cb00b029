import { expect, test } from 'vitest'
import { enabled, policyOf, profileOf } from '../../test/build/cycle-policy.ts'
import { noMetrics, nodeView, openEvictor, podView } from '../../test/build/descheduler-view.ts'
import type { Evacuation } from '../api/evacuation/evacuation.ts'
import { VirtualClock } from '../runtime/virtual-clock.ts'
import { storedMeta } from '../../test/build/stored.ts'
import type { Asked, Asking } from './asking.ts'
import type { PluginTable } from './cycle/cycle.ts'
import { Descheduler } from './descheduler.ts'
import { emptyMemory, type Memory } from './memory.ts'
import { inOrder } from './cycle/orders.ts'
import type { Nominations, PluginWorld } from './plugin.ts'
import type { Policy } from './policy/policy.ts'
import { renderNote } from './requests.ts'
import type { PodView } from './view.ts'

const { signal } = new AbortController()
const nodes = [nodeView({ name: 'n1' }), nodeView({ name: 'n2' })]
const finalizers = ['evacuation.coordination.k8s.io/instigator_descheduler.sigs.k8s.io']

/** Wants everybody, in the order of ranks. */
function* everybody(world: PluginWorld): Nominations {
  const pods = world.nodes.flatMap(({ name }) => world.podsOn(name))
  for (const pod of inOrder(world, pods, () => 0)) if ((yield pod) === 'totalLimit') return
}

/** A cluster that is as small as it can be: pods, and Evacuations of them. */
class SmallCluster {
  readonly clock = new VirtualClock()
  readonly asked: string[] = []
  readonly withdrawn: string[] = []
  /** How often others had a turn. */
  turns = 0
  pods: PodView[]
  evacuations: Evacuation[] = []
  memory: Memory = emptyMemory
  readonly #handlers = new Set<(evacuation: Evacuation) => void>()

  constructor(names: readonly string[]) {
    this.pods = names.map((name) => podView({ name, createdMs: this.clock.nowMs() - 3_600_000 }))
  }

  evacuate(name: string, more: Partial<Evacuation['metadata']> = {}): void {
    const evacuation: Evacuation = {
      metadata: storedMeta({ namespace: 'default', name: `${name}-uid-${name}`, ...more }),
      spec: { podRef: { name, uid: `${name}-uid` }, progressDeadlineSeconds: 1_800 },
    }
    this.evacuations.push(evacuation)
    for (const handler of this.#handlers) handler(evacuation)
  }

  /** A new process. `shows`: whether its watch shows its own requests at once. */
  start({ shows = true, ttlMs, answer = () => ({ kind: 'requested' }), more = {} }: StartChoices = {}): Descheduler {
    const plugin = { name: 'PodLifeTime', extensionPoint: 'deschedule', nominate: everybody }
    return new Descheduler({
      clock: this.clock,
      turn: async () => void this.turns++,
      watch: {
        view: (nowMs) => ({
          nowMs,
          nodes,
          pods: this.pods,
          namespaces: new Map(),
          budgets: [],
          storageClasses: new Map(),
          metrics: noMetrics,
        }),
        evacuations: () => this.evacuations,
        onEvacuation: (handler) => {
          this.#handlers.add(handler)
          return { [Symbol.dispose]: () => void this.#handlers.delete(handler) }
        },
      },
      measure: async () => noMetrics,
      plugins: { PodLifeTime: plugin } as unknown as PluginTable,
      evictorFor: () => openEvictor,
      asking: {
        ...more,
        ask: async (pod, strategy) => {
          const asked = answer(pod)
          if (asked.kind !== 'refused') this.asked.push(pod.name)
          const annotations = renderNote({ ...strategy, atMs: this.clock.nowMs() })
          if (asked.kind === 'requested' && shows) this.evacuate(pod.name, { finalizers, annotations })
          return asked
        },
      },
      withdraw: async ({ name }) => {
        this.withdrawn.push(name)
        if (shows) this.evacuations = this.evacuations.filter(({ spec }) => spec.podRef.name !== name)
      },
      memory: {
        read: async () => this.memory,
        write: async (memory) => void (this.memory = memory),
      },
      requestTtlMs: ttlMs,
    })
  }
}

interface StartChoices {
  readonly shows?: boolean
  readonly ttlMs?: number
  readonly answer?: (pod: PodView) => Asked
  readonly more?: Pick<Asking, 'isPretended'>
}

const policy = (total: number | undefined, more: Partial<Policy> = {}): Policy =>
  policyOf({
    profiles: [profileOf('p', { deschedule: [enabled('PodLifeTime')] })],
    limits: { total, perNode: undefined, perNamespace: undefined },
    ...more,
  })

test.each([{ shows: true }, { shows: false }])(
  'the next cycle counts what is under way and asks for nothing twice, also if the watch is late: $shows',
  async ({ shows }) => {
    const cluster = new SmallCluster(['a', 'b', 'c', 'd'])
    const descheduler = cluster.start({ shows })
    await descheduler.cycle(policy(2), signal)
    await descheduler.cycle(policy(2), signal)
    expect(cluster.asked).toEqual(['a', 'b'])
    await descheduler.cycle(policy(3), signal)
    expect(cluster.asked).toEqual(['a', 'b', 'c'])
  },
)

test('so does the next process', async () => {
  const cluster = new SmallCluster(['a', 'b', 'c'])
  await cluster.start().cycle(policy(2), signal)
  await cluster.start().cycle(policy(2), signal)
  expect(cluster.asked).toEqual(['a', 'b'])
})

test('requests of others count, also those that come while the cycle runs', async () => {
  const cluster = new SmallCluster(['a', 'b', 'c', 'd'])
  cluster.evacuate('d')
  const answer = ({ name }: PodView): Asked => {
    if (name === 'a') cluster.evacuate('c')
    return { kind: 'requested' }
  }
  const { strategies } = await cluster.start({ answer }).cycle(policy(3), signal)
  expect(cluster.asked).toEqual(['a'])
  expect(strategies[0]?.cut.map(({ pod, limit }) => `${pod.name} ${limit}`)).toEqual(['b totalLimit'])
})

test('a request that takes too long is taken back, and its pod ranks last from then on, also after a restart', async () => {
  const cluster = new SmallCluster(['a', 'b', 'c'])
  await cluster.start({ ttlMs: 600_000 }).cycle(policy(1), signal)
  await cluster.clock.advance(600_001)
  await cluster.start({ ttlMs: 600_000 }).cycle(policy(1), signal)
  expect(cluster.withdrawn).toEqual(['a'])
  expect(cluster.asked).toEqual(['a', 'b'])
  await cluster.clock.advance(600_001)
  await cluster.start({ ttlMs: 600_000 }).cycle(policy(3), signal)
  expect(cluster.asked).toEqual(['a', 'b', 'c', 'a'])
})

test('what was just taken back frees its place, though the watch still shows it', async () => {
  const cluster = new SmallCluster(['a', 'b'])
  cluster.evacuate('a', { finalizers, creationTimestamp: new Date(cluster.clock.nowMs() - 600_001).toISOString() })
  await cluster.start({ shows: false, ttlMs: 600_000 }).cycle(policy(1), signal)
  expect(cluster.asked).toEqual(['b'])
})

test('a pod is not asked again in the cycle that took its request back', async () => {
  const cluster = new SmallCluster(['a'])
  await cluster.start({ ttlMs: 600_000 }).cycle(policy(1), signal)
  await cluster.clock.advance(600_001)
  const { strategies } = await cluster.start({ ttlMs: 600_000 }).cycle(policy(1), signal)
  expect(strategies[0]?.refused.map(({ reason }) => reason)).toEqual(['a request for it has just been taken back'])
  await cluster.start({ ttlMs: 600_000 }).cycle(policy(1), signal)
  expect(cluster.asked).toEqual(['a', 'a'])
})

test('what others want, too, goes on leaving when our request is taken back', async () => {
  const cluster = new SmallCluster(['a'])
  const drill = 'evacuation.coordination.k8s.io/instigator_drill.example.com'
  const creationTimestamp = new Date(cluster.clock.nowMs() - 600_001).toISOString()
  cluster.evacuate('a', { finalizers: [...finalizers, drill], creationTimestamp })
  const { strategies } = await cluster.start({ shows: false, ttlMs: 600_000 }).cycle(policy(1), signal)
  expect(cluster.withdrawn).toEqual(['a'])
  expect(strategies[0]?.leaving.map(({ name }) => name)).toEqual(['a'])
})

test('a pod that came back is left alone for a while', async () => {
  const lifeboat = {
    maxPercentPerOwner: undefined,
    returnBackoffMs: 600_000,
    nodeFitAsScheduler: false,
    window: undefined,
  }
  const cluster = new SmallCluster(['a'])
  await cluster.start().cycle(policy(undefined, { lifeboat }), signal)
  cluster.evacuations = []
  await cluster.clock.advance(2_000)
  cluster.pods = [podView({ name: 'b', createdMs: cluster.clock.nowMs() })]
  const { strategies } = await cluster.start().cycle(policy(undefined, { lifeboat }), signal)
  expect(strategies[0]?.refused.map(({ reason }) => reason)).toEqual([expect.stringContaining('it came back')])
  await cluster.clock.advance(600_000)
  await cluster.start().cycle(policy(undefined, { lifeboat }), signal)
  expect(cluster.asked).toEqual(['a', 'b'])
})

test('a cycle that is cut short remembers what it asked for', async () => {
  const lifeboat = {
    maxPercentPerOwner: undefined,
    returnBackoffMs: 600_000,
    nodeFitAsScheduler: false,
    window: undefined,
  }
  const cluster = new SmallCluster(['a', 'b'])
  const answer = ({ name }: PodView): Asked => {
    if (name === 'b') throw new Error('the API server is gone')
    return { kind: 'requested' }
  }
  await expect(cluster.start({ answer }).cycle(policy(undefined, { lifeboat }), signal)).rejects.toThrow('is gone')
  expect(cluster.memory.departures.size).toBe(1)
})

const machine = (pod: PodView, evictionInProgress = false) => ({
  ...pod,
  marks: { ...pod.marks, requestEvictOnly: true, evictionInProgress },
})

test('a promise counts, also for the next process, until who made it gives up', async () => {
  const cluster = new SmallCluster(['a', 'b'])
  cluster.pods = cluster.pods.map((pod) => machine(pod))
  const promising = { answer: () => ({ kind: 'promised' }) as const }
  const descheduler = cluster.start(promising)
  await descheduler.cycle(policy(1), signal)
  await descheduler.cycle(policy(1), signal)
  const next = cluster.start(promising)
  await next.cycle(policy(1), signal)
  expect(cluster.asked).toEqual(['a'])
  cluster.pods = cluster.pods.map((pod) => machine(pod, pod.name === 'a'))
  await next.cycle(policy(1), signal)
  expect(cluster.asked).toEqual(['a'])
  cluster.pods = cluster.pods.map((pod) => machine(pod))
  await next.cycle(policy(1), signal)
  expect(cluster.asked).toEqual(['a', 'a'])
})

test.each([
  { name: 'is promised', answer: (): Asked => ({ kind: 'promised' }), remembered: ['a-uid'] },
  { name: 'is refused', answer: (): Asked => ({ kind: 'refused', reason: 'no' }), remembered: [] },
  { name: 'happens at once', answer: (): Asked => ({ kind: 'requested' }), remembered: [] },
  {
    name: 'has no answer',
    answer: (): Asked => {
      throw new Error('the API server is gone')
    },
    remembered: ['a-uid'],
  },
])(
  'an eviction in the background is noted before it is asked for, also if it $name',
  async ({ answer, remembered }) => {
    const cluster = new SmallCluster(['a'])
    cluster.pods = cluster.pods.map((pod) => machine(pod))
    const noted: string[] = []
    const noting = () => {
      noted.push(...cluster.memory.promisedMs.keys())
      return answer()
    }
    await Promise.allSettled([cluster.start({ answer: noting }).cycle(policy(1), signal)])
    expect(noted).toEqual(['a-uid'])
    expect([...cluster.memory.promisedMs.keys()]).toEqual(remembered)
  },
)

test('usual pods need no note', async () => {
  const cluster = new SmallCluster(['a'])
  const noted: string[] = []
  const answer = (): Asked => {
    noted.push(...cluster.memory.promisedMs.keys())
    return { kind: 'requested' }
  }
  await cluster.start({ answer }).cycle(policy(1), signal)
  expect(noted).toEqual([])
})

test('each cycle of a dry run finds the cluster as it is', async () => {
  const cluster = new SmallCluster(['a'])
  const descheduler = cluster.start({ shows: false, more: { isPretended: true } })
  for (let cycle = 1; cycle <= 2; cycle++) {
    const { strategies } = await descheduler.cycle(policy(1), signal)
    expect(strategies.map(({ left, leaving }) => [left.length, leaving.length])).toEqual([[1, 0]])
  }
})

test('others have their turn between steps that look at all pods', async () => {
  const cluster = new SmallCluster(['a'])
  const turnsBefore: number[] = []
  const answer = (): Asked => {
    turnsBefore.push(cluster.turns)
    return { kind: 'requested' }
  }
  await cluster.start({ answer }).cycle(policy(undefined), signal)
  expect(turnsBefore).toEqual([2])
})
