import { describe, expect, test } from 'vitest'
import { buildFollowed } from '../../../test/build/followed.ts'
import type { ConfigMap } from '../../api/kubernetes/core.ts'
import { OwnWrites } from './own-writes.ts'

const key = { namespace: 'shop', name: 'settings' }
const version = (resourceVersion: string, uid = 'one'): ConfigMap => ({ metadata: { ...key, uid, resourceVersion } })
const versionOf = (object: { metadata: { resourceVersion?: string } } | undefined) => object?.metadata.resourceVersion

function setUp(seen: ConfigMap | undefined) {
  const state = { seen }
  const followed = buildFollowed<ConfigMap>(() => state.seen)
  const writes = new OwnWrites<ConfigMap>(followed)
  /** What a watch does: the cache first, then those who listen. */
  const show = (next: ConfigMap) => {
    const previous = state.seen
    state.seen = next
    followed.tell(
      previous === undefined ? { kind: 'added', object: next } : { kind: 'updated', object: next, previous },
    )
  }
  const showEnd = (object: ConfigMap) => {
    state.seen = undefined
    followed.tell({ kind: 'deleted', object })
  }
  return { writes, show, showEnd, latest: () => versionOf(writes.get(key)) }
}

describe('what this process wrote', () => {
  test('counts until the watch shows as much', async () => {
    const { writes, show, latest } = setUp(version('9'))
    await writes.keep(key, async () => version('12'))
    expect(latest()).toBe('12')
    show(version('11'))
    expect(latest()).toBe('12')
    show(version('13'))
    expect(latest()).toBe('13')
  })

  test('counts before the watch has shown the object at all', async () => {
    const { writes, latest } = setUp(undefined)
    await writes.keep(key, async () => version('1'))
    expect(latest()).toBe('1')
  })

  test('loses against a newer version that the watch showed first', async () => {
    const { writes, show, latest } = setUp(version('9'))
    await writes.keep(key, async () => {
      show(version('100'))
      return version('10')
    })
    expect(latest()).toBe('100')
  })

  test('is forgotten when the watch shows its end, also before the answer comes', async () => {
    const { writes, showEnd, latest } = setUp(version('9'))
    await writes.keep(key, async () => {
      showEnd(version('11'))
      return version('10')
    })
    expect(latest()).toBeUndefined()
  })

  test('is no more when the server says that it is gone, and the next one of its name is another', async () => {
    const { writes, show, latest } = setUp(version('9'))
    await writes.keep(key, async () => undefined)
    expect(latest()).toBeUndefined()
    show(version('20', 'two'))
    expect(latest()).toBe('20')
  })

  test('a deletion that was seen leaves nothing behind that hides a new one', async () => {
    const { writes, show, showEnd, latest } = setUp(version('9'))
    await writes.keep(key, async () => undefined)
    showEnd(version('10'))
    show(version('20', 'two'))
    expect(latest()).toBe('20')
  })

  test('a write that fails changes nothing', async () => {
    const { writes, latest } = setUp(version('9'))
    await expect(writes.keep(key, () => Promise.reject(new Error('conflict')))).rejects.toThrow('conflict')
    expect(latest()).toBe('9')
  })

  test('an older answer does not take the place of a newer one', async () => {
    const { writes, latest } = setUp(version('9'))
    const late = Promise.withResolvers<ConfigMap>()
    const first = writes.keep(key, () => late.promise)
    await writes.keep(key, async () => version('12'))
    late.resolve(version('11'))
    await first
    expect(latest()).toBe('12')
  })
})
