import { buildFollowed } from '../../test/build/followed.ts'
import { describe, expect, test } from 'vitest'
import { EvacuatorGround } from '../../test/build/evacuator-ground.ts'
import { evacuationName } from '../api/evacuation/evacuation-name.ts'
import { TransportError } from '../kube/client/transport.ts'
import { EvacuationWriter } from '../evacuation-client/evacuation-writer.ts'
import { stored } from '../../test/build/stored.ts'
import type { CancelResult, Evacuator, StepResult } from './evacuator.ts'
import { TurnRunner } from './turn-runner.ts'

// The stories of whole turns are in evacuator-loop.test.ts; here is what one run answers.

const ours = 'ours.example.com'
const theirs = 'theirs.example.com'
const { signal } = new AbortController()

async function setUp(evacuator: Omit<Evacuator, 'evacuatorClass'>, options: { podUid?: string } = {}) {
  const ground = new EvacuatorGround()
  const pod = await ground.evacuate('vm', {
    registrations: [ours, theirs].map((evacuatorClass) => ({ evacuatorClass, priority: 1 })),
  })
  await ground.select(pod, ours)
  const cache = { evacuation: await ground.evacuation(pod) }
  const writer = new EvacuationWriter(
    ground.kube,
    buildFollowed(() => cache.evacuation),
  )
  const runner = new TurnRunner({
    sparing: false,
    alwaysCancellable: false,
    ...ground.parts,
    evacuator: { evacuatorClass: ours, ...evacuator },
    writer,
    readPod: async () => stored({ metadata: { ...pod, uid: options.podUid ?? pod.uid } }),
  })
  const id = `${pod.namespace}/${evacuationName(pod)}`
  const { clock } = ground
  const run = async () => {
    const next = await runner.reconcile(id, signal)
    return next.kind === 'again' ? next.atMs - clock.nowMs() : 'settled'
  }
  return { ground, pod, run, cache }
}

const always = (result: StepResult) => ({ step: async () => result })

describe('after one run', () => {
  test.each<{ name: string; result: StepResult; expected: number | 'settled' }>([
    { name: 'work is looked at again after 10 seconds', result: { kind: 'working', message: '' }, expected: 10_000 },
    {
      name: 'work is looked at when it asks',
      result: { kind: 'working', message: '', againInMs: 3_000 },
      expected: 3_000,
    },
    {
      name: 'work is looked at no later than progress is due',
      result: { kind: 'working', message: '', againInMs: 9_000_000 },
      expected: 180_000,
    },
    { name: 'nobody spins', result: { kind: 'working', message: '', againInMs: 0 }, expected: 100 },
    {
      name: 'a wait is looked at when it asks',
      result: { kind: 'waiting', because: { reason: 'A', message: 'a' }, againInMs: 60_000 },
      expected: 60_000,
    },
    { name: 'an eviction is followed up', result: { kind: 'evict' }, expected: 10_000 },
    { name: 'what is completed is looked at once more', result: { kind: 'completed', message: '' }, expected: 0 },
  ])('$name', async ({ result, expected }) => {
    const { run } = await setUp(always(result))
    expect(await run()).toBe(expected)
  })

  test('a pod of another UID is nobody to act on, whoever read it', async () => {
    let steps = 0
    const step = async (): Promise<StepResult> => {
      steps++
      return { kind: 'evict' }
    }
    const { run } = await setUp({ step }, { podUid: 'another' })
    expect(await run()).toBe('settled')
    expect(steps).toBe(0)
  })

  test('what was written is known, though the watch has not shown it', async () => {
    let steps = 0
    const step = async (): Promise<StepResult> => {
      steps++
      return { kind: 'completed', message: '' }
    }
    const { run } = await setUp({ step })
    await run()
    expect(await run()).toBe('settled')
    expect(steps).toBe(1)
  })

  test.each<{ name: string; result: StepResult }>([
    { name: 'an eviction', result: { kind: 'evict' } },
    { name: 'a report', result: { kind: 'completed', message: 'moved' } },
  ])('$name that comes after the turn is dropped, though the watch has not told', async ({ result }) => {
    const scene = await setUp({
      step: async () => {
        await scene.ground.select(scene.pod, theirs)
        return result
      },
    })
    expect(await scene.run()).toBe(0)
    expect(await scene.ground.pod(scene.pod)).toBeDefined()
    expect(await scene.ground.status(scene.pod)).toMatchObject({
      activeEvacuatorCompleted: false,
      message: `Evacuator ${theirs} was selected`,
    })
    expect(scene.ground.told.map(({ reason }) => reason)).toEqual(['EvacuatorStarted', 'EvacuatorTurnLost'])
    expect(await scene.run()).toBe('settled')
  })

  test('an eviction without an answer is a failure, and looked at anew', async () => {
    const { run, ground, pod } = await setUp(always({ kind: 'evict' }))
    ground.beforeRequest = async ({ path }) => {
      if (path.endsWith('/eviction')) throw new TransportError('connection reset', { sent: 'maybe' })
    }
    await expect(run()).rejects.toThrow('connection reset')
    expect((await ground.status(pod)).conditions).toMatchObject([{ type: 'Blocked', reason: 'StepFailed' }])
  })

  test('a cancellation that evicts is a mistake', async () => {
    const cancel = async () => ({ kind: 'evict' }) as unknown as CancelResult
    const { run, ground, pod, cache } = await setUp({ ...always({ kind: 'working', message: '' }), cancel })
    await run()
    await ground.cancel(pod, [ours])
    cache.evacuation = await ground.evacuation(pod)
    await expect(run()).rejects.toThrow('cancelled pod stays')
    expect(await ground.pod(pod)).toBeDefined()
  })
})

test('evictions among the same go one after the other, and others beside them', async () => {
  const ground = new EvacuatorGround()
  const names = ['a', 'b', 'c']
  const evacuated = await Promise.all(
    names.map(async (name) => {
      const pod = await ground.evacuate(name, { registrations: [{ evacuatorClass: ours, priority: 1 }] })
      await ground.select(pod, ours)
      return { pod, evacuation: await ground.evacuation(pod) }
    }),
  )
  const found = (key: { readonly name: string }) =>
    evacuated.find(({ pod }) => evacuationName(pod) === key.name) ?? { pod: undefined, evacuation: undefined }
  const under = new Map<string, number>()
  const most = { together: 0, all: 0 }
  const kube = Object.create(ground.kube) as typeof ground.kube
  kube.evict = async ({ name }) => {
    under.set(name, 1)
    most.all = Math.max(most.all, under.size)
    most.together = Math.max(most.together, ['a', 'b'].filter((each) => under.has(each)).length)
    for (let turns = 0; turns < 20; turns++) await Promise.resolve()
    under.delete(name)
    return { kind: 'accepted' }
  }
  const runner = new TurnRunner({
    ...ground.parts,
    kube,
    sparing: true,
    alwaysCancellable: false,
    evacuator: {
      evacuatorClass: ours,
      step: async ({ pod }) => ({ kind: 'evict', among: pod.metadata.name === 'c' ? 'mail' : 'web' }),
    },
    writer: new EvacuationWriter(
      ground.kube,
      buildFollowed((key) => found(key).evacuation),
    ),
    readPod: async (key) =>
      stored({ metadata: { ...key, ...evacuated.find(({ pod }) => pod.name === key.name)?.pod } }),
  })
  await Promise.all(evacuated.map(({ pod }) => runner.reconcile(`${pod.namespace}/${evacuationName(pod)}`, signal)))
  expect(most).toEqual({ together: 1, all: 2 })
})

test('a hold is not taken where the turn passed to another class before it was written', async () => {
  const { ground, pod, run } = await setUp({
    ...always({ kind: 'working', message: '' }),
    cancel: async () => ({ kind: 'completed', message: '' }),
  })
  await ground.select(pod, theirs)
  await run()
  const { finalizers = [] } = (await ground.evacuation(pod))?.metadata ?? {}
  expect(finalizers.filter((finalizer) => finalizer.includes(ours))).toEqual([])
})
