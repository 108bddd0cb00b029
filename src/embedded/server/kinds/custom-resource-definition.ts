import type { Condition } from '../../../api/kubernetes/meta.ts'
import type { ResourceDefinition } from '../definition.ts'
import { shownName, type FieldFault } from '../failure.ts'
import { isObject } from '../patch/json.ts'
import { plainMergeKeys } from '../patch/merge-keys.ts'
import { compileSchema } from '../schema/compile-schema.ts'
import { invalidValue, invalidWithoutValue, requiredValue, unsupportedValue } from '../schema/fault.ts'
import { SchemaError } from '../schema/node.ts'
import type { AnyObject } from '../store.ts'
import { readDefinition, type DefinitionSource, type VersionSource } from './definition-source.ts'
import { compileJsonPath } from './json-path.ts'

/** The kind of CustomResourceDefinitions themselves. */
export const customResourceDefinitionResource: ResourceDefinition = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  plural: 'customresourcedefinitions',
  singular: 'customresourcedefinition',
  kind: 'CustomResourceDefinition',
  shortNames: ['crd', 'crds'],
  categories: ['api-extensions'],
  namespaced: false,
  subresources: [
    {
      name: 'status',
      group: 'apiextensions.k8s.io',
      version: 'v1',
      kind: 'CustomResourceDefinition',
      verbs: ['get', 'patch', 'update'],
    },
  ],
  countsGenerations: true,
  mayUpdateUnconditionally: false,
  selectableFields: {},
  columns: [
    {
      name: 'Created At',
      type: 'date',
      description: 'Time since the definition was created.',
      priority: 0,
      cell: ({ metadata }) => metadata.creationTimestamp ?? null,
    },
  ],
  fillDefaults,
  prepareForCreate: withStoredVersion,
  validate: definitionFaults,
  mergeKeys: plainMergeKeys,
}

function fillDefaults(object: AnyObject): AnyObject {
  const { spec } = object
  if (!isObject(spec)) return object
  const { names } = readDefinition(object)
  const filledNames = {
    ...(isObject(spec['names']) ? spec['names'] : {}),
    singular: names.singular,
    listKind: names.listKind,
  }
  return { ...object, spec: { ...spec, names: filledNames, conversion: spec['conversion'] ?? { strategy: 'None' } } }
}

function withStoredVersion(object: AnyObject): AnyObject {
  const storage = readDefinition(object).versions.find((version) => version.storage)
  return { ...object, status: { storedVersions: storage === undefined ? [] : [storage.name] } }
}

/**
 * A definition whose kinds are served: names accepted, established. The real server takes a moment for this; here
 * the control loop for definitions writes it at once.
 */
export function withEstablishedStatus(definition: AnyObject, now: string): AnyObject {
  const { names, versions } = readDefinition(definition)
  const before = isObject(definition['status']) ? definition['status'] : {}
  const { plural, singular, kind, listKind, shortNames, categories } = names
  const acceptedNames = {
    plural,
    singular,
    ...(shortNames.length === 0 ? {} : { shortNames }),
    kind,
    listKind,
    ...(categories.length === 0 ? {} : { categories }),
  }
  const stored = versions.filter(({ storage }) => storage).map(({ name }) => name)
  const old = Array.isArray(before['storedVersions']) ? (before['storedVersions'] as string[]) : []
  const conditions = establishedConditions.map((condition) => withTransition(condition, before['conditions'], now))
  const status = { conditions, acceptedNames, storedVersions: [...new Set([...old, ...stored])] }
  return { ...definition, status }
}

const establishedConditions: readonly Omit<Condition, 'lastTransitionTime'>[] = [
  { type: 'NamesAccepted', status: 'True', reason: 'NoConflicts', message: 'no conflicts found' },
  {
    type: 'Established',
    status: 'True',
    reason: 'InitialNamesAccepted',
    message: 'the initial names have been accepted',
  },
]

function withTransition(condition: Omit<Condition, 'lastTransitionTime'>, before: unknown, now: string): Condition {
  const known = (Array.isArray(before) ? (before as Condition[]) : []).find(({ type }) => type === condition.type)
  const isSame = known?.status === condition.status
  return { ...condition, lastTransitionTime: isSame ? known.lastTransitionTime : now }
}

const approvalAnnotation = 'api-approved.kubernetes.io'

/** What would keep the kind from being served, or from being served as its author thinks. */
function definitionFaults(object: AnyObject, old: AnyObject | undefined): FieldFault[] {
  const source = readDefinition(object)
  return [
    ...nameFaults(object, source),
    ...specFaults(source),
    ...source.versions.flatMap((version, index) => versionFaults(version, `spec.versions[${index}]`)),
    ...(old === undefined ? [] : immutableFaults(source, readDefinition(old))),
    ...approvalFaults(object, old, source.group),
  ]
}

function nameFaults({ metadata }: AnyObject, { names, group }: DefinitionSource): FieldFault[] {
  if (metadata.name === `${names.plural}.${group}`) return []
  return [invalidValue('metadata.name', shownName(metadata.name), 'must be spec.names.plural+"."+spec.group')]
}

function specFaults({ group, scope, names, versions, conversion }: DefinitionSource): FieldFault[] {
  const faults: FieldFault[] = []
  if (group === '') faults.push(requiredValue('spec.group'))
  else if (!group.includes('.'))
    faults.push(invalidValue('spec.group', group, 'should be a domain with at least one dot'))
  if (scope === '') faults.push(requiredValue('spec.scope'))
  else if (scope !== 'Cluster' && scope !== 'Namespaced') {
    faults.push(unsupportedValue('spec.scope', scope, ['Cluster', 'Namespaced']))
  }
  if (names.plural === '') faults.push(requiredValue('spec.names.plural'))
  if (names.kind === '') faults.push(requiredValue('spec.names.kind'))
  if (versions.filter(({ storage }) => storage).length !== 1) {
    faults.push(invalidWithoutValue('spec.versions', 'must have exactly one version marked as storage version'))
  }
  if (new Set(versions.map(({ name }) => name)).size !== versions.length) {
    faults.push(invalidWithoutValue('spec.versions', 'must contain unique version names'))
  }
  if (conversion !== 'None') {
    const detail = 'the embedded cluster converts with None only'
    faults.push(invalidValue('spec.conversion.strategy', conversion, detail))
  }
  return faults
}

const versionName = /^[a-z]([-a-z0-9]*[a-z0-9])?$/

function versionFaults(version: VersionSource, path: string): FieldFault[] {
  const faults: FieldFault[] = []
  if (!versionName.test(version.name)) {
    const detail =
      "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')"
    faults.push(invalidValue(`${path}.name`, version.name, detail))
  }
  faults.push(...schemaFaults(version, `${path}.schema.openAPIV3Schema`))
  for (const [index, { jsonPath }] of version.columns.entries()) {
    if (compileJsonPath(jsonPath) === undefined) {
      const detail = 'the embedded cluster knows fields, indexes and filters by equality only'
      faults.push(invalidValue(`${path}.additionalPrinterColumns[${index}].jsonPath`, jsonPath, detail))
    }
  }
  return faults
}

function schemaFaults({ schema }: VersionSource, path: string): FieldFault[] {
  if (schema === undefined) return [requiredValue(path, 'schemas are required')]
  if (!isObject(schema) || schema['type'] !== 'object') {
    const type = isObject(schema) ? schema['type'] : undefined
    if (type === undefined) return [requiredValue(`${path}.type`, 'must not be empty at the root')]
    return [invalidValue(`${path}.type`, type, 'must be object at the root')]
  }
  try {
    compileSchema(schema)
    return []
  } catch (error) {
    if (!(error instanceof SchemaError)) throw error
    return [invalidWithoutValue(`${path}${error.path}`, error.message)]
  }
}

function immutableFaults(source: DefinitionSource, old: DefinitionSource): FieldFault[] {
  const fixed: [string, string, string][] = [
    ['spec.group', source.group, old.group],
    ['spec.scope', source.scope, old.scope],
    ['spec.names.plural', source.names.plural, old.names.plural],
    ['spec.names.kind', source.names.kind, old.names.kind],
  ]
  return fixed.flatMap(([field, now, before]) =>
    now === before ? [] : [invalidValue(field, now, 'field is immutable')],
  )
}

/** Groups of the community must say that they were approved, or that they were not. */
function approvalFaults(object: AnyObject, old: AnyObject | undefined, group: string): FieldFault[] {
  if (!/(^|\.)(k8s\.io|kubernetes\.io)$/.test(group)) return []
  const approval = object.metadata.annotations?.[approvalAnnotation] ?? ''
  if (old !== undefined && (old.metadata.annotations?.[approvalAnnotation] ?? '') === approval) return []
  const field = `metadata.annotations[${approvalAnnotation}]`
  const need = `protected groups must have approval annotation "${approvalAnnotation}"`
  const reference = 'see https://github.com/kubernetes/enhancements/pull/1111'
  if (approval === '') return [requiredValue(field, `${need}, ${reference}`)]
  if (approval.startsWith('unapproved') || URL.canParse(approval)) return []
  const detail = `${need} with either a URL or a reason starting with "unapproved", ${reference}`
  return [invalidValue(field, approval, detail)]
}
