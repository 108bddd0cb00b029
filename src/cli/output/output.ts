import { stringify } from 'yaml'
import type { OutputFormat } from '../flags.ts'

/** As `kubectl -o` prints it; without managedFields, as kubectl. */
export function renderAs(format: OutputFormat | undefined, value: unknown): string {
  const shown = withoutManagedFields(value)
  return format === 'json'
    ? JSON.stringify(shown, null, 2)
    : stringify(shown, { aliasDuplicateObjects: false }).trimEnd()
}

/** Several are a List, as kubectl prints them. */
export function renderObjects(format: OutputFormat | undefined, objects: readonly object[], isList: boolean): string {
  const [first] = objects
  if (!isList) return renderAs(format, first)
  return renderAs(format, { apiVersion: 'v1', kind: 'List', items: objects.map(withoutManagedFields) })
}

/** Whether programs read it. */
export function isData(format: OutputFormat | undefined): format is 'json' | 'yaml' {
  return format === 'json' || format === 'yaml'
}

function withoutManagedFields(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('metadata' in value)) return value
  const { managedFields: _, ...metadata } = value.metadata as Record<string, unknown>
  return { ...value, metadata }
}
