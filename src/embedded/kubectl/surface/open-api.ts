import type { ResourceDefinition } from '../../server/definition.ts'
import type { Stored } from '../../server/store.ts'
import { groupsOf, type GroupVersion } from './discovery.ts'

// Schemas in the form of OpenAPI 3: kubectl explains kinds from them, and learns that the server validates fields. That
// built-in kinds do not offer strategic merge patches here is on purpose: kubectl then takes the merge keys of its own
// types, which are the right ones, instead of our thin schemas.

type Schema = Readonly<Record<string, unknown>>

const objectMetaName = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta'
const kubernetesVersion = '1.37'

export function openApiIndex(definitions: readonly ResourceDefinition[], revision: string): object {
  const paths: Record<string, object> = {}
  for (const [group, versions] of groupsOf(definitions)) {
    for (const version of versions.keys()) {
      const path = documentPath({ group, version })
      paths[path] = { serverRelativeURL: `/openapi/v3/${path}?hash=${revision}` }
    }
  }
  return { paths }
}

/** `api/v1`, `apis/apps/v1`. */
export function documentPath({ group, version }: GroupVersion): string {
  return group === '' ? `api/${version}` : `apis/${group}/${version}`
}

/** The document of one version of a group; undefined when there is none. `schemaOf` knows the schemas of CRDs. */
export function openApiDocument(
  definitions: readonly ResourceDefinition[],
  wanted: GroupVersion,
  schemaOf: (definition: ResourceDefinition) => Schema | undefined,
): object | undefined {
  const resources = groupsOf(definitions).get(wanted.group)?.get(wanted.version)
  if (resources === undefined) return undefined
  const paths: Record<string, object> = {}
  const schemas: Record<string, object> = { [objectMetaName]: objectMeta }
  for (const definition of resources) {
    Object.assign(paths, pathsOf(definition))
    schemas[schemaName(definition)] = kindSchema(definition, schemaOf(definition))
  }
  return {
    openapi: '3.0.0',
    info: { title: 'Kubernetes', version: kubernetesVersion },
    paths,
    components: { schemas },
  }
}

/** The schema of a version, out of a CustomResourceDefinition. */
export function schemaOfDefinition(crd: Stored, version: string): Schema | undefined {
  const { versions = [] } = (crd['spec'] ?? {}) as {
    versions?: readonly { name?: string; schema?: { openAPIV3Schema?: Schema } }[]
  }
  return versions.find(({ name }) => name === version)?.schema?.openAPIV3Schema
}

function schemaName({ group, version, kind }: ResourceDefinition): string {
  const prefix = group === '' ? 'core' : group.split('.').toReversed().join('.')
  return `${prefix}.${version}.${kind}`
}

function pathsOf(definition: ResourceDefinition): Record<string, object> {
  const { group, version, kind, plural, namespaced } = definition
  const root = `/${documentPath(definition)}${namespaced ? '/namespaces/{namespace}' : ''}/${plural}`
  const operation = {
    'x-kubernetes-group-version-kind': { group, version, kind },
    responses: { '200': { description: 'OK' } },
  }
  const content = { schema: { $ref: `#/components/schemas/${schemaName(definition)}` } }
  const write = {
    ...operation,
    parameters: ['dryRun', 'fieldManager', 'fieldValidation'].map(queryParameter),
    requestBody: { content: { '*/*': content }, required: true },
  }
  const patch = { ...write, requestBody: { content: { 'application/merge-patch+json': content }, required: true } }
  return {
    [root]: { get: { ...operation, 'x-kubernetes-action': 'list' }, post: write },
    [`${root}/{name}`]: { get: operation, put: write, patch, delete: operation },
  }
}

function queryParameter(name: string): object {
  return { name, in: 'query', schema: { type: 'string', uniqueItems: true } }
}

function kindSchema(definition: ResourceDefinition, schema: Schema | undefined): object {
  const { group, version, kind } = definition
  const known = schema ?? thinSchema(definition)
  return {
    ...known,
    properties: {
      ...(known['properties'] as object | undefined),
      apiVersion: { type: 'string', description: 'Which version of which group the object is written in.' },
      kind: { type: 'string', description: 'What the object is.' },
      metadata: {
        description: "The object's name, labels, annotations and the like.",
        allOf: [{ $ref: `#/components/schemas/${objectMetaName}` }],
        default: {},
      },
    },
    'x-kubernetes-group-version-kind': [{ group, version, kind }],
  }
}

function thinSchema({ kind, subresources }: ResourceDefinition): Schema {
  const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
  const hasStatus = subresources.some(({ name }) => name === 'status')
  return {
    type: 'object',
    description: `${kind}, as Kubernetes has it. This server does not describe the fields of built-in kinds.`,
    properties: { spec: open, ...(hasStatus ? { status: open } : {}) },
    'x-kubernetes-preserve-unknown-fields': true,
  }
}

const text = { type: 'string' }
const texts = { type: 'object', additionalProperties: text }

const objectMeta = {
  type: 'object',
  description: 'What every object carries, whatever its kind.',
  properties: {
    name: text,
    generateName: text,
    namespace: text,
    uid: text,
    resourceVersion: text,
    generation: { type: 'integer', format: 'int64' },
    creationTimestamp: { type: 'string', format: 'date-time' },
    deletionTimestamp: { type: 'string', format: 'date-time' },
    deletionGracePeriodSeconds: { type: 'integer', format: 'int64' },
    labels: texts,
    annotations: texts,
    finalizers: { type: 'array', items: text },
    ownerReferences: { type: 'array', items: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
  },
}
