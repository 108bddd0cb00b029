import type { Authorizer } from '../../authorization.ts'
import { ApiFailure, forbidden } from '../../failure.ts'
import { toCelValue } from '../../schema/cel.ts'
import type { Store, Stored } from '../../store.ts'
import type { AdmissionRequest } from '../admission.ts'
import type { AdmissionPlugin } from '../chain.ts'
import { once, requestInput, type ExpressionInput } from '../webhooks/admission-expression.ts'
import { CompiledObjects } from '../webhooks/compiled-objects.ts'
import { matchedVersion, matchesSelectors } from '../webhooks/match-request.ts'
import { addWarning, factsOf, isExemptFromPolicies } from '../webhooks/request-facts.ts'
import { collectParams, findParamKind, type ParamParts } from './collect-params.ts'
import { compilePolicy, type CompiledPolicy, type Objection } from './compile-policy.ts'
import { bindingResource, policyResource, type BindingSpec, type MatchResources } from './policy.ts'

interface Binding {
  readonly name: string
  readonly spec: BindingSpec
}

interface Denial extends Objection {
  readonly policy: string
  readonly binding: string | undefined
}

export interface PolicyParts extends ParamParts {
  readonly store: Pick<Store, 'get' | 'list' | 'subscribe'>
  readonly authorizer: Authorizer
}

/** Carries out ValidatingAdmissionPolicies. Those without a binding do nothing. */
export function validatingPolicies(parts: PolicyParts) {
  const policies = new CompiledObjects(parts.store, policyResource, compilePolicy)
  const bindings = new CompiledObjects(parts.store, bindingResource, readBinding)
  return {
    validate: (request: AdmissionRequest, warnings: string[]): void => {
      if (bindings.all().length === 0 || isExemptFromPolicies(request)) return
      const denials: Denial[] = []
      for (const policy of policies.all()) {
        const bound = bindings.all().filter(({ spec }) => spec.policyName === policy.name)
        if (bound.length > 0) denials.push(...new Trial(parts, policy, request, warnings).judge(bound))
      }
      const [first] = denials
      if (first !== undefined) throw refusal(request, first)
    },
  } satisfies AdmissionPlugin
}

function readBinding(binding: Stored): Binding {
  return { name: binding.metadata.name ?? '', spec: binding['spec'] ?? {} }
}

/** One policy, one request. */
class Trial {
  readonly #parts: PolicyParts
  readonly #policy: CompiledPolicy
  readonly #request: AdmissionRequest
  readonly #warnings: string[]

  constructor(parts: PolicyParts, policy: CompiledPolicy, request: AdmissionRequest, warnings: string[]) {
    this.#parts = parts
    this.#policy = policy
    this.#request = request
    this.#warnings = warnings
  }

  judge(bindings: readonly Binding[]): Denial[] {
    const { matchConstraints, paramKind } = this.#policy.spec
    const version = this.#versionFor(matchConstraints ?? {})
    if (version === undefined) return []
    const definition = paramKind === undefined ? undefined : findParamKind(paramKind, this.#parts)
    if (paramKind !== undefined && definition === undefined) {
      const { apiVersion = '', kind = '' } = paramKind
      return this.#misconfigured(
        `failed to configure policy: failed to find resource referenced by paramKind: '${apiVersion}, Kind=${kind}'`,
        undefined,
      )
    }
    const input = this.#input(version)
    return bindings.flatMap((binding) => {
      const { matchResources, paramRef } = binding.spec
      if (matchResources !== undefined && this.#versionFor(matchResources) === undefined) return []
      const found = collectParams(definition, paramRef, factsOf(this.#request).namespace, this.#parts)
      if (found.kind === 'misconfigured')
        return this.#misconfigured(`failed to configure binding: ${found.message}`, binding.name)
      return found.params.flatMap((params) =>
        this.#act(binding, { ...input, params: () => toCelValue(params ?? null) }),
      )
    })
  }

  /** The version in which the object is judged. Undefined: this does not concern the request. */
  #versionFor(constraints: MatchResources): string | undefined {
    const { resourceRules = [], excludeResourceRules = [], matchPolicy } = constraints
    const match = (rules: NonNullable<MatchResources['resourceRules']>) =>
      matchedVersion(rules, matchPolicy, this.#request, this.#parts)
    if (match(excludeResourceRules) !== undefined) return undefined
    const version = resourceRules.length === 0 ? this.#request.definition.version : match(resourceRules)
    return version !== undefined && matchesSelectors(constraints, this.#request, this.#parts) ? version : undefined
  }

  #input(version: string): ExpressionInput {
    const { definition } = this.#request
    const { namespace } = factsOf(this.#request)
    const isNamespace = definition.group === '' && definition.plural === 'namespaces'
    return {
      ...requestInput(this.#request, version, this.#parts.authorizer),
      namespaceObject: once(() =>
        toCelValue(isNamespace ? null : (this.#parts.store.get('namespaces', namespace) ?? null)),
      ),
    }
  }

  /** Warns at once; what denies is returned, because only the first denial of all is told. */
  #act(binding: Binding, input: ExpressionInput): Denial[] {
    const { validationActions = [] } = binding.spec
    const policy = this.#policy.name
    const objections = this.#policy.objections(input)
    if (validationActions.includes('Warn')) {
      for (const { message } of objections) {
        addWarning(
          this.#warnings,
          `Validation failed for ValidatingAdmissionPolicy '${policy}' with binding '${binding.name}': ${message}`,
        )
      }
    }
    if (!validationActions.includes('Deny')) return []
    return objections.map(({ message, reason }) => ({ message, reason, policy, binding: binding.name }))
  }

  #misconfigured(message: string, binding: string | undefined): Denial[] {
    if (this.#policy.spec.failurePolicy === 'Ignore') return []
    return [{ policy: this.#policy.name, binding, message, reason: 'Invalid' }]
  }
}

const codes: Readonly<Record<string, number>> = { Forbidden: 403, Unauthorized: 401, RequestEntityTooLarge: 413 }
const invalidCode = 422

/** The real server begins with a "forbidden" and then puts another code on it, but leaves the words. */
function refusal(request: AdmissionRequest, { policy, binding, message, reason }: Denial): ApiFailure {
  const by = binding === undefined ? '' : ` with binding '${binding}'`
  const text = `ValidatingAdmissionPolicy '${policy}'${by} denied request: ${message}`
  const name = request.name ?? request.object?.metadata.name ?? 'Unknown'
  const { message: full, details } = forbidden(request.definition, name, text, [{ message: text }])
  return new ApiFailure(codes[reason] ?? invalidCode, reason, full, details)
}
