import { ApiFailure } from '../../failure.ts'
import { FailedTest, jsonPatch, RejectedPatch } from '../../patch/json-patch.ts'
import { isObject } from '../../patch/json.ts'
import { patchesAsMaps } from '../../schema/cel-json-patch.ts'
import { fromCelValue, toCelValue } from '../../schema/cel.ts'
import type { AnyObject, Stored } from '../../store.ts'
import {
  compileExpression,
  once,
  type AdmissionExpression,
  type ExpressionInput,
} from '../webhooks/admission-expression.ts'
import { compileConditions } from '../webhooks/match-conditions.ts'
import { compileVariables, withVariables } from './compile-policy.ts'
import { policyVariables, type MutatingPolicySpec, type Mutation } from './policy.ts'

export interface CompiledMutations {
  readonly name: string
  readonly spec: MutatingPolicySpec
  /** What it makes of the object. Of several mutations each sees what the one before made. */
  readonly mutate: (object: AnyObject, input: ExpressionInput) => MutationOutcome
}

export interface MutationOutcome {
  readonly object: AnyObject
  /** What went wrong, one text each; what did not, was done. */
  readonly errors: readonly string[]
}

export function compileMutations(policy: Stored): CompiledMutations {
  const spec = (policy['spec'] ?? {}) as MutatingPolicySpec
  const names = policyVariables(spec)
  const conditions = compileConditions(spec.matchConditions ?? [], names, 'Fail')
  const variables = compileVariables(spec)
  const mutations = (spec.mutations ?? []).map((mutation) => compileMutation(mutation, names))
  return {
    name: policy.metadata.name,
    spec,
    mutate: (original, request) => {
      const inputOn = (object: AnyObject) =>
        withVariables({ ...request, object: once(() => toCelValue(object)) }, variables)
      const matched = conditions(inputOn(original))
      if (matched.kind === 'exempt') return { object: original, errors: [] }
      if (matched.kind === 'error') return { object: original, errors: [matched.message] }
      let object = original
      const errors: string[] = []
      for (const evaluate of mutations) {
        const outcome = evaluate(inputOn(object))
        if (outcome.kind === 'error') errors.push(outcome.message)
        else object = patched(object, fromCelValue(outcome.value), errors)
      }
      return { object, errors }
    },
  }
}

/** Apply configurations are refused when the policy is written, so what is there is a patch. */
function compileMutation({ jsonPatch: patch }: Mutation, names: readonly string[]): AdmissionExpression {
  const { expression = '' } = patch ?? {}
  try {
    return compileExpression(expression, names, patchesAsMaps(expression))
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error)
    return () => ({ kind: 'error', message: `compilation error: ${cause}`, cause })
  }
}

function patched(object: AnyObject, operations: unknown, errors: string[]): AnyObject {
  try {
    const result = jsonPatch(object, operations)
    if (isObject(result) && isObject(result['metadata'])) return result as AnyObject
    errors.push('JSON Patch: the patched object has no metadata')
  } catch (error) {
    if (!(error instanceof ApiFailure)) throw error
    // A patch whose test does not hold is not applied, and that is all.
    if (error instanceof FailedTest) return object
    errors.push(`JSON Patch: ${error instanceof RejectedPatch ? error.why : error.message}`)
  }
  return object
}
