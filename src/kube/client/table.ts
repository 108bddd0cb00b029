import type { ListMeta } from '../../api/kubernetes/meta.ts'

/** What the API server shows people of an object, by the names of the columns. */
export type TableRow = Readonly<Record<string, unknown>>

export interface RowsPage {
  readonly rows: readonly TableRow[]
  readonly metadata: ListMeta
}

/** Asks for rows instead of objects. */
export const tableRequest = {
  headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' },
  query: { includeObject: 'None' },
} as const

/** The answer to such a request. */
export interface TablePage {
  readonly columnDefinitions?: readonly { readonly name: string }[] | null
  readonly rows?: readonly { readonly cells: readonly unknown[] }[] | null
  readonly metadata: ListMeta
}

export function rowsOf({ columnDefinitions, rows }: TablePage): TableRow[] {
  const columns = (columnDefinitions ?? []).map(({ name }) => name)
  return (rows ?? []).map(({ cells }) => Object.fromEntries(columns.map((name, at) => [name, cells[at]])))
}
