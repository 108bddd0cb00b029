import type { ConfigMap } from '../api/kubernetes/core.ts'
import { configMaps } from '../api/kubernetes/resources.ts'
import type { Kube } from '../kube/client.ts'
import { isKubeError } from '../kube/errors.ts'
import { emptyMemory, parseMemory, renderMemory, sameMemory, type Memory } from './memory.ts'

const name = 'lifeboat-descheduler'
const field = 'memory'

/** Keeps the memory in a ConfigMap. One process writes it at a time: the one that leads. */
export class MemoryStore {
  readonly #kube: Kube
  readonly #namespace: string
  #stored: Memory | undefined

  constructor(kube: Kube, namespace: string) {
    this.#kube = kube
    this.#namespace = namespace
  }

  async read(signal: AbortSignal): Promise<Memory> {
    this.#stored ??= await this.#load(signal)
    return this.#stored
  }

  async write(memory: Memory, signal?: AbortSignal): Promise<void> {
    if (sameMemory(memory, this.#stored ?? emptyMemory)) return
    const key = { namespace: this.#namespace, name }
    const data = { [field]: renderMemory(memory) }
    try {
      await this.#kube.patch(configMaps, key, { type: 'merge', body: { data } }, { signal })
    } catch (error) {
      if (!isKubeError(error, 'notFound')) throw error
      const created: ConfigMap = { metadata: key, data }
      await this.#kube.create(configMaps, created, { signal })
    }
    this.#stored = memory
  }

  /** Another process may have written since. */
  forget(): void {
    this.#stored = undefined
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
export const noMemoryStore: Pick<MemoryStore, 'read' | 'write' | 'forget'> = {
  read: () => Promise.resolve(emptyMemory),
  write: () => Promise.resolve(),
  forget: () => {},
}
