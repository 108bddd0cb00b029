import { describe, expect, test } from 'vitest'
import { FakeApi, failure } from '../../test/build/fake-api.ts'
import { buildKube } from '../../test/build/kube.ts'
import type { Evacuation } from '../api/evacuation/evacuation.ts'
import { VirtualClock } from '../runtime/virtual-clock.ts'
import { EvacuationWriter, idOf, keyOfId } from './evacuation-writer.ts'

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
  const state = { seen }
  const writer = new EvacuationWriter(buildKube(api, new VirtualClock()), () => state.seen)
  return { writer, sent, state, signal: new AbortController().signal }
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

  test('forgets what it is told to', async () => {
    const { writer, state, signal } = setUp([version('10', 'hello')], version('9'))
    await writer.write(key, say('hello'), signal)
    state.seen = undefined
    writer.forget(key)
    expect(writer.latest(key)).toBeUndefined()
  })
})

test('a key and its text are the same thing', () => {
  expect(keyOfId(idOf(key))).toEqual(key)
})
