import { CelCompileError, compileCel, toCelValue, type CelProgram } from '../../schema/cel.ts'
import type { AdmissionRequest } from '../admission.ts'
import { buildRequest } from './admission-review.ts'

/** Values of the variables of an expression, each made when an expression names it. */
export type ExpressionInput = Readonly<Record<string, () => unknown>>

export type ExpressionOutcome =
  | { readonly kind: 'value'; readonly value: unknown }
  /** As the real server words it, with the expression in it. */
  | { readonly kind: 'error'; readonly message: string; readonly cause: string }

export type AdmissionExpression = (input: ExpressionInput) => ExpressionOutcome

export const requestVariables = ['object', 'oldObject', 'request'] as const

/** An expression that does not compile fails whenever it is evaluated: it may have been stored before anybody checked. */
export function compileExpression(text: string, variables: readonly string[]): AdmissionExpression {
  let program: CelProgram
  try {
    program = compileCel(text, variables)
  } catch (error) {
    if (!(error instanceof CelCompileError)) throw error
    const message = `compilation error: ${error.message}`
    return () => ({ kind: 'error', message, cause: error.message })
  }
  return (input) => {
    const values = variables.map((name) => [name, program.uses(name) ? (input[name]?.() ?? null) : null] as const)
    const outcome = program.evaluate(Object.fromEntries(values))
    if (outcome.kind === 'value') return outcome
    const { message: cause } = outcome
    return { kind: 'error', message: `expression '${text}' resulted in error: ${cause}`, cause }
  }
}

/** What does not compile, in the words of the server; undefined if it does. */
export function compileFault(text: string, variables: readonly string[]): string | undefined {
  try {
    compileCel(text, variables)
    return undefined
  } catch (error) {
    if (error instanceof CelCompileError) return error.message
    throw error
  }
}

/** The request as expressions see it; the objects are not part of `request` but beside it. */
export function requestInput(request: AdmissionRequest, version: string): ExpressionInput {
  return {
    object: once(() => toCelValue(request.object ?? null)),
    oldObject: once(() => toCelValue(request.oldObject ?? null)),
    request: once(() => toCelValue(buildRequest(request, version))),
  }
}

export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
