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
  if (read === undefined) throw badRequest(`field label not supported: ${field}`)
  return (object) => (read(object) === wanted) === (sign !== '!=')
}

function readerOf(field: string, definition: ResourceDefinition): ((object: Stored) => string) | undefined {
  if (field === 'metadata.name') return ({ metadata }) => metadata.name ?? ''
  if (field === 'metadata.namespace' && definition.namespaced) return ({ metadata }) => metadata.namespace ?? ''
  return definition.selectableFields[field]
}
