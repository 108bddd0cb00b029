import { readAs, type Identified } from '../../store.ts'
import type { LabelSelector } from '../../../../api/kubernetes/meta.ts'
import type { ColumnDefinition } from '../../definition.ts'
import { ageOf } from '../human-duration.ts'

type Cell = ReturnType<ColumnDefinition['cell']>

type WithMetadata = Pick<Identified, 'metadata'>

/** A column shown by default. `Shape` is what the cell reads of the object; what is missing there reads as missing. */
// oxlint-disable-next-line no-unnecessary-type-parameters -- a caller says what it reads, as with a cast, but once
export function column<Shape = WithMetadata>(
  name: string,
  description: string,
  cell: (object: Shape & WithMetadata, nowMs: number) => Cell,
  options: { readonly type?: ColumnDefinition['type']; readonly format?: string; readonly priority?: number } = {},
): ColumnDefinition {
  const { type = 'string', priority = 0, format } = options
  return {
    name,
    type,
    ...(format === undefined ? {} : { format }),
    description,
    priority,
    cell: (object, nowMs) => cell(readAs<Shape & WithMetadata>(object), nowMs),
  }
}

/** A column of `-o wide` alone. */
// oxlint-disable-next-line no-unnecessary-type-parameters -- as above
export function wideColumn<Shape = WithMetadata>(
  name: string,
  description: string,
  cell: (object: Shape & WithMetadata, nowMs: number) => Cell,
): ColumnDefinition {
  return column<Shape>(name, description, cell, { priority: 1 })
}

export const age: ColumnDefinition = column('Age', 'Time since the object was created.', ({ metadata }, nowMs) =>
  ageOf(metadata.creationTimestamp, nowMs),
)

/** Kinds of RBAC show the moment instead of the age. */
export const createdAt: ColumnDefinition = column(
  'Created At',
  'When the object was created.',
  ({ metadata }) => metadata.creationTimestamp ?? null,
  { type: 'date' },
)

/** kubectl's word for nothing. */
export const none = '<none>'

export function orNone(text: string | undefined): string {
  return text === undefined || text === '' ? none : text
}

/** `app=web,tier=front`, by key. */
export function labelsText(labels: Readonly<Record<string, string>> | undefined): string {
  const pairs = Object.entries(labels ?? {}).map(([key, value]) => `${key}=${value}`)
  return orNone(pairs.toSorted().join(','))
}

export function selectorText(selector: LabelSelector | undefined): string {
  const expressions = (selector?.matchExpressions ?? []).map(({ key, operator, values = [] }) => {
    switch (operator) {
      case 'In':
        return `${key} in (${values.join(',')})`
      case 'NotIn':
        return `${key} notin (${values.join(',')})`
      case 'Exists':
        return key
      case 'DoesNotExist':
        return `!${key}`
      default:
        return operator satisfies never
    }
  })
  const labels = Object.entries(selector?.matchLabels ?? {}).map(([key, value]) => `${key}=${value}`)
  return orNone([...labels, ...expressions].toSorted().join(','))
}

/** The first few, and how many more there are. */
export function firstOf(texts: readonly string[], max: number): string {
  if (texts.length === 0) return none
  const shown = texts.slice(0, max).join(',')
  return texts.length > max ? `${shown} + ${texts.length - max} more...` : shown
}
