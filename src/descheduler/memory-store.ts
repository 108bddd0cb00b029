import type { New } from '../api/kubernetes/meta.ts'
import type { ConfigMap } from '../api/kubernetes/core.ts'
import { configMaps } from '../api/kubernetes/resources.ts'
import type { Kube } from '../kube/client/client.ts'
import { isKubeError } from '../kube/client/errors.ts'
import { emptyMemory, parseMemory, renderMemory, sameMemory, type Memory } from './memory.ts'

/** Of the ConfigMap. */
export const memoryName = 'lifeboat-descheduler'
const name = memoryName
const field = 'memory'

/** Keeps the memory in a ConfigMap. One process writes it at a time: the one that leads. */
export class MemoryStore {
  readonly #kube: Kube
  readonly #namespace: string
  /** What is to be remembered. */
  #current: Memory | undefined
  /** What of it is in the cluster. */
  #stored: Memory = emptyMemory

  constructor(kube: Kube, namespace: string) {
    this.#kube = kube
    this.#namespace = namespace
  }

  async read(signal: AbortSignal): Promise<Memory> {
    if (this.#current !== undefined) return this.#current
    this.#stored = await this.#load(signal)
    this.#current = this.#stored
    return this.#stored
  }

  /** What cannot be written now is written with the next change. */
  async write(memory: Memory, signal: AbortSignal): Promise<void> {
    this.#current = memory
    if (sameMemory(memory, this.#stored)) return
    const key = { namespace: this.#namespace, name }
    const data = { [field]: renderMemory(memory) }
    try {
      await this.#kube.patch(configMaps, key, { type: 'merge', body: { data } }, { signal })
    } catch (error) {
      if (!isKubeError(error, 'notFound')) throw error
      const created: New<ConfigMap> = { metadata: key, data }
      await this.#kube.create(configMaps, created, { signal })
    }
    this.#stored = memory
  }

  async #load(signal: AbortSignal): Promise<Memory> {
    try {
      const { data } = await this.#kube.get(configMaps, { namespace: this.#namespace, name }, { signal })
      return parseMemory(data?.[field])
    } catch (error) {
      if (isKubeError(error, 'notFound')) return emptyMemory
      throw error
    }
  }
}

/** Where nothing is written: a dry run. */
export const noMemoryStore: Pick<MemoryStore, 'read' | 'write'> = {
  read: () => Promise.resolve(emptyMemory),
  write: () => Promise.resolve(),
}
