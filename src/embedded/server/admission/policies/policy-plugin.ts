import { ApiFailure, forbidden } from '../../failure.ts'
import type { AdmissionRequest } from '../admission.ts'
import type { AdmissionPlugin } from '../chain.ts'
import type { ExpressionInput } from '../webhooks/admission-expression.ts'
import { CompiledObjects } from '../webhooks/compiled-objects.ts'
import { addWarning, isExemptFromPolicies } from '../webhooks/request-facts.ts'
import { applicationsOf, readBinding, type Binding, type PolicyParts } from './applications.ts'
import { compilePolicy, type CompiledPolicy, type Objection } from './compile-policy.ts'
import { bindingResource, policyResource } from './policy.ts'

interface Denial extends Objection {
  readonly policy: string
  readonly binding: string | undefined
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
    return applicationsOf(this.#policy.spec, bindings, this.#request, this.#parts).flatMap((application) => {
      if (application.kind === 'applies') return this.#act(application.binding, application.input)
      return this.#misconfigured(application.message, application.binding?.name)
    })
  }

  /** Warns at once; what denies is returned, because only the first denial of all is reported. */
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
