import { afterEach, describe, expect, test } from 'vitest'
import { EvacuatorGround } from '../../test/build/evacuator-ground.ts'
import { evacuationName } from '../api/evacuation/evacuation-name.ts'
import { evacuations } from '../api/evacuation/evacuation.ts'
import { namespaces, pods } from '../api/kubernetes/resources.ts'
import { podRefOf, type PodRef } from '../api/evacuation/pod-reference.ts'
import { sleep } from '../runtime/clock.ts'
import type { Manifest } from '../api/kubernetes/meta.ts'
import type { Evacuator, StepResult, Turn } from './evacuator.ts'
import { EvacuatorLoop, runEvacuator } from './evacuator-loop.ts'
import { TurnEnded } from './turn-ended.ts'

const ours = 'ours.example.com'
const theirs = 'theirs.example.com'
const registrations = [
  { evacuatorClass: ours, priority: 20_000 },
  { evacuatorClass: theirs, priority: 500 },
]
const hold = `evacuation.coordination.k8s.io/instigator_${ours}`
const second = 1_000
const minute = 60_000

const stops: AbortController[] = []
afterEach(() => {
  for (const stop of stops.splice(0)) stop.abort(new Error('the test is over'))
})

type Script = Pick<Evacuator, 'step'> & Partial<Pick<Evacuator, 'cancel' | 'actsOnDeletedPods'>>

/** A pod whose evacuation is the turn of an evacuator that does as the script says. */
async function setUp(script: Script, options: { deadlineSeconds?: number; concurrency?: number } = {}) {
  const ground = new EvacuatorGround()
  const { clock } = ground
  const stop = new AbortController()
  stops.push(stop)
  const turns: Turn[] = []
  const start = async () => {
    const evacuator: Evacuator = {
      evacuatorClass: ours,
      step: (turn) => {
        turns.push(turn)
        return script.step(turn)
      },
      ...(script.cancel === undefined ? {} : { cancel: script.cancel }),
      ...(script.actsOnDeletedPods === true ? { actsOnDeletedPods: true } : {}),
    }
    const loop = new EvacuatorLoop({ ...ground.parts, ...options, evacuator })
    const ending = loop.follow(stop.signal)
    await clock.advance(0)
    await loop.synced()
    const leading = loop.lead(stop.signal)
    await clock.advance(0)
    return { loop, ended: async () => void (await Promise.all([ending, leading])) }
  }
  const { loop, ended } = await start()
  const evacuate = async (name: string): Promise<PodRef> => {
    const pod = await ground.evacuate(name, { registrations, ...options })
    await clock.advance(0)
    return pod
  }
  const begin = async (name = 'vm-1'): Promise<PodRef> => {
    const pod = await evacuate(name)
    await ground.select(pod, ours)
    await clock.advance(10)
    return pod
  }
  const blocked = async (pod: PodRef) =>
    (await ground.status(pod)).conditions?.find(({ type }) => type === 'Blocked') ?? 'no condition'
  return { ground, clock, turns, loop, stop, ended, start, evacuate, begin, blocked }
}

const working = (message = 'moving', extra: object = {}): StepResult => ({ kind: 'working', message, ...extra })
const always = (result: StepResult) => ({ step: async () => result })

describe('when to start', () => {
  test('starts at once though hundreds of steps of another namespace are stuck', async () => {
    const { ground, clock, turns, begin } = await setUp({
      step: async ({ pod, signal }) => {
        if (pod.metadata.namespace === 'slow') await sleep(clock, 60 * minute, signal)
        return working()
      },
    })
    await ground.controller.create(namespaces, { metadata: { name: 'slow' } })
    for (let at = 0; at < 300; at++) {
      const pod = podRefOf(await ground.createPod(`vm-${at}`, { namespace: 'slow' }))
      await ground.evacuateExisting(pod, { registrations })
      await ground.select(pod, ours)
    }
    await clock.advance(second)
    const stuck = turns.splice(0)
    expect(stuck.length).toBe(100)
    await begin()
    expect(turns.map(({ pod }) => pod.metadata.namespace)).toEqual(['shop'])
  })

  test('does nothing while no class is active, or another one is', async () => {
    const { ground, clock, turns, evacuate } = await setUp(always(working()))
    const pod = await evacuate('vm-1')
    await clock.advance(minute)
    await ground.select(pod, theirs)
    await clock.advance(minute)
    expect(turns).toEqual([])
    expect(ground.statusWrites()).toBe(0)
  })

  test('starts when its class becomes active, and adopts the evacuation by a report of progress', async () => {
    const { ground, turns, begin } = await setUp(always(working('copying memory')))
    const pod = await begin()
    expect(turns).toHaveLength(1)
    expect(turns[0]).toMatchObject({ pod: { metadata: { uid: pod.uid } }, nowMs: expect.any(Number) })
    expect(await ground.status(pod)).toMatchObject({ message: 'copying memory', activeEvacuatorCompleted: false })
    expect(await ground.silentMs(pod)).toBeLessThan(2 * second)
  })

  test('goes on with what was its turn before it started', async () => {
    const ground = await setUp(always(working()))
    const pod = await ground.begin()
    ground.stop.abort(new Error('restart'))
    await ground.ended()
    ground.turns.length = 0
    const again = new AbortController()
    stops.push(again)
    const running = runEvacuator({
      ...ground.ground.parts,
      signal: again.signal,
      evacuator: { evacuatorClass: ours, step: async () => ({ kind: 'completed', message: 'moved' }) },
    })
    await ground.clock.advance(second)
    expect(await ground.ground.status(pod)).toMatchObject({ activeEvacuatorCompleted: true, message: 'moved' })
    again.abort(new Error('enough'))
    await running
  })

  test('leaves another pod alone that has the name by now', async () => {
    const { ground, clock, turns, evacuate } = await setUp(always({ kind: 'evict' }))
    const pod = await evacuate('vm-1')
    await ground.removePod(pod)
    await ground.createPod('vm-1')
    await ground.select(pod, ours)
    await clock.advance(minute)
    expect(turns).toEqual([])
    expect((await ground.pod(pod))?.metadata.uid).not.toBe(pod.uid)
  })

  test('leaves a pod alone that is terminating already', async () => {
    const { ground, clock, turns, evacuate } = await setUp(always(working()))
    const pod = await evacuate('vm-1')
    await ground.controller.patch(pods, pod, { type: 'merge', body: { metadata: { finalizers: ['example.com/x'] } } })
    await ground.controller.delete(pods, pod)
    await ground.select(pod, ours)
    await clock.advance(minute)
    expect(turns).toEqual([])
  })
})

describe('an evacuator that acts on deleted pods', () => {
  test('has its turn with one, and never evicts it', async () => {
    const { ground, clock, turns, evacuate } = await setUp({ ...always({ kind: 'evict' }), actsOnDeletedPods: true })
    const evictions: string[] = []
    ground.beforeRequest = async ({ path }) => void (path.endsWith('/eviction') && evictions.push(path))
    const pod = await evacuate('vm-1')
    await ground.controller.patch(pods, pod, { type: 'merge', body: { metadata: { finalizers: ['example.com/x'] } } })
    await ground.controller.delete(pods, pod)
    await ground.select(pod, ours)
    await clock.advance(minute)
    expect(turns.length).toBeGreaterThan(1)
    expect(evictions).toEqual([])
  })
})

describe('while it works', () => {
  test('reports progress every tenth of the deadline, and at least every three minutes', async () => {
    for (const [deadlineSeconds, writes] of [
      [600, 30],
      [1_800, 10],
      [21_600, 10],
    ] as const) {
      const { ground, clock, begin } = await setUp(always(working()), { deadlineSeconds })
      await begin()
      const before = ground.statusWrites()
      await clock.advance(30 * minute)
      expect(ground.statusWrites() - before).toBeGreaterThanOrEqual(writes - 1)
      expect(ground.statusWrites() - before).toBeLessThanOrEqual(writes)
    }
  })

  test('writes news at most every 20 seconds, and none of it is lost', async () => {
    let percent = 0
    const { ground, clock, begin } = await setUp({
      step: async () => working(`${(percent = Math.min(100, percent + 1))} %`, { againInMs: second }),
    })
    const pod = await begin()
    const before = ground.statusWrites()
    await clock.advance(minute)
    expect(ground.statusWrites() - before).toBe(3)
    await clock.advance(2 * minute)
    expect((await ground.status(pod)).message).toBe('100 %')
  })

  test('writes news as soon as they may be written, though it asked to be called much later', async () => {
    const results = [working('a', { againInMs: second })]
    const { ground, clock, begin } = await setUp({
      step: async () => results.shift() ?? working('b', { againInMs: 3 * minute }),
    })
    const pod = await begin()
    await clock.advance(21 * second)
    expect((await ground.status(pod)).message).toBe('b')
  })

  test('tells when it expects to be done, and takes it back when it cannot tell any more', async () => {
    const results = [working('a', { expectedFinishMs: Date.UTC(2026, 0, 1, 1) }), working('b')]
    const { ground, clock, begin } = await setUp({ step: async () => results.shift() ?? working('b') })
    const pod = await begin()
    expect((await ground.status(pod)).expectedEvacuationFinishTime).toBe('2026-01-01T01:00:00Z')
    await clock.advance(25 * second)
    expect(await ground.status(pod)).not.toHaveProperty('expectedEvacuationFinishTime')
  })

  test('reports progress by itself while one step takes 20 minutes', async () => {
    const scene = await setUp({
      step: async ({ signal }) => {
        await sleep(scene.clock, 20 * minute, signal)
        return { kind: 'completed', message: 'moved' }
      },
    })
    const pod = await scene.begin()
    for (let minutes = 0; minutes < 19; minutes++) {
      await scene.clock.advance(minute)
      expect(await scene.ground.silentMs(pod)).toBeLessThanOrEqual(4 * minute)
    }
    expect((await scene.ground.status(pod)).message).toBe(`Evacuator ${ours} is at work`)
    await scene.clock.advance(2 * minute)
    expect(await scene.ground.status(pod)).toMatchObject({ activeEvacuatorCompleted: true, message: 'moved' })
    expect(scene.turns).toHaveLength(1)
  })

  test('falls silent when one step takes longer than the deadline: it may hang', async () => {
    const scene = await setUp({ step: ({ signal }) => sleep(scene.clock, 600 * minute, signal).then(() => working()) })
    const pod = await scene.begin()
    await scene.clock.advance(90 * minute)
    expect(await scene.ground.silentMs(pod)).toBeGreaterThan(30 * minute)
  })

  test('writes Forbid before the step is called again', async () => {
    const policies: (string | undefined)[] = []
    const results = [working('copying'), working('copying', { cancellation: 'Forbid', againInMs: 0 })]
    const { begin, clock } = await setUp({
      step: async ({ evacuation }) => {
        policies.push(evacuation.status?.evacuationCancellationPolicy)
        return results.shift() ?? working('switching over', { againInMs: minute })
      },
    })
    await begin()
    await clock.advance(11 * second)
    expect(policies).toEqual(['Allow', 'Allow', 'Forbid'])
  })

  test('is called at once when it is woken', async () => {
    const { begin, clock, loop, turns } = await setUp(always(working('x', { againInMs: minute })))
    const pod = await begin()
    loop.wake({ namespace: pod.namespace, name: evacuationName(pod) })
    await clock.advance(10)
    expect(turns).toHaveLength(2)
    loop.wake({ namespace: pod.namespace, name: 'unknown' })
    await clock.advance(10)
    expect(turns).toHaveLength(2)
  })

  test('is not called by its own reports', async () => {
    const { begin, clock, turns } = await setUp({ step: async () => working(`${turns.length}`, { againInMs: minute }) })
    await begin()
    await clock.advance(5 * minute + second)
    expect(turns).toHaveLength(6)
  })

  test('tells its start by one event', async () => {
    const { begin, clock, ground } = await setUp(always(working()))
    await begin()
    await clock.advance(10 * minute)
    expect(ground.told).toMatchObject([
      {
        type: 'Normal',
        reason: 'EvacuatorStarted',
        about: { kind: 'Evacuation' },
        note: expect.stringMatching(/vm-1/),
      },
    ])
  })

  test('calls one step at a time for each Evacuation, and as many Evacuations at once as allowed', async () => {
    let [now, most] = [0, 0]
    const scene = await setUp(
      {
        step: async ({ signal }) => {
          most = Math.max(most, ++now)
          await sleep(scene.clock, minute, signal)
          now--
          return working()
        },
      },
      { concurrency: 2 },
    )
    for (const name of ['vm-1', 'vm-2', 'vm-3']) await scene.begin(name)
    await scene.clock.advance(10 * minute)
    expect(most).toBe(2)
    expect(new Set(scene.turns.map(({ pod }) => pod.metadata.name)).size).toBe(3)
  })
})

describe('while it waits', () => {
  const because = { reason: 'NoRoom', message: 'no host has 64 GiB' }

  test('says why in a condition and in the message, and reports no progress', async () => {
    const { ground, clock, begin, blocked } = await setUp(always({ kind: 'waiting', because }))
    const pod = await begin()
    const writes = ground.statusWrites()
    await clock.advance(20 * minute)
    expect(await blocked(pod)).toMatchObject({ status: 'True', ...because })
    expect((await ground.status(pod)).message).toBe(because.message)
    expect(await ground.silentMs(pod)).toBeGreaterThanOrEqual(20 * minute)
    expect(ground.statusWrites()).toBe(writes)
  })

  test('takes the condition back when it can go on', async () => {
    const results: StepResult[] = [{ kind: 'waiting', because }]
    const { clock, begin, blocked } = await setUp({ step: async () => results.shift() ?? working() })
    const pod = await begin()
    await clock.advance(20 * second)
    expect(await blocked(pod)).toMatchObject({ status: 'False', reason: 'Progressing' })
  })

  test('vouches for no step that takes long before it has said that it can go on', async () => {
    let isFirst = true
    const scene = await setUp({
      step: async ({ signal }) => {
        if (!isFirst) await sleep(scene.clock, 25 * minute, signal)
        isFirst = false
        return { kind: 'waiting', because }
      },
    })
    const pod = await scene.begin()
    await scene.clock.advance(20 * minute)
    expect(await scene.ground.silentMs(pod)).toBeGreaterThanOrEqual(20 * minute)
  })

  test('does not write over what the controller says about its silence', async () => {
    const { ground, clock, begin, blocked } = await setUp(always({ kind: 'waiting', because }))
    const pod = await begin()
    const silent = { type: 'Blocked', status: 'True', reason: 'EvacuatorSilent', message: 'silent' } as const
    await ground.write(pod, { conditions: [{ ...silent, lastTransitionTime: '2026-01-01T00:00:00Z' }] })
    await clock.advance(10 * minute)
    expect(await blocked(pod)).toMatchObject({ reason: 'EvacuatorSilent' })
  })
})

describe('when it fails', () => {
  test('says so, backs off, tells one event, and reports no progress', async () => {
    const { ground, clock, turns, begin, blocked } = await setUp({
      step: () => Promise.reject(new Error('hypervisor does not answer')),
    })
    const pod = await begin()
    await clock.advance(10 * minute)
    expect(await blocked(pod)).toMatchObject({ status: 'True', reason: 'StepFailed' })
    expect((await ground.status(pod)).message).toMatch(/hypervisor does not answer/)
    expect(await ground.silentMs(pod)).toBeGreaterThanOrEqual(10 * minute)
    expect(turns.length).toBeGreaterThan(10)
    expect(turns.length).toBeLessThan(20)
    expect(ground.told.filter(({ reason }) => reason === 'EvacuatorFailed')).toHaveLength(1)
  })

  test('is forgiven when it goes on', async () => {
    let isDown = true
    const { clock, begin, blocked } = await setUp({
      step: async () => {
        if (isDown) throw new Error('down')
        return working()
      },
    })
    const pod = await begin()
    isDown = false
    await clock.advance(25 * second)
    expect(await blocked(pod)).toMatchObject({ status: 'False' })
  })

  test('a result that is none counts as a failure', async () => {
    const { begin, blocked } = await setUp({ step: async () => ({ kind: 'fine' }) as unknown as StepResult })
    expect(await blocked(await begin())).toMatchObject({
      reason: 'StepFailed',
      message: expect.stringMatching(/kind fine: it must be working, waiting, completed or evict/),
    })
  })
})

describe('when its part is done', () => {
  test('says that it completed, and is not called any more', async () => {
    const { ground, clock, turns, begin } = await setUp(always({ kind: 'completed', message: 'moved' }))
    const pod = await begin()
    await clock.advance(10 * minute)
    expect(await ground.status(pod)).toMatchObject({ activeEvacuatorCompleted: true, message: 'moved' })
    expect(turns).toHaveLength(1)
    expect(ground.statusWrites()).toBe(1)
    expect(ground.told.map(({ reason }) => reason)).toEqual(['EvacuatorStarted'])
  })

  test('evicts with its class on the Eviction', async () => {
    const bodies: unknown[] = []
    const { ground, clock, turns, begin } = await setUp(always({ kind: 'evict' }))
    ground.beforeRequest = async ({ path, body }) => void (path.endsWith('/eviction') && bodies.push(body))
    const pod = await begin()
    await clock.advance(minute)
    expect(bodies).toMatchObject([
      {
        metadata: { annotations: { 'evacuation.coordination.k8s.io/evacuator': ours } },
        deleteOptions: { preconditions: { uid: pod.uid } },
      },
    ])
    expect(await ground.pod(pod)).toBeUndefined()
    expect((await ground.status(pod)).message).toBe('The pod was evicted and terminates')
    expect(turns).toHaveLength(1)
  })

  test('says that it evicted also right after something else', async () => {
    const results: StepResult[] = [working('moving', { againInMs: second })]
    const { ground, clock, begin } = await setUp({ step: async () => results.shift() ?? { kind: 'evict' } })
    const pod = await begin()
    await clock.advance(2 * second)
    expect((await ground.status(pod)).message).toBe('The pod was evicted and terminates')
  })

  test('shows which budget refuses the eviction, tries again with back-off, and reports no progress', async () => {
    const { ground, clock, evacuate, blocked } = await setUp(always({ kind: 'evict' }))
    await ground.controller.create(
      { group: 'policy', version: 'v1', plural: 'poddisruptionbudgets', kind: 'PodDisruptionBudget', namespaced: true },
      { metadata: { namespace: 'shop', name: 'vms' }, spec: { selector: {}, minAvailable: 1 } } as Manifest,
    )
    const pod = await evacuate('vm-1')
    const status = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] }
    await ground.controller.patch(pods, pod, { type: 'merge', body: { status } }, { subresource: 'status' })
    await ground.select(pod, ours)
    await clock.advance(10 * minute)
    expect(await blocked(pod)).toMatchObject({ status: 'True', reason: 'DisruptionBudget' })
    expect((await ground.status(pod)).message).toMatch(/budget/)
    expect(await ground.silentMs(pod)).toBeGreaterThanOrEqual(10 * minute)
    const evictions = ground.requests.filter((request) => request.endsWith('/eviction')).length
    expect(evictions).toBeGreaterThan(8)
    expect(evictions).toBeLessThan(25)
  })

  test('does not evict when the turn passed on while it stepped', async () => {
    const scene = await setUp({
      step: async ({ pod }) => {
        await scene.ground.controller.patch(
          evacuations,
          { namespace: 'shop', name: evacuationName(podRefOf(pod)) },
          { type: 'merge', body: { status: { activeEvacuatorClass: theirs } } },
          { subresource: 'status' },
        )
        return { kind: 'evict' }
      },
    })
    const pod = await scene.begin()
    await scene.clock.advance(minute)
    expect((await scene.ground.pod(pod))?.metadata.uid).toBe(pod.uid)
    expect(scene.ground.requests.filter((request) => request.endsWith('/eviction'))).toEqual([])
  })
})

describe('when the turn ends', () => {
  /** A step that takes an hour and writes down why it was told to stop. */
  function patient() {
    const reasons: unknown[] = []
    const scene = setUp({
      step: async ({ signal }) => {
        try {
          await sleep((await scene).clock, 60 * minute, signal)
        } finally {
          reasons.push(signal.reason)
        }
        return working()
      },
    })
    return { scene, reasons }
  }

  test.each([
    { name: 'passes to another: the step stops', end: 'handedOver' },
    { name: 'is marked as completed by somebody else: the step stops', end: 'completed' },
    { name: 'is cancelled: the step stops', end: 'cancelled' },
    { name: 'is over because the Evacuation is gone: the step stops', end: 'gone' },
  ])('$name', async ({ end }) => {
    const { scene, reasons } = patient()
    const { ground, clock, turns, begin } = await scene
    const pod = await begin()
    await clock.advance(minute)
    if (end === 'handedOver') await ground.select(pod, theirs)
    if (end === 'completed') await ground.write(pod, { activeEvacuatorCompleted: true })
    if (end === 'cancelled') {
      await ground.controller.delete(evacuations, { namespace: 'shop', name: evacuationName(pod) })
    }
    if (end === 'gone') await ground.cancel(pod)
    const before = ground.statusWrites()
    await clock.advance(10 * minute)
    expect(reasons).toMatchObject([{ why: end }])
    expect(reasons[0]).toBeInstanceOf(TurnEnded)
    expect(ground.statusWrites()).toBe(before)
    expect(turns).toHaveLength(1)
    const isLoss = end === 'handedOver' || end === 'completed'
    expect(ground.told.filter(({ reason }) => reason === 'EvacuatorTurnLost')).toHaveLength(isLoss ? 1 : 0)
  })

  test('remembers nothing of an Evacuation that is gone', async () => {
    const { ground, clock, turns, begin } = await setUp(always(working()))
    const pod = await begin()
    await ground.cancel(pod)
    const before = ground.requests.length
    await clock.advance(10 * minute)
    expect(turns).toHaveLength(1)
    expect(ground.requests.length - before).toBe(0)
  })

  test('drops a report that comes too late, though the watch has not told yet', async () => {
    const scene = await setUp({
      step: async ({ pod }) => {
        await scene.ground.controller.patch(
          evacuations,
          { namespace: 'shop', name: evacuationName(podRefOf(pod)) },
          { type: 'merge', body: { status: { activeEvacuatorClass: theirs, message: 'theirs now' } } },
          { subresource: 'status' },
        )
        return { kind: 'completed', message: 'moved' }
      },
    })
    const pod = await scene.begin()
    await scene.clock.advance(minute)
    expect(await scene.ground.status(pod)).toMatchObject({ message: 'theirs now', activeEvacuatorCompleted: false })
    expect(scene.turns).toHaveLength(1)
  })

  test('writes on top of a change by somebody else that does not end it', async () => {
    const scene = await setUp({
      step: async ({ pod }) => {
        await scene.ground.controller.patch(
          evacuations,
          { namespace: 'shop', name: evacuationName(podRefOf(pod)) },
          { type: 'merge', body: { metadata: { labels: { touched: 'yes' } } } },
        )
        return { kind: 'completed', message: 'moved' }
      },
    })
    const pod = await scene.begin()
    expect(await scene.ground.status(pod)).toMatchObject({ message: 'moved', activeEvacuatorCompleted: true })
  })

  test('stops with the process, and waits for the step to end', async () => {
    const { scene, reasons } = patient()
    const { ground, begin, stop, ended, clock, blocked } = await scene
    const pod = await begin()
    stop.abort(new Error('SIGTERM'))
    await clock.advance(0)
    await ended()
    expect(reasons).toMatchObject([{ message: 'SIGTERM' }])
    expect(await blocked(pod)).toBe('no condition')
    expect(ground.told.map(({ reason }) => reason)).toEqual(['EvacuatorStarted'])
  })
})

describe('with something to put back', () => {
  test('holds the Evacuation before the first step', async () => {
    const held: boolean[] = []
    const { begin } = await setUp({
      step: async ({ evacuation }) => {
        held.push(evacuation.metadata.finalizers?.includes(hold) ?? false)
        return working()
      },
      cancel: async () => ({ kind: 'completed', message: '' }),
    })
    await begin()
    expect(held).toEqual([true])
  })

  test('puts back when it is cancelled, until it is done, then lets go of the Evacuation', async () => {
    const results: StepResult[] = [working('stopping the copy', { againInMs: second })]
    let cancels = 0
    const { ground, clock, turns, begin } = await setUp({
      ...always(working()),
      cancel: async () => {
        cancels++
        return (
          (results.shift() as ReturnType<typeof working> & { kind: 'working' }) ?? { kind: 'completed', message: '' }
        )
      },
    })
    const pod = await begin()
    await ground.cancel(pod, [ours])
    await clock.advance(500)
    expect((await ground.status(pod)).message).toBe('stopping the copy')
    await clock.advance(minute)
    expect(cancels).toBe(2)
    expect(turns).toHaveLength(1)
    expect(await ground.evacuation(pod)).toBeUndefined()
    expect((await ground.pod(pod))?.metadata.uid).toBe(pod.uid)
  })

  test('puts back also when another class is active by then, and leaves the status to it', async () => {
    let cancels = 0
    const { ground, clock, begin } = await setUp({
      ...always({ kind: 'completed', message: 'moved' }),
      cancel: async () => (++cancels === 1 ? { kind: 'working', message: 'ours' } : { kind: 'completed', message: '' }),
    })
    const pod = await begin()
    await ground.select(pod, theirs)
    await ground.cancel(pod, [ours])
    await clock.advance(5 * second)
    expect((await ground.status(pod)).message).toBe(`Evacuator ${theirs} was selected`)
    await clock.advance(minute)
    expect(await ground.evacuation(pod)).toBeUndefined()
  })

  test('goes on putting back while the turn changes, and stops when the Evacuation is gone', async () => {
    const reasons: unknown[] = []
    const scene = await setUp({
      ...always(working()),
      cancel: async ({ signal }) => {
        try {
          await sleep(scene.clock, 60 * minute, signal)
        } finally {
          reasons.push(signal.reason)
        }
        return { kind: 'completed', message: '' }
      },
    })
    const pod = await scene.begin()
    await scene.ground.cancel(pod, [ours])
    await scene.clock.advance(second)
    await scene.ground.select(pod, theirs)
    await scene.clock.advance(minute)
    expect(reasons).toEqual([])
    const key = { namespace: pod.namespace, name: evacuationName(pod) }
    await scene.ground.controller.patch(evacuations, key, { type: 'merge', body: { metadata: { finalizers: [] } } })
    await scene.clock.advance(second)
    expect(reasons).toMatchObject([{ why: 'gone' }])
  })

  test('puts back after a restart', async () => {
    let cancels = 0
    const scene = await setUp({ ...always(working()), cancel: async () => Promise.reject(new Error('down')) })
    const pod = await scene.begin()
    await scene.ground.cancel(pod, [ours])
    await scene.clock.advance(second)
    expect(await scene.blocked(pod)).toMatchObject({ reason: 'CancelFailed' })
    scene.stop.abort(new Error('restart'))
    const stop = new AbortController()
    stops.push(stop)
    void runEvacuator({
      ...scene.ground.parts,
      signal: stop.signal,
      evacuator: {
        evacuatorClass: ours,
        ...always(working()),
        cancel: async () => {
          cancels++
          return { kind: 'completed', message: '' }
        },
      },
    })
    await scene.clock.advance(second)
    expect(cancels).toBe(1)
    expect(await scene.ground.evacuation(pod)).toBeUndefined()
  })

  test('lets go without putting back when the pod is gone', async () => {
    let cancels = 0
    const { ground, clock, begin } = await setUp({
      ...always(working()),
      cancel: async () => {
        cancels++
        return { kind: 'completed', message: '' }
      },
    })
    const pod = await begin()
    await ground.removePod(pod)
    await ground.cancel(pod, [ours])
    await clock.advance(minute)
    expect(cancels).toBe(0)
    expect(await ground.evacuation(pod)).toBeUndefined()
  })

  test('lets go early when it did nothing', async () => {
    const { ground, begin } = await setUp({
      ...always({ kind: 'completed', message: 'not mine', nothingToPutBack: true }),
      cancel: async () => ({ kind: 'completed', message: '' }),
    })
    const pod = await begin()
    expect((await ground.evacuation(pod))?.metadata.finalizers).toEqual([
      'evacuation.coordination.k8s.io/instigator_maintenance.example.com',
    ])
  })

  test('lets go of a hold that an earlier version of it took', async () => {
    const { ground, clock, begin } = await setUp(always(working()))
    const pod = await begin()
    await ground.cancel(pod, [ours])
    await clock.advance(second)
    expect(await ground.evacuation(pod)).toBeUndefined()
  })
})
