import { resourceId, type ResourceDefinition, type SubresourceDefinition } from '../definition.ts'
import { builtInColumns } from './columns/built-in-columns.ts'
import { plainMergeKeys } from '../patch/merge-keys.ts'

type Optional =
  | 'singular'
  | 'shortNames'
  | 'categories'
  | 'subresources'
  | 'countsGenerations'
  | 'selectableFields'
  | 'mayUpdateUnconditionally'
  | 'columns'
  | 'namespaced'

/** A built-in kind: what is not said is as with most of them. */
export function builtIn(
  definition: Omit<ResourceDefinition, Optional> & Partial<Pick<ResourceDefinition, Optional>>,
): ResourceDefinition {
  return {
    singular: definition.kind.toLowerCase(),
    shortNames: [],
    categories: [],
    namespaced: true,
    subresources: [],
    countsGenerations: false,
    selectableFields: {},
    mayUpdateUnconditionally: true,
    columns: builtInColumns[resourceId(definition)] ?? [],
    mergeKeys: plainMergeKeys,
    ...definition,
  }
}

export function statusOf({
  group,
  version,
  kind,
}: {
  readonly group: string
  readonly version: string
  readonly kind: string
}): SubresourceDefinition {
  return { name: 'status', group, version, kind, verbs: ['get', 'patch', 'update'] }
}

export const scale: SubresourceDefinition = {
  name: 'scale',
  group: 'autoscaling',
  version: 'v1',
  kind: 'Scale',
  verbs: ['get', 'patch', 'update'],
}
