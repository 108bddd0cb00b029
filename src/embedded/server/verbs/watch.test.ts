import { describe, expect, test } from 'vitest'
import { buildServer, said } from '../../../../test/build/embedded-server.ts'
import type { RawWatchEvent } from '../../../kube/client/transport.ts'

const path = '/api/v1/namespaces/shop/configmaps'

async function watched(query: Readonly<Record<string, string>>) {
  const built = buildServer()
  const stop = new AbortController()
  const told: string[] = []
  const events: RawWatchEvent[] = []
  const open = async (more: Readonly<Record<string, string>> = {}) => {
    const answer = await built.transport.watch({
      method: 'GET',
      path,
      query: { watch: 'true', ...query, ...more },
      signal: stop.signal,
    })
    if (answer.kind === 'refused') return answer
    void (async () => {
      for await (const event of answer.events) {
        events.push(event)
        const { metadata, reason } = event.object as { metadata?: { name?: string }; reason?: string }
        told.push(`${event.type} ${metadata?.name ?? reason ?? ''}`.trim())
      }
      told.push('end')
    })().catch(() => {})
    await built.clock.advance(0)
    return answer
  }
  const put = async (name: string, labels: object = {}) => {
    await built.send('POST', path, { metadata: { name, labels } })
    await built.clock.advance(0)
  }
  return { ...built, open, put, told, events, stop }
}

describe('a watch', () => {
  test('from a version tells what came after it, and then what comes', async () => {
    const { open, put, send, store, told, clock } = await watched({})
    await put('before')
    const resourceVersion = String(store.revision)
    await put('after')
    await open({ resourceVersion })
    await send('DELETE', `${path}/before`)
    await clock.advance(0)
    expect(told).toEqual(['ADDED after', 'DELETED before'])
  })

  test('without a version begins with what is there', async () => {
    const { open, put, told } = await watched({})
    await put('before')
    await open()
    expect(told).toEqual(['ADDED before'])
  })

  test('with a selector sees things come into it and leave it', async () => {
    const { open, put, send, told, clock, store } = await watched({ labelSelector: 'app=web' })
    await open({ resourceVersion: String(store.revision) })
    await put('a')
    const label = (value: string | null) =>
      send(
        'PATCH',
        `${path}/a`,
        { metadata: { labels: { app: value } } },
        { contentType: 'application/merge-patch+json' },
      )
    await label('web')
    await label('api')
    await clock.advance(0)
    expect(told).toEqual(['ADDED a', 'DELETED a'])
  })

  test('from a version that is forgotten is told so, and ends', async () => {
    const { open, put, server, told } = await watched({})
    await put('a')
    server.compact()
    await open({ resourceVersion: '1' })
    expect(told).toEqual(['ERROR Expired', 'end'])
  })

  test('ends at its timeout, and has bookmarks until then', async () => {
    const { open, told, clock, store, events } = await watched({ allowWatchBookmarks: 'true', timeoutSeconds: '150' })
    await open({ resourceVersion: String(store.revision) })
    await clock.advance(151_000)
    expect(told).toEqual(['BOOKMARK', 'BOOKMARK', 'end'])
    expect(events[0]?.object).toMatchObject({
      kind: 'ConfigMap',
      metadata: { resourceVersion: String(store.revision) },
    })
    expect(clock.pendingTimers).toBe(0)
  })

  test('that asks for the initial events is told where they end', async () => {
    const { open, put, events } = await watched({
      sendInitialEvents: 'true',
      resourceVersionMatch: 'NotOlderThan',
      allowWatchBookmarks: 'true',
    })
    await put('a')
    await open()
    expect(events.map(({ type }) => type)).toEqual(['ADDED', 'BOOKMARK'])
    expect(events[1]?.object).toMatchObject({ metadata: { annotations: { 'k8s.io/initial-events-end': 'true' } } })
  })

  test.each([
    { resourceVersion: 'x', expected: '500 : resourceVersion: Invalid value' },
    { resourceVersion: '999999', expected: '504 Timeout: Timeout: Too large resource version: 999999' },
  ])('from $resourceVersion is refused', async ({ resourceVersion, expected }) => {
    const { open } = await watched({})
    const answer = await open({ resourceVersion })
    expect(answer.kind === 'refused' ? said(answer) : 'a stream').toContain(expected)
  })

  test('that is left leaves nothing behind', async () => {
    const { open, stop, clock, store } = await watched({ allowWatchBookmarks: 'true' })
    await open({ resourceVersion: String(store.revision) })
    stop.abort(new Error('enough'))
    await clock.advance(0)
    expect(clock.pendingTimers).toBe(0)
  })
})
