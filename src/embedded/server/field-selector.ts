import type { ResourceDefinition } from './definition.ts'
import { badRequest } from './failure.ts'
import type { Stored } from './store.ts'

export type FieldMatcher = (object: Stored) => boolean

const term = /^([^=!]+)(==|=|!=)(.*)$/

/** A selector of a query: `spec.nodeName=one,status.phase!=Failed`. Fields that the kind does not offer are refused. */
export function parseFieldSelector(text: string, definition: ResourceDefinition): FieldMatcher {
  const matchers = text
    .split(',')
    .filter((part) => part !== '')
    .map((part) => parseTerm(part, definition))
  return (object) => matchers.every((matches) => matches(object))
}

function parseTerm(text: string, definition: ResourceDefinition): FieldMatcher {
  const [, field, sign, wanted] = term.exec(text) ?? []
  if (field === undefined) throw badRequest(`invalid selector: '${text}'; can't understand '${text}'`)
  const read = readerOf(field, definition)
  if (read === undefined) throw badRequest(unknownField(field, definition))
  return (object) => (read(object) === wanted) === (sign !== '!=')
}

/** Kinds with fields of their own say less than those without. */
function unknownField(field: string, { selectableFields }: ResourceDefinition): string {
  if (Object.keys(selectableFields).length > 0) return `field label not supported: ${field}`
  return `"${field}" is not a known field selector: only "metadata.name", "metadata.namespace"`
}

function readerOf(field: string, definition: ResourceDefinition): ((object: Stored) => string | undefined) | undefined {
  if (field === 'metadata.name') return ({ metadata }) => metadata.name
  if (field === 'metadata.namespace' && definition.namespaced) return ({ metadata }) => metadata.namespace
  return definition.selectableFields[field]
}
