import type { AccessAttributes } from '../authorization.ts'

/** What a role grants: verbs on resources, or on paths that are no resources. */
export interface Rule {
  readonly verbs: readonly string[]
  readonly apiGroups?: readonly string[]
  readonly resources?: readonly string[]
  readonly resourceNames?: readonly string[]
  readonly nonResourceURLs?: readonly string[]
}

export function allows(rule: Rule, attributes: AccessAttributes): boolean {
  if (!includesOrAll(rule.verbs, attributes.verb)) return false
  if (attributes.path !== undefined) return allowsPath(rule.nonResourceURLs ?? [], attributes.path)
  const { resource, subresource, name } = attributes
  return (
    includesOrAll(rule.apiGroups ?? [], attributes.group) &&
    allowsResource(rule.resources ?? [], resource, subresource) &&
    allowsName(rule.resourceNames ?? [], name)
  )
}

function includesOrAll(list: readonly string[], wanted: string): boolean {
  return list.includes(wanted) || list.includes('*')
}

function allowsResource(resources: readonly string[], resource: string, subresource: string | undefined): boolean {
  if (subresource === undefined) return includesOrAll(resources, resource)
  return includesOrAll(resources, `${resource}/${subresource}`) || resources.includes(`*/${subresource}`)
}

/** No names are all names; a request that names nothing is then not covered by some. */
function allowsName(names: readonly string[], wanted: string | undefined): boolean {
  return names.length === 0 || (wanted !== undefined && names.includes(wanted))
}

function allowsPath(patterns: readonly string[], path: string): boolean {
  return patterns.some((pattern) => (pattern.endsWith('*') ? path.startsWith(pattern.slice(0, -1)) : pattern === path))
}
