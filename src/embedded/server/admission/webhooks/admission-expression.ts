import type { Authorizer } from '../../authorization.ts'
import { CelCompileError, compileCel, toCelValue, type CelProgram } from '../../schema/cel.ts'
import { AuthorizerValue } from '../../schema/cel-authorizer.ts'
import type { AdmissionRequest } from '../admission.ts'
import { buildRequest } from './admission-review.ts'
import { factsOf } from './request-facts.ts'

/** Values of the variables of an expression, each made when an expression names it. */
export type ExpressionInput = Readonly<Record<string, () => unknown>>

export type ExpressionOutcome =
  | { readonly kind: 'value'; readonly value: unknown }
  /** As the real server words it, with the expression in it. */
  | { readonly kind: 'error'; readonly message: string; readonly cause: string }

export type AdmissionExpression = (input: ExpressionInput) => ExpressionOutcome

export const requestVariables = ['object', 'oldObject', 'request', 'authorizer'] as const

/** An expression that does not compile fails whenever it is evaluated: it may have been stored without a check. */
export function compileExpression(
  text: string,
  variables: readonly string[],
  /** What the library can parse, where that is not what was written. */
  parsed: string = text,
): AdmissionExpression {
  let program: CelProgram
  try {
    program = compileCel(parsed, variables)
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

/** What an expression may result in. */
export type ExpressionType = 'bool' | 'string' | 'any'

/** What does not compile, or results in another type, in the words of the server; undefined if nothing is wrong. */
export function compileFault(
  text: string,
  variables: readonly string[],
  wanted: ExpressionType = 'any',
): string | undefined {
  try {
    const { type } = compileCel(text, variables)
    const fits = wanted === 'any' || type === wanted || type.startsWith('dyn')
    return fits ? undefined : `must evaluate to ${wanted} but got ${type}`
  } catch (error) {
    if (error instanceof CelCompileError) return error.message
    throw error
  }
}

/** The request as expressions see it; the objects are not part of `request` but beside it. */
export function requestInput(request: AdmissionRequest, version: string, authorizer: Authorizer): ExpressionInput {
  return {
    object: once(() => toCelValue(request.object ?? null)),
    oldObject: once(() => toCelValue(request.oldObject ?? null)),
    request: once(() => toCelValue(buildRequest(request, version))),
    authorizer: once(() => authorizerOf(request, authorizer)),
  }
}

function authorizerOf(request: AdmissionRequest, authorizer: Authorizer): AuthorizerValue {
  const { resource, subresource, namespace, name } = factsOf(request)
  return new AuthorizerValue(authorizer, request.user, {
    group: resource.group,
    resource: resource.resource,
    subresource,
    namespace,
    name,
  })
}

export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
