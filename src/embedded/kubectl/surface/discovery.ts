import { allVerbs } from '../../server/parse-path.ts'
import type { ResourceDefinition, SubresourceDefinition } from '../../server/definition.ts'

// Which kinds there are, in the older form: a list of groups, and for each version a list of resources.

export interface GroupVersion {
  readonly group: string
  readonly version: string
}

/** `v1`, `apps/v1`. */
export function apiVersionOf({ group, version }: GroupVersion): string {
  return group === '' ? version : `${group}/${version}`
}

/** The groups with their kinds, each by name, and the newest version of a group first. */
export function groupsOf(definitions: readonly ResourceDefinition[]): Map<string, Map<string, ResourceDefinition[]>> {
  const sorted = definitions.toSorted(
    (one, other) =>
      compare(one.group, other.group) || compare(other.version, one.version) || compare(one.plural, other.plural),
  )
  const groups = new Map<string, Map<string, ResourceDefinition[]>>()
  for (const definition of sorted) {
    const versions = groups.get(definition.group) ?? new Map<string, ResourceDefinition[]>()
    groups.set(definition.group, versions)
    versions.set(definition.version, [...(versions.get(definition.version) ?? []), definition])
  }
  return groups
}

export function coreVersions(): object {
  return {
    kind: 'APIVersions',
    versions: ['v1'],
    serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: '' }],
  }
}

export function groupList(definitions: readonly ResourceDefinition[]): object {
  const groups = [...groupsOf(definitions)].filter(([group]) => group !== '')
  return {
    kind: 'APIGroupList',
    apiVersion: 'v1',
    groups: groups.map(([group, versions]) => describeGroup(group, [...versions.keys()])),
  }
}

/** Undefined: there is no such group. */
export function groupDocument(definitions: readonly ResourceDefinition[], group: string): object | undefined {
  const versions = groupsOf(definitions).get(group)
  if (versions === undefined || group === '') return undefined
  return { kind: 'APIGroup', apiVersion: 'v1', ...describeGroup(group, [...versions.keys()]) }
}

/** Undefined: there is no such version of a group. */
export function resourceList(
  definitions: readonly ResourceDefinition[],
  { group, version }: GroupVersion,
): object | undefined {
  const resources = groupsOf(definitions).get(group)?.get(version)
  if (resources === undefined) return undefined
  return {
    kind: 'APIResourceList',
    apiVersion: 'v1',
    groupVersion: apiVersionOf({ group, version }),
    resources: resources.flatMap(describeWithSubresources),
  }
}

function describeGroup(name: string, versions: readonly string[]): object {
  const described = versions.map((version) => ({ groupVersion: `${name}/${version}`, version }))
  return { name, versions: described, preferredVersion: described[0] }
}

function describeWithSubresources(definition: ResourceDefinition): object[] {
  const subresources = definition.subresources.map((subresource) => describeSubresource(definition, subresource))
  return [describeResource(definition), ...subresources]
}

function describeResource({ plural, singular, namespaced, kind, verbs, shortNames, categories }: ResourceDefinition) {
  return {
    name: plural,
    singularName: singular,
    namespaced,
    kind,
    verbs: verbs ?? allVerbs,
    ...(shortNames.length === 0 ? {} : { shortNames }),
    ...(categories.length === 0 ? {} : { categories }),
  }
}

function describeSubresource(parent: ResourceDefinition, { name, group, version, kind, verbs }: SubresourceDefinition) {
  const isForeign = group !== parent.group || version !== parent.version
  return {
    name: `${parent.plural}/${name}`,
    singularName: '',
    namespaced: parent.namespaced,
    ...(isForeign ? { group, version } : {}),
    kind,
    verbs,
  }
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0
}
