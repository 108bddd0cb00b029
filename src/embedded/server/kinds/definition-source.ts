import type { ColumnDefinition } from '../definition.ts'
import { fieldOf, isObject, type JsonObject } from '../patch/json.ts'
import type { AnyObject } from '../store.ts'

/** A CustomResourceDefinition, read with the defaults of what may be left out. */
export interface DefinitionSource {
  readonly group: string
  readonly scope: string
  readonly names: DefinitionNames
  readonly conversion: string
  readonly versions: readonly VersionSource[]
}

export interface DefinitionNames {
  readonly plural: string
  readonly singular: string
  readonly kind: string
  readonly listKind: string
  readonly shortNames: readonly string[]
  readonly categories: readonly string[]
}

export interface VersionSource {
  readonly name: string
  readonly served: boolean
  readonly storage: boolean
  readonly schema: unknown
  readonly subresources: { readonly status: boolean; readonly scale: ScalePaths | undefined }
  readonly selectableFields: readonly string[]
  readonly columns: readonly ColumnSource[]
}

export interface ScalePaths {
  readonly specReplicasPath: string
  readonly statusReplicasPath: string
  readonly labelSelectorPath: string | undefined
}

export interface ColumnSource extends Omit<ColumnDefinition, 'cell' | 'description' | 'format'> {
  readonly format: string | undefined
  readonly description: string | undefined
  readonly jsonPath: string
}

/** What a kind shows that names no columns. */
const age: ColumnSource = {
  name: 'Age',
  type: 'date',
  format: undefined,
  description: 'Time since the object was created.',
  priority: 0,
  jsonPath: '.metadata.creationTimestamp',
}

const columnTypes: readonly ColumnSource['type'][] = ['string', 'integer', 'number', 'date', 'boolean']

export function readDefinition(definition: AnyObject): DefinitionSource {
  const spec = object(definition, 'spec')
  const names = object(spec, 'names')
  const kind = textOrEmpty(names, 'kind')
  return {
    group: textOrEmpty(spec, 'group'),
    scope: textOrEmpty(spec, 'scope'),
    names: {
      plural: textOrEmpty(names, 'plural'),
      singular: text(names, 'singular') ?? kind.toLowerCase(),
      kind,
      listKind: text(names, 'listKind') ?? `${kind}List`,
      shortNames: texts(names, 'shortNames'),
      categories: texts(names, 'categories'),
    },
    conversion: text(object(spec, 'conversion'), 'strategy') ?? 'None',
    versions: objects(spec, 'versions').map(readVersion),
  }
}

function readVersion(version: JsonObject): VersionSource {
  const subresources = object(version, 'subresources')
  const columns = objects(version, 'additionalPrinterColumns').map(readColumn)
  return {
    name: textOrEmpty(version, 'name'),
    served: version['served'] === true,
    storage: version['storage'] === true,
    schema: fieldOf(object(version, 'schema'), 'openAPIV3Schema'),
    subresources: {
      status: isObject(subresources['status']),
      scale: isObject(subresources['scale']) ? readScale(subresources['scale']) : undefined,
    },
    selectableFields: objects(version, 'selectableFields').map((one) => textOrEmpty(one, 'jsonPath')),
    columns: columns.length === 0 ? [age] : columns,
  }
}

function readScale(scale: JsonObject): ScalePaths {
  return {
    specReplicasPath: textOrEmpty(scale, 'specReplicasPath'),
    statusReplicasPath: textOrEmpty(scale, 'statusReplicasPath'),
    labelSelectorPath: text(scale, 'labelSelectorPath'),
  }
}

function readColumn(column: JsonObject): ColumnSource {
  const type = text(column, 'type')
  const priority = fieldOf(column, 'priority')
  return {
    name: textOrEmpty(column, 'name'),
    type: columnTypes.find((known) => known === type) ?? 'string',
    format: text(column, 'format'),
    description: text(column, 'description'),
    priority: typeof priority === 'number' ? priority : 0,
    jsonPath: textOrEmpty(column, 'jsonPath'),
  }
}

function object(from: Readonly<JsonObject>, name: string): JsonObject {
  const value = fieldOf(from, name)
  return isObject(value) ? value : {}
}

function objects(from: Readonly<JsonObject>, name: string): JsonObject[] {
  const value = fieldOf(from, name)
  return Array.isArray(value) ? value.filter(isObject) : []
}

/** Empty counts as left out, as in Go. */
function text(from: Readonly<JsonObject>, name: string): string | undefined {
  const value = fieldOf(from, name)
  return typeof value === 'string' && value !== '' ? value : undefined
}

function textOrEmpty(from: Readonly<JsonObject>, field: string): string {
  return text(from, field) ?? ''
}

function texts(from: Readonly<JsonObject>, name: string): string[] {
  const value = fieldOf(from, name)
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []
}
