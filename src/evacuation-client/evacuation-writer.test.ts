import { EvacuationGround } from '../../test/build/evacuation-ground.ts'
import { buildFollowed } from '../../test/build/followed.ts'
import { describe, expect, test } from 'vitest'
import { FakeApi, failure } from '../../test/build/fake-api.ts'
import { buildKube } from '../../test/build/kube.ts'
import { type Evacuation, evacuations, newEvacuationStatus } from '../api/evacuation/evacuation.ts'
import { VirtualClock } from '../runtime/virtual-clock.ts'
import { EvacuationWriter } from './evacuation-writer.ts'

const key = { namespace: 'shop', name: 'u-web' }
const path = '/apis/evacuation.coordination.k8s.io/v1alpha1/namespaces/shop/evacuations/u-web'

function version(resourceVersion: string, message = '', uid = 'e'): Evacuation {
  return {
    metadata: { ...key, uid, resourceVersion },
    spec: { podRef: { name: 'web', uid: 'u' }, progressDeadlineSeconds: 1_800 },
    status: {
      activeEvacuatorCompleted: false,
      evacuationCancellationPolicy: 'Allow',
      failedEvictionCounter: 0,
      message,
    },
  }
}

/** A server that answers patches and gets from a script; `seen` is what the watch has shown. */
function setUp(answers: readonly (Evacuation | ReturnType<typeof failure>)[], seen: Evacuation | undefined) {
  const api = new FakeApi()
  const queue = [...answers]
  const sent: { method: string; path: string; body: unknown }[] = []
  api.fault = (request) => {
    sent.push({ method: request.method, path: request.path, body: request.body })
    const answer = queue.shift()
    if (answer === undefined) throw new Error('nothing more was expected')
    return 'metadata' in answer ? { status: 200, headers: {}, body: answer } : answer
  }
  const state = { seen, silentForMs: 0 }
  const followed = buildFollowed<Evacuation>(
    () => state.seen,
    () => state.silentForMs,
  )
  const writer = new EvacuationWriter(buildKube(api, new VirtualClock()), followed)
  return { writer, sent, state, followed, signal: new AbortController().signal }
}

const conflict = failure(409, 'Conflict', 'the object has been modified')
const notFound = failure(404, 'NotFound', 'not found')
const say = (message: string) => () => ({ kind: 'status', status: { message } }) as const

describe('a writer of Evacuations', () => {
  test('writes on top of the version that was looked at', async () => {
    const { writer, sent, signal } = setUp([version('2', 'hello')], version('1'))
    expect(await writer.write(key, say('hello'), signal)).toBe('written')
    expect(sent).toEqual([
      {
        method: 'PATCH',
        path: `${path}/status`,
        body: { metadata: { resourceVersion: '1' }, status: { message: 'hello' } },
      },
    ])
  })

  test('asks for the newest version only where the watch has been silent', async () => {
    const { writer, sent, state, signal } = setUp([version('2')], version('1'))
    expect((await writer.recent(key, signal))?.metadata.resourceVersion).toBe('1')
    state.silentForMs = 1_999
    expect((await writer.recent(key, signal))?.metadata.resourceVersion).toBe('1')
    expect(sent).toEqual([])
    state.silentForMs = 2_000
    expect((await writer.recent(key, signal))?.metadata.resourceVersion).toBe('2')
    expect(sent).toEqual([{ method: 'GET', path, body: undefined }])
  })

  describe('an intended status', () => {
    const selected = {
      activeEvacuatorClass: 'ours.example.com',
      message: 'selected',
      expectedEvacuationFinishTime: null,
    }

    test('is seen at once, told of, and written once', async () => {
      const { writer, sent, signal } = setUp([version('2', 'selected')], version('1'))
      const told: unknown[] = []
      using _told = writer.onIntended(({ status }) => void told.push(status?.activeEvacuatorClass))
      writer.intend(version('1'), selected, 7)
      expect([writer.latest(key)?.status?.activeEvacuatorClass, writer.intendedAtMs(key)]).toEqual([
        'ours.example.com',
        7,
      ])
      expect([told, sent]).toEqual([['ours.example.com'], []])
      await writer.writeIntended(key, signal)
      await writer.writeIntended(key, signal)
      expect(sent.map(({ body }) => body)).toEqual([{ metadata: { resourceVersion: '1' }, status: selected }])
    })

    test('goes along with whatever else is written into the status', async () => {
      const { writer, sent, signal } = setUp([version('2', 'hello')], version('1'))
      writer.intend(version('1'), selected, 7)
      await writer.write(key, say('hello'), signal)
      await writer.writeIntended(key, signal)
      expect(sent.map(({ body }) => body)).toEqual([
        { metadata: { resourceVersion: '1' }, status: { ...selected, message: 'hello' } },
      ])
    })

    test('survives a conflict, and is on top of what came in between', async () => {
      const { writer, sent, state, signal } = setUp([conflict, version('3', 'selected')], version('1'))
      writer.intend(version('1'), selected, 7)
      await expect(writer.writeIntended(key, signal)).rejects.toThrow('modified')
      state.seen = version('2', 'theirs')
      await writer.writeIntended(key, signal)
      expect(sent.map(({ body }) => body)).toEqual(
        ['1', '2'].map((resourceVersion) => ({ metadata: { resourceVersion }, status: selected })),
      )
    })

    const theirs = { ...newEvacuationStatus, activeEvacuatorClass: 'theirs.example.com' }
    test.each([
      { name: 'another writer has selected an evacuator', seen: { ...version('2'), status: theirs } },
      { name: 'another Evacuation has its name', seen: version('2', '', 'other') },
    ])('is forgotten where $name', async ({ seen }) => {
      const { writer, sent, state, signal } = setUp([], version('1'))
      writer.intend(version('1'), selected, 7)
      state.seen = seen
      await writer.writeIntended(key, signal)
      expect([writer.latest(key), writer.intendedAtMs(key), sent]).toEqual([seen, undefined, []])
    })

    test.each([
      {
        name: 'its pod is gone',
        end: async ({ writer }: ReturnType<typeof setUp>) => writer.forgetIntended(version('1')),
      },
      {
        name: 'it is deleted',
        end: async ({ followed }: ReturnType<typeof setUp>) => followed.tell({ kind: 'deleted', object: version('1') }),
      },
      {
        name: 'it is finished',
        end: async ({ writer, signal }: ReturnType<typeof setUp>) =>
          void (await writer.change(version('1'), { kind: 'finish', finalizers: [] }, signal)),
      },
    ])('is never written once $name', async ({ end }) => {
      const scene = setUp([version('1')], version('1'))
      scene.writer.intend(version('1'), selected, 7)
      await end(scene)
      await scene.writer.writeIntended(key, scene.signal)
      expect(scene.sent.filter(({ path: sentTo }) => sentTo.endsWith('/status'))).toEqual([])
    })

    test('is forgotten with the end of the turn in which it was intended', async () => {
      const { writer, sent, signal } = setUp([], version('1'))
      const told: string[] = []
      const turn = writer.intending(({ metadata }) => void told.push(metadata.name))
      writer.intend(version('1'), selected, 7)
      turn[Symbol.dispose]()
      await writer.writeIntended(key, signal)
      writer.intend(version('1'), selected, 8)
      expect([told, sent]).toEqual([['u-web'], []])
    })

    test('is given up also where it waits to be written', async () => {
      const scene = setUp([], version('1'))
      scene.writer.intend(version('1'), selected, 7)
      const writing = scene.writer.writeIntended(key, scene.signal)
      scene.writer.forgetIntended(version('1'))
      await writing
      expect(scene.sent).toEqual([])
    })
  })

  test('remembers what it wrote until the watch shows something newer', async () => {
    const { writer, state, signal } = setUp([version('10', 'hello')], version('9'))
    await writer.write(key, say('hello'), signal)
    expect(writer.latest(key)?.status?.message).toBe('hello')
    state.seen = version('11', 'by somebody else')
    expect(writer.latest(key)?.status?.message).toBe('by somebody else')
  })

  test('looks again when somebody was faster, and may find that there is no more reason to write', async () => {
    const { writer, sent, signal } = setUp([conflict, version('5', 'theirs')], version('1'))
    const outcome = await writer.write(
      key,
      (current) => (current.status?.message === 'theirs' ? undefined : { kind: 'status', status: { message: 'x' } }),
      signal,
    )
    expect(outcome).toBe('kept')
    expect(sent.map(({ method }) => method)).toEqual(['PATCH', 'GET'])
    expect(writer.latest(key)?.metadata.resourceVersion).toBe('5')
  })

  test('finds out that it is gone, before the watch does', async () => {
    const { writer, state, signal } = setUp([notFound, notFound], version('1'))
    expect(await writer.write(key, say('x'), signal)).toBe('gone')
    expect(writer.latest(key)).toBeUndefined()
    state.seen = version('7', '', 'another')
    expect(writer.latest(key)?.metadata.uid).toBe('another')
  })

  test('gives up when somebody is always faster', async () => {
    const answers = [1, 2, 3, 4].flatMap((count) => [conflict, version(String(count))])
    const { writer, signal } = setUp([...answers, conflict], version('0'))
    await expect(writer.write(key, say('x'), signal)).rejects.toMatchObject({ kind: 'conflict' })
  })

  test('writes finalizers on the object itself', async () => {
    const { writer, sent, signal } = setUp([version('2')], version('1'))
    await writer.write(key, () => ({ kind: 'finalizers', finalizers: ['a/b'] }), signal)
    expect(sent).toEqual([{ method: 'PATCH', path, body: { metadata: { resourceVersion: '1', finalizers: ['a/b'] } } }])
  })

  test('sends nothing where nothing changes', async () => {
    const { writer, sent, signal } = setUp([], version('1'))
    expect(await writer.write(key, () => ({ kind: 'status', status: {} }), signal)).toBe('kept')
    expect(sent).toEqual([])
  })

  test('forgets what it wrote when the watch shows its end', async () => {
    const { writer, state, followed, signal } = setUp([version('10', 'hello')], version('9'))
    await writer.write(key, say('hello'), signal)
    state.seen = undefined
    followed.tell({ kind: 'deleted', object: version('11') })
    expect(writer.latest(key)).toBeUndefined()
  })
})

async function arrange() {
  const ground = await EvacuationGround.open({ nodes: 1, started: false })
  const pod = await ground.createPod('web')
  await ground.evacuate(pod)
  const evacuation = await ground.evacuationOf(pod)
  if (evacuation === undefined) throw new Error('it was just made')
  return {
    ground,
    evacuation,
    writer: new EvacuationWriter(
      ground.kube,
      buildFollowed(() => evacuation),
    ),
  }
}

const { signal: lasting } = new AbortController()

test('a status decided on an older version is refused', async () => {
  const { ground, evacuation, writer } = await arrange()
  const status = (message: string) => ({ kind: 'status', status: { message } }) as const
  await ground.do(writer.change(evacuation, status('first'), lasting))
  await expect(ground.do(writer.change(evacuation, status('second'), lasting))).rejects.toMatchObject({
    kind: 'conflict',
  })
  await ground[Symbol.asyncDispose]()
})

test('a deletion names whom it means, and is known before the watch shows it', async () => {
  const { ground, evacuation, writer } = await arrange()
  const other = { ...evacuation, metadata: { ...evacuation.metadata, uid: 'another' } }
  await expect(ground.do(writer.delete(other, { signal: lasting }))).rejects.toMatchObject({ kind: 'conflict' })
  await ground.do(writer.change(evacuation, { kind: 'finalizers', finalizers: [] }, lasting))
  await ground.do(writer.delete(evacuation, { signal: lasting }))
  expect((await ground.do(ground.kube.list(evacuations))).items).toEqual([])
  expect(writer.latest(keyOf(evacuation))).toBeUndefined()
  await ground[Symbol.asyncDispose]()
})

test('one that finalizers keep is there after its deletion', async () => {
  const { ground, evacuation, writer } = await arrange()
  await ground.do(writer.delete(evacuation, { ifUnchanged: true, signal: lasting }))
  expect(writer.latest(keyOf(evacuation))?.metadata.deletionTimestamp).toBeDefined()
  await ground[Symbol.asyncDispose]()
})

function keyOf({ metadata: { namespace, name } }: Evacuation) {
  return { namespace, name }
}
