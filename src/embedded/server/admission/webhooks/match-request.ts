import type { LabelSelector } from '../../../../api/kubernetes/meta.ts'
import { matchesLabelSelector } from '../../../../api/kubernetes/label-selector.ts'
import type { Definitions } from '../../definitions.ts'
import { notFound } from '../../failure.ts'
import type { Store } from '../../store.ts'
import type { AdmissionRequest } from '../admission.ts'
import { factsOf, type RequestFacts } from './request-facts.ts'

export interface Rule {
  readonly operations?: readonly string[]
  readonly apiGroups?: readonly string[]
  readonly apiVersions?: readonly string[]
  /** `pods`, `pods/eviction`, `pods/*`, `*`, `*` with a subresource, or everything. */
  readonly resources?: readonly string[]
  readonly scope?: string
  /** Only policies have names. */
  readonly resourceNames?: readonly string[]
}

export function withScope(rule: Rule): Rule {
  return { scope: '*', ...rule }
}

export interface Selectors {
  readonly namespaceSelector?: LabelSelector
  readonly objectSelector?: LabelSelector
}

export interface MatchParts {
  readonly store: Pick<Store, 'get'>
  readonly definitions: Pick<Definitions, 'all'>
}

/** Whether the selectors let the request through. Throws a 404 if they need its namespace and it is not there. */
export function matchesSelectors(selectors: Selectors, request: AdmissionRequest, { store }: MatchParts): boolean {
  const { objectSelector, namespaceSelector } = selectors
  if (!isEmpty(objectSelector)) {
    const matches = (object: AdmissionRequest['object']) =>
      object !== undefined && matchesLabelSelector(objectSelector, object.metadata.labels)
    if (!matches(request.object) && !matches(request.oldObject)) return false
  }
  if (isEmpty(namespaceSelector)) return true
  const { namespace, resource } = factsOf(request)
  // What is in no namespace is never exempt.
  if (namespace === undefined && resource.resource !== 'namespaces') return true
  const isWrittenNamespace =
    resource.resource === 'namespaces' && request.subresource === undefined && request.object !== undefined
  const found = isWrittenNamespace || namespace === undefined ? request.object : store.get('namespaces', namespace)
  if (found === undefined) throw notFound({ group: '', plural: 'namespaces' }, namespace)
  return matchesLabelSelector(namespaceSelector, found.metadata.labels)
}

function isEmpty(selector: LabelSelector | undefined): selector is undefined {
  if (selector === undefined) return true
  return Object.keys(selector.matchLabels ?? {}).length === 0 && (selector.matchExpressions ?? []).length === 0
}

/**
 * The version in which the first of the rules that match wants to see the object. Undefined: none matches. Where the
 * policy is Equivalent a rule for another version of the same kind matches too.
 */
export function matchedVersion(
  rules: readonly Rule[],
  matchPolicy: string | undefined,
  request: AdmissionRequest,
  parts: MatchParts,
): string | undefined {
  const facts = factsOf(request)
  const { version } = facts.resource
  if (rules.some((rule) => matchesRule(rule, facts, request, version))) return version
  if (matchPolicy === 'Exact') return undefined
  const others = otherVersions(request, parts)
  for (const rule of rules) {
    const other = others.find((candidate) => matchesRule(rule, facts, request, candidate))
    if (other !== undefined) return other
  }
  return undefined
}

function matchesRule(rule: Rule, facts: RequestFacts, { operation }: AdmissionRequest, version: string): boolean {
  return (
    matchesScope(rule.scope, facts) &&
    includes(rule.operations, operation) &&
    includes(rule.apiGroups, facts.resource.group) &&
    includes(rule.apiVersions, version) &&
    (rule.resources ?? []).some((resource) => matchesResource(resource, facts)) &&
    ((rule.resourceNames ?? []).length === 0 || (rule.resourceNames ?? []).some((name) => name === facts.name))
  )
}

function matchesScope(scope: string | undefined, { resource, namespace }: RequestFacts): boolean {
  const isClusterWide = namespace === undefined || (resource.group === '' && resource.resource === 'namespaces')
  if (scope === 'Namespaced') return !isClusterWide
  return scope === 'Cluster' ? isClusterWide : true
}

function includes(list: readonly string[] | undefined, wanted: string): boolean {
  return list?.some((item) => item === '*' || item === wanted) ?? false
}

function matchesResource(text: string, { resource: { resource }, subresource }: RequestFacts): boolean {
  const slash = text.indexOf('/')
  const [main, sub] = slash === -1 ? [text, ''] : [text.slice(0, slash), text.slice(slash + 1)]
  return (main === '*' || main === resource) && (sub === '*' || sub === subresource)
}

/** Only custom resources have more than one version here. */
function otherVersions({ definition }: AdmissionRequest, { definitions }: MatchParts): string[] {
  if (definition.mayUpdateUnconditionally) return []
  return definitions
    .all()
    .filter(({ group, plural }) => group === definition.group && plural === definition.plural)
    .map(({ version }) => version)
    .filter((version) => version !== definition.version)
}
