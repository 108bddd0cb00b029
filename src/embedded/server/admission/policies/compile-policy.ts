import type { Stored } from '../../store.ts'
import {
  compileExpression,
  once,
  type AdmissionExpression,
  type ExpressionInput,
} from '../webhooks/admission-expression.ts'
import { compileConditions } from '../webhooks/match-conditions.ts'
import { messageVariables, policyVariables, type AnyPolicySpec, type PolicySpec, type Validation } from './policy.ts'

/** Something that the policy has against a request. */
export interface Objection {
  readonly message: string
  readonly reason: string
}

export interface CompiledPolicy {
  readonly name: string
  readonly spec: PolicySpec
  /** Whatever it has against the request; an error in it counts as its failurePolicy says. */
  readonly objections: (input: ExpressionInput) => readonly Objection[]
}

interface CompiledValidation {
  readonly source: Validation
  readonly evaluate: AdmissionExpression
  readonly message: AdmissionExpression | undefined
}

export interface CompiledVariable {
  readonly name: string
  readonly evaluate: AdmissionExpression
}

/** As the real server limits what a messageExpression may say. */
const messageBytesMax = 5 * 1024

export function compilePolicy(policy: Stored): CompiledPolicy {
  const spec = (policy['spec'] ?? {}) as PolicySpec
  const names = policyVariables(spec)
  const conditions = compileConditions(spec.matchConditions ?? [], names, spec.failurePolicy)
  const variables = compileVariables(spec)
  const validations = (spec.validations ?? []).map((source) => ({
    source,
    evaluate: compileExpression(source.expression ?? '', names),
    message:
      (source.messageExpression ?? '') === ''
        ? undefined
        : compileExpression(source.messageExpression ?? '', messageVariables(spec)),
  }))
  const onError = (message: string): Objection[] =>
    spec.failurePolicy === 'Ignore' ? [] : [{ message, reason: 'Invalid' }]
  return {
    name: policy.metadata.name,
    spec,
    objections: (request) => {
      const input = withVariables(request, variables)
      const { authorizer: _, ...unauthorized } = request
      const wording = withVariables(unauthorized, variables)
      const matched = conditions(input)
      if (matched.kind === 'exempt') return []
      if (matched.kind === 'error') return onError(matched.message)
      return validations.flatMap((validation) => objectionsOf(validation, { input, wording }, onError))
    },
  }
}

function objectionsOf(
  { source, evaluate, message }: CompiledValidation,
  { input, wording }: { readonly input: ExpressionInput; readonly wording: ExpressionInput },
  onError: (message: string) => readonly Objection[],
): readonly Objection[] {
  const outcome = evaluate(input)
  if (outcome.kind === 'error') return onError(outcome.message)
  if (outcome.value === true) return []
  return [{ message: wordsOf(source, message, wording), reason: source.reason ?? 'Invalid' }]
}

/** What the messageExpression says, if that is one line of text; else the message, else the expression itself. */
function wordsOf(source: Validation, message: AdmissionExpression | undefined, input: ExpressionInput): string {
  const outcome = message?.(input)
  const text = outcome?.kind === 'value' && typeof outcome.value === 'string' ? outcome.value.trim() : ''
  if (text !== '' && !text.includes('\n') && Buffer.byteLength(text) <= messageBytesMax) return text
  const fixed = (source.message ?? '').trim()
  return fixed === '' ? `failed expression: ${(source.expression ?? '').trim()}` : fixed
}

export function compileVariables(spec: AnyPolicySpec): CompiledVariable[] {
  const names = policyVariables(spec)
  return (spec.variables ?? []).map(({ name, expression = '' }) => ({
    name,
    evaluate: compileExpression(expression, names),
  }))
}

/** Each variable is evaluated when something first names it, and sees those that are declared before it. */
export function withVariables(request: ExpressionInput, variables: readonly CompiledVariable[]): ExpressionInput {
  const declared: Record<string, unknown> = {}
  for (const { name, evaluate } of variables) {
    const before = Object.defineProperties({}, Object.getOwnPropertyDescriptors(declared))
    const get = once(() => valueOf(name, evaluate({ ...request, variables: () => before })))
    Object.defineProperty(declared, name, { enumerable: true, configurable: true, get })
  }
  return { ...request, variables: () => declared }
}

function valueOf(name: string, outcome: ReturnType<AdmissionExpression>): unknown {
  if (outcome.kind === 'value') return outcome.value
  const failing = outcome.message.startsWith('compilation error: ') ? 'compile' : 'evaluate'
  throw new Error(`composited variable "${name}" fails to ${failing}: ${outcome.cause}`)
}
