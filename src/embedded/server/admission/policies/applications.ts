import type { Authorizer } from '../../authorization.ts'
import { toCelValue } from '../../schema/cel.ts'
import type { Store, Stored } from '../../store.ts'
import type { AdmissionRequest } from '../admission.ts'
import { once, requestInput, type ExpressionInput } from '../webhooks/admission-expression.ts'
import { matchedVersion, matchesSelectors } from '../webhooks/match-request.ts'
import { factsOf } from '../webhooks/request-facts.ts'
import { collectParams, findParamKind, type ParamParts } from './collect-params.ts'
import type { AnyPolicySpec, BindingSpec, MatchResources } from './policy.ts'

export interface PolicyParts extends ParamParts {
  readonly store: Pick<Store, 'get' | 'list' | 'subscribe'>
  readonly authorizer: Authorizer
}

export interface Binding {
  readonly name: string
  readonly spec: BindingSpec
}

/** A policy on a request, by one of its bindings and with one of the parameters of that. */
export type Application =
  | { readonly kind: 'applies'; readonly binding: Binding; readonly input: ExpressionInput }
  | { readonly kind: 'misconfigured'; readonly binding: Binding | undefined; readonly message: string }

export function readBinding(binding: Stored): Binding {
  return { name: binding.metadata.name, spec: binding['spec'] ?? {} }
}

/** How a policy concerns a request: not at all, or once for each of its bindings and their parameters. */
export function applicationsOf(
  { matchConstraints = {}, paramKind }: AnyPolicySpec,
  bindings: readonly Binding[],
  request: AdmissionRequest,
  parts: PolicyParts,
): Application[] {
  const version = versionFor(matchConstraints, request, parts)
  if (version === undefined) return []
  const definition = paramKind === undefined ? undefined : findParamKind(paramKind, parts)
  if (paramKind !== undefined && definition === undefined) {
    const { apiVersion = '', kind = '' } = paramKind
    const message = `failed to configure policy: failed to find resource referenced by paramKind: '${apiVersion}, Kind=${kind}'`
    return [{ kind: 'misconfigured', binding: undefined, message }]
  }
  const input = inputOf(request, version, parts)
  return bindings.flatMap((binding): Application[] => {
    const { matchResources, paramRef } = binding.spec
    if (matchResources !== undefined && versionFor(matchResources, request, parts) === undefined) return []
    const found = collectParams(definition, paramRef, factsOf(request).namespace, parts)
    if (found.kind === 'misconfigured') {
      return [{ kind: 'misconfigured', binding, message: `failed to configure binding: ${found.message}` }]
    }
    return found.params.map((params) => {
      return { kind: 'applies', binding, input: { ...input, params: () => toCelValue(params ?? null) } }
    })
  })
}

/** The version in which the object is judged. Undefined: this does not concern the request. */
function versionFor(constraints: MatchResources, request: AdmissionRequest, parts: PolicyParts): string | undefined {
  const { resourceRules = [], excludeResourceRules = [], matchPolicy } = constraints
  const match = (rules: NonNullable<MatchResources['resourceRules']>) =>
    matchedVersion(rules, matchPolicy, request, parts)
  if (match(excludeResourceRules) !== undefined) return undefined
  const version = resourceRules.length === 0 ? request.definition.version : match(resourceRules)
  return version !== undefined && matchesSelectors(constraints, request, parts) ? version : undefined
}

function inputOf(request: AdmissionRequest, version: string, { store, authorizer }: PolicyParts): ExpressionInput {
  const { definition } = request
  const { namespace } = factsOf(request)
  const isNamespace = definition.group === '' && definition.plural === 'namespaces'
  const found = () => (isNamespace || namespace === undefined ? undefined : store.get('namespaces', namespace))
  return {
    ...requestInput(request, version, authorizer),
    namespaceObject: once(() => toCelValue(found() ?? null)),
  }
}
