import { compileExpression, type ExpressionInput } from './admission-expression.ts'

export interface MatchCondition {
  readonly name?: string
  readonly expression?: string
}

export type ConditionsOutcome =
  | { readonly kind: 'matches' }
  | { readonly kind: 'exempt' }
  /** Only where failures are not ignored. */
  | { readonly kind: 'error'; readonly message: string }

/** One condition that is false exempts the request, whatever the others do; only then do errors count. */
export function compileConditions(
  conditions: readonly MatchCondition[],
  variables: readonly string[],
  failurePolicy: string | undefined,
): (input: ExpressionInput) => ConditionsOutcome {
  const expressions = conditions.map(({ expression = '' }) => compileExpression(expression, variables))
  return (input) => {
    const errors: string[] = []
    for (const evaluate of expressions) {
      const outcome = evaluate(input)
      if (outcome.kind === 'error') errors.push(outcome.message)
      else if (outcome.value === false) return { kind: 'exempt' }
    }
    if (errors.length === 0) return { kind: 'matches' }
    if (failurePolicy === 'Ignore') return { kind: 'exempt' }
    return { kind: 'error', message: errors.length === 1 ? (errors[0] ?? '') : `[${errors.join(', ')}]` }
  }
}
