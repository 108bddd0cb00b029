import { ApiFailure, forbidden } from '../../failure.ts'
import { sameJson } from '../../json-value.ts'
import type { AnyObject } from '../../store.ts'
import type { AdmissionRequest } from '../admission.ts'
import { CompiledObjects } from '../webhooks/compiled-objects.ts'
import { isExemptFromPolicies } from '../webhooks/request-facts.ts'
import { applicationsOf, readBinding, type Application, type PolicyParts } from './applications.ts'
import { compileMutations, type CompiledMutations } from './compile-mutations.ts'
import { mutatingBindingResource, mutatingPolicyResource } from './policy.ts'

interface Invocation {
  readonly policy: CompiledMutations
  readonly application: Extract<Application, { kind: 'applies' }>
}

/** Carries out MutatingAdmissionPolicies. Those without a binding do nothing. */
export function mutatingPolicies(parts: PolicyParts) {
  const policies = new CompiledObjects(parts.store, mutatingPolicyResource, compileMutations)
  const bindings = new CompiledObjects(parts.store, mutatingBindingResource, readBinding)
  return {
    /** False: no policy can have anything to do with the request. */
    concerns: (request: AdmissionRequest) =>
      bindings.all().length > 0 && request.object !== undefined && !isExemptFromPolicies(request),
    mutate: (request: AdmissionRequest): AnyObject | undefined => {
      const round = new Round(request)
      for (const policy of policies.all()) {
        const bound = bindings.all().filter(({ spec }) => spec.policyName === policy.name)
        if (bound.length > 0) round.plan(policy, applicationsOf(policy.spec, bound, request, parts))
      }
      return round.run()
    },
  }
}

/** One request on its way through the policies. Which of them concern it is settled before the first changes anything. */
class Round {
  readonly #request: AdmissionRequest
  readonly #invocations: Invocation[] = []
  readonly #errors: string[] = []

  constructor(request: AdmissionRequest) {
    this.#request = request
  }

  plan(policy: CompiledMutations, applications: readonly Application[]): void {
    for (const application of applications) {
      if (application.kind === 'applies') this.#invocations.push({ policy, application })
      else this.#note(policy, application.binding?.name, application.message)
    }
  }

  run(): AnyObject | undefined {
    let { object } = this.#request
    /** Called since the last change, and willing to be called again. */
    let called = new Set<Invocation>()
    const again = new Set<Invocation>()
    for (const invocation of this.#invocations) {
      const changed = this.#invoke(invocation, object)
      if (changed !== object) for (const earlier of called) again.add(earlier)
      if (changed !== object) called = new Set()
      object = changed
      if (invocation.policy.spec.reinvocationPolicy === 'IfNeeded') called.add(invocation)
    }
    for (const invocation of again) object = this.#invoke(invocation, object)
    const [first] = this.#errors
    if (first !== undefined) throw refusal(this.#request, first, this.#errors)
    return object
  }

  #invoke({ policy, application }: Invocation, object: AnyObject | undefined): AnyObject | undefined {
    if (object === undefined) return object
    const { definition, subresource } = this.#request
    const outcome = policy.mutate(object, application.input)
    for (const message of outcome.errors) this.#note(policy, application.binding.name, message)
    if (sameJson(outcome.object, object)) return object
    return subresource === undefined ? (definition.fillDefaults?.(outcome.object) ?? outcome.object) : outcome.object
  }

  #note({ name, spec }: CompiledMutations, binding: string | undefined, message: string): void {
    if (spec.failurePolicy === 'Ignore') return
    const by = binding === undefined ? `policy "${name}"` : `policy '${name}' with binding '${binding}'`
    this.#errors.push(`${by} denied request: ${message}`)
  }
}

/** The real server begins with a "forbidden" and puts other words and another reason on it, but leaves the code. */
function refusal(request: AdmissionRequest, message: string, errors: readonly string[]): ApiFailure {
  const name = request.name ?? request.object?.metadata.name ?? 'Unknown'
  const causes = errors.map((text) => ({ message: text }))
  const { code, details } = forbidden(request.definition, name, message, causes)
  return new ApiFailure(code, 'Invalid', message, details)
}
