import type { Method } from '../../kube/client/transport.ts'

/** What a path below /api or /apis speaks of. */
export interface ResourcePath {
  readonly group: string
  readonly version: string
  readonly plural: string
  readonly namespace: string | undefined
  readonly name: string | undefined
  readonly subresource: string | undefined
}

/** Undefined: not a path of a resource, but of discovery, health, or of nothing. */
export function parseResourcePath(path: string): ResourcePath | undefined {
  const [root, ...rest] = path.split('/').filter((segment) => segment !== '')
  const [group, version, ...segments] = root === 'api' ? ['', ...rest] : root === 'apis' ? rest : []
  if (group === undefined || version === undefined || segments.length === 0) return undefined
  const decoded = segments.map(decode)
  if (decoded.some((segment) => segment === undefined)) return undefined
  const [first, namespace, third, ...below] = decoded as string[]
  // `namespaces/NAME`, also with one of its own subresources, is the namespace itself.
  const isNamespaceItself =
    first === 'namespaces' && (third === undefined || third === 'status' || third === 'finalize')
  if (first === 'namespaces' && !isNamespaceItself) {
    const [name, subresource] = below
    return below.length > 2 ? undefined : { group, version, plural: third ?? '', namespace, name, subresource }
  }
  if (first === undefined || below.length > 0) return undefined
  return { group, version, plural: first, namespace: undefined, name: namespace, subresource: third }
}

export type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete' | 'deletecollection'

export const allVerbs: readonly Verb[] = [
  'create',
  'delete',
  'deletecollection',
  'get',
  'list',
  'patch',
  'update',
  'watch',
]

/** As RBAC names it. */
export function verbOf(method: Method, path: ResourcePath, query: Readonly<Record<string, string>>): Verb {
  switch (method) {
    case 'GET':
      if (query['watch'] === 'true' || query['watch'] === '1') return 'watch'
      return path.name === undefined ? 'list' : 'get'
    case 'POST':
      return 'create'
    case 'PUT':
      return 'update'
    case 'PATCH':
      return 'patch'
    case 'DELETE':
      return path.name === undefined ? 'deletecollection' : 'delete'
    default:
      return method satisfies never
  }
}

function decode(segment: string): string | undefined {
  if (!segment.includes('%')) return segment
  try {
    return decodeURIComponent(segment)
  } catch {
    return undefined
  }
}
