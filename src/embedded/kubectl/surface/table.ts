import type { ColumnDefinition, ResourceDefinition } from '../../server/definition.ts'
import type { Identified } from '../../server/store.ts'
import { partialMetadata } from './partial-metadata.ts'

export interface Table {
  readonly kind: 'Table'
  readonly apiVersion: string
  readonly metadata: object
  readonly columnDefinitions: readonly object[] | null
  readonly rows: readonly object[]
}

export interface TableOptions {
  /** Of meta.k8s.io. */
  readonly version: string
  /** What stands beside the cells: nothing, the metadata, or the whole object. */
  readonly includeObject: 'None' | 'Metadata' | 'Object'
  readonly nowMs: number
}

const nameColumn: ColumnDefinition = {
  name: 'Name',
  type: 'string',
  format: 'name',
  description: 'What the object is called, once in its namespace.',
  priority: 0,
  cell: ({ metadata }) => metadata.name,
}

/** A kind whose columns say where the name goes keeps its order; the others begin with it. */
export function columnsOf({ columns }: ResourceDefinition): readonly ColumnDefinition[] {
  return columns.some(({ format }) => format === 'name') ? columns : [nameColumn, ...columns]
}

export function tableOf(
  definition: ResourceDefinition,
  content: { readonly items: readonly Identified[]; readonly metadata: object },
  options: TableOptions,
): Table {
  const columns = columnsOf(definition)
  return {
    kind: 'Table',
    apiVersion: `meta.k8s.io/${options.version}`,
    metadata: content.metadata,
    columnDefinitions: columns.map(({ name, type, format = '', description, priority }) => ({
      name,
      type,
      format,
      description,
      priority,
    })),
    rows: content.items.map((object) => rowOf(object, columns, options)),
  }
}

function rowOf(
  object: Identified,
  columns: readonly ColumnDefinition[],
  { includeObject, nowMs, version }: TableOptions,
) {
  return {
    cells: columns.map(({ cell }) => cell(object, nowMs)),
    object: includeObject === 'None' ? null : includeObject === 'Object' ? object : partialMetadata(object, version),
  }
}
