import type { NamespacedObject } from './meta.ts'

// A namespaced object as text, for queues, maps and logs: `NAMESPACE/NAME`.

export interface NamespacedKey {
  readonly namespace: string
  readonly name: string
}

export function idOf({ namespace, name }: NamespacedKey): string {
  return `${namespace}/${name}`
}

export function keyOfId(id: string): NamespacedKey {
  const separator = id.indexOf('/')
  return { namespace: id.slice(0, separator), name: id.slice(separator + 1) }
}

/** Work on objects of one namespace often waits for the same thing: a slow webhook, a budget. */
export function namespaceOfId(id: string): string {
  return keyOfId(id).namespace
}

export function namespacedKeyOf({ metadata }: NamespacedObject): NamespacedKey {
  return { namespace: metadata.namespace, name: metadata.name }
}

export function idOfObject({ metadata }: NamespacedObject): string {
  return idOf(metadata)
}
