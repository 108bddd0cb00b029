import { monitorEventLoopDelay } from 'node:perf_hooks'
import { expect, test } from 'vitest'
import { openDoor, openServedEmbedded } from './build/door.ts'

// The input that test/stories/hostile.test.ts sends one by one, all at once: the embedded server stays as it was.

const maps = '/api/v1/namespaces/default/configmaps'
const json = 'application/json'

test('after all of it at once the server answers as before, and holds no more memory', async () => {
  const { ground, kubeconfig } = await openServedEmbedded()
  await using _ground = ground
  const door = openDoor(kubeconfig)
  const delay = monitorEventLoopDelay({ resolution: 10 })
  const memoryBefore = process.memoryUsage().heapUsed
  delay.enable()
  const deep = `{"metadata":{"name":"deep"},"data":${'{"a":'.repeat(200_000)}1${'}'.repeat(200_000)}}`
  const big = JSON.stringify({ metadata: { name: 'big' }, data: { x: 'x'.repeat(3 * 1024 * 1024) } })
  const attacks = Array.from({ length: 60 }, (_, at) =>
    door.send('POST', maps, at % 3 === 0 ? deep : at % 3 === 1 ? big : '{"metadata":', json).then(
      ({ status }) => status,
      () => 0,
    ),
  )
  const statuses = await Promise.all(attacks)
  delay.disable()
  expect(statuses.every((status) => status === 0 || status >= 400)).toBe(true)
  const { status, body } = await door.send('POST', maps, JSON.stringify({ metadata: { name: 'after' } }), json)
  expect({ status, kind: body['kind'] }).toEqual({ status: 201, kind: 'ConfigMap' })
  expect(delay.max / 1e6).toBeLessThan(2_000)
  globalThis.gc?.()
  expect(process.memoryUsage().heapUsed - memoryBefore).toBeLessThan(400 * 1024 * 1024)
  await door.close()
})
