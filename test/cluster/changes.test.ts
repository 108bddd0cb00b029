import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { watchChanges } from './changes.ts'

/** Answers as the JSON gateway of etcd does. */
async function playEtcd(status = 200) {
  const watches: ServerResponse[] = []
  const asked: unknown[] = []
  const server = createServer((request, response) => {
    void text(request).then((body) => asked.push(JSON.parse(body)))
    watches.push(response)
    response.statusCode = status
    response.write('{"result":{"header":{"revision":"7"},"created":true}}\n')
    server.emit('watched')
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const write = (...keys: string[]) => {
    const events = keys.map((key) => ({ kv: { key: base64(key), mod_revision: '8', value: base64('{"key":"/"}') } }))
    watches.at(-1)?.write(`${JSON.stringify({ result: { header: { revision: '8' }, events } })}\n`)
  }
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    write,
    /** Its watches end; the next one is opened. */
    restart: async () => {
      const watched = once(server, 'watched')
      for (const watch of watches.splice(0)) watch.destroy()
      await watched
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

const base64 = (key: string) => Buffer.from(key).toString('base64')
/** So long that a test which reaches it has failed. */
const longMs = 50_000
const shortMs = 200
/** Timers round. */
const earlyMs = 10

test.for([
  { key: '/registry/pods/cart-1/web', wakes: true },
  { key: '/registry/evacuation.coordination.k8s.io/evacuations/cart-1/web', wakes: true },
  { key: '/registry/namespaces/cart-1', wakes: true },
  { key: '/registry/minions/cart-1-0', wakes: true },
  { key: '/registry/nodemaintenances/shutdown-cart-1-0', wakes: true },
  { key: '/registry/pods/cart-11/web', wakes: false },
  { key: '/registry/minions/cart-11-0', wakes: false },
  { key: '/registry/leases/lifeboat/lifeboat', wakes: false },
])('a write to $key wakes who follows cart-1: $wakes', async ({ key, wakes }) => {
  await using etcd = await playEtcd()
  await using changes = await watchChanges(etcd.url)
  using follower = changes.follow('cart-1')
  etcd.write('/registry/pods/other/web', key)
  const waitedMs = await follower.next(wakes ? longMs : shortMs)
  expect(waitedMs < (wakes ? longMs : shortMs - earlyMs)).toBe(wakes)
})

test('it asks for everything that Kubernetes writes', async () => {
  await using etcd = await playEtcd()
  await using _changes = await watchChanges(etcd.url)
  await expect
    .poll(() => etcd.asked)
    .toEqual([{ create_request: { key: base64('/registry/'), range_end: base64('/registry0') } }])
})

test('a write before the call counts once', async () => {
  await using etcd = await playEtcd()
  await using changes = await watchChanges(etcd.url)
  using first = changes.follow('cart-1')
  using second = changes.follow('cart-1')
  etcd.write('/registry/pods/cart-1/web')
  await first.next(longMs)
  expect(await second.next(longMs)).toBeLessThan(longMs)
  expect(await first.next(shortMs)).toBeGreaterThanOrEqual(shortMs - earlyMs)
})

test('when etcd was away, writes are heard again', async () => {
  await using etcd = await playEtcd()
  await using changes = await watchChanges(etcd.url)
  using follower = changes.follow('cart-1')
  await etcd.restart()
  const waiting = follower.next(longMs)
  etcd.write('/registry/pods/cart-1/web')
  expect(await waiting).toBeLessThan(longMs)
})

test('an etcd that refuses is an error', async () => {
  await using etcd = await playEtcd(404)
  await expect(watchChanges(etcd.url)).rejects.toThrow('etcd refuses a watch: 404')
})
