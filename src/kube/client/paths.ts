import type { KubernetesObject } from '../../api/kubernetes/meta.ts'
import type { Resource } from '../../api/kubernetes/resources.ts'
import { assert } from '../../runtime/assert.ts'

/** Names an object. Namespaced kinds need the namespace, the others must not have one. */
export interface ObjectKey {
  readonly namespace?: string
  readonly name: string
}

/** Where a kind's objects are listed and created; without a namespace: those of all namespaces. */
export function collectionPath(resource: Resource<KubernetesObject>, namespace?: string): string {
  assert(resource.namespaced || namespace === undefined, `${resource.plural} have no namespace`)
  const base = resource.group === '' ? `/api/${resource.version}` : `/apis/${resource.group}/${resource.version}`
  const scope = namespace === undefined ? '' : `/namespaces/${segment(namespace)}`
  return `${base}${scope}/${resource.plural}`
}

export function objectPath(resource: Resource<KubernetesObject>, key: ObjectKey, subresource?: string): string {
  assert(!resource.namespaced || key.namespace !== undefined, `${resource.plural} need a namespace`)
  const path = `${collectionPath(resource, key.namespace)}/${segment(key.name)}`
  return subresource === undefined ? path : `${path}/${subresource}`
}

/** Of the object or the collection at the path; undefined: it has none, or it is of all namespaces. */
export function namespaceOfPath(path: string): string | undefined {
  return /\/namespaces\/([^/]+)\//.exec(path)?.[1]
}

/** An empty or dotted segment would name another object, or a whole collection, than the caller meant. */
function segment(text: string): string {
  assert(text !== '' && text !== '.' && text !== '..', `"${text}" cannot stand in a path`)
  return encodeURIComponent(text)
}

/** Behind a path; nothing where there is none. */
export function queryString(query: Readonly<Record<string, string>> | undefined): string {
  const text = new URLSearchParams(query).toString()
  return text === '' ? '' : `?${text}`
}
