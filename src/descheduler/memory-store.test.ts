import { expect, test } from 'vitest'
import { openServedCluster } from '../../test/build/served-cluster.ts'
import { podView } from '../../test/build/descheduler-view.ts'
import { configMaps, namespaces } from '../api/kubernetes/resources.ts'
import { emptyMemory, withDepartures } from './memory.ts'
import { MemoryStore, noMemoryStore } from './memory-store.ts'

const { signal } = new AbortController()
const memory = withDepartures(emptyMemory, [podView({ name: 'a' })], 1_000)
const key = { namespace: 'default', name: 'lifeboat-descheduler' }

test('what one process wrote the next one reads, and nothing is written where nothing changed', async () => {
  await using served = await openServedCluster()
  const store = new MemoryStore(served.admin, 'default')
  expect(await store.read(signal)).toEqual(emptyMemory)
  await store.write(emptyMemory, signal)
  await expect(served.admin.get(configMaps, key)).rejects.toThrow('not found')
  await store.write(memory, signal)
  const { metadata } = await served.admin.get(configMaps, key)
  await store.write(memory, signal)
  expect((await served.admin.get(configMaps, key)).metadata.resourceVersion).toBe(metadata.resourceVersion)
  expect(await new MemoryStore(served.admin, 'default').read(signal)).toEqual(memory)
})

test('what could not be written is written with the next change', async () => {
  await using served = await openServedCluster()
  const store = new MemoryStore(served.admin, 'missing')
  await expect(store.write(memory, signal)).rejects.toThrow('not found')
  expect(await store.read(signal)).toEqual(memory)
  await served.admin.create(namespaces, { metadata: { name: 'missing' } })
  await store.write(memory, signal)
  expect(await new MemoryStore(served.admin, 'missing').read(signal)).toEqual(memory)
})

test('a dry run remembers nothing', async () => {
  await noMemoryStore.write(memory, signal)
  expect(await noMemoryStore.read(signal)).toEqual(emptyMemory)
})
