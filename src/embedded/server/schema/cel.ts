import { Environment } from '@marcbachmann/cel-js'
import { authorizerType, authorizerVariable, registerAuthorizer } from './cel-authorizer.ts'
import { registerKubernetesFunctions } from './cel-functions.ts'
import { costLimitError, identifiersOf, limitVisits, renameMatches, VisitBudget } from './cel-limits.ts'
import { PatternError } from './pattern.ts'

/** An expression that can be evaluated. One at a time: CEL has no way to call itself. */
export interface CelProgram {
  /** What the expression results in, `dyn` where that follows only from the values. */
  readonly type: string
  /** Whether the expression names this variable. */
  readonly uses: (variable: string) => boolean
  /** Values as toCelValue, or the typed form of a schema, makes them. Absent variables are unknown to the expression. */
  readonly evaluate: (values: Readonly<Record<string, unknown>>) => CelOutcome
}

export type CelOutcome =
  | { readonly kind: 'value'; readonly value: unknown }
  /** `no such key: x`, `division by zero`: in the words of the real server. */
  | { readonly kind: 'error'; readonly message: string; readonly isOverLimit: boolean }

export class CelCompileError extends Error {
  override readonly name = 'CelCompileError'
}

const base = new Environment({
  enableOptionalTypes: true,
  homogeneousAggregateLiterals: false,
  limits: { maxAstNodes: 20_000, maxDepth: 200 },
})
registerKubernetesFunctions(base)
registerAuthorizer(base)

/** An environment is costly to make, and there are only as many as there are places with rules. */
const environments = new Map<string, Environment>()

/**
 * By environment and expression. Compiling costs far more than evaluating, and the same definitions and policies are
 * checked, stored and used one after the other, in cluster after cluster.
 */
const programs = new Map<string, CelProgram>()
const programsMax = 1_000

/**
 * Compiles an expression over variables of any type: `self` and `oldSelf` of a schema's rules, `object`, `oldObject`,
 * `request`, `params`, `namespaceObject` and `variables` of admission policies and match conditions. Only `authorizer`
 * has a type. Fields of a value may be getters, which is how `variables` can be lazy. Those of `optional` may have no
 * value. Throws a CelCompileError.
 */
export function compileCel(
  expression: string,
  variables: readonly string[],
  optional: readonly string[] = [],
): CelProgram {
  const environmentKey = `${variables.join(' ')}?${optional.join(' ')}`
  const key = `${environmentKey}:${expression}`
  let program = programs.get(key)
  if (program === undefined) {
    program = compile(expression, environmentOf(environmentKey, variables, optional))
    if (programs.size >= programsMax) programs.clear()
    programs.set(key, program)
  }
  return program
}

function compile(expression: string, environment: Environment): CelProgram {
  const budget = new VisitBudget()
  try {
    const parsed = environment.parse(expression)
    renameMatches(parsed.ast)
    const check = parsed.check()
    if (!check.valid) throw check.error ?? new Error('invalid expression')
    const identifiers = identifiersOf(parsed.ast)
    limitVisits(parsed.ast, budget)
    return {
      type: check.type ?? 'dyn',
      uses: (variable) => identifiers.has(variable),
      evaluate: (values) => {
        budget.reset()
        return evaluate(() => parsed({ ...values }))
      },
    }
  } catch (error) {
    throw new CelCompileError(`compilation failed: ERROR: <input>:1:1: ${summaryOf(error)}`, { cause: error })
  }
}

/** JSON without a schema: whole numbers are ints. */
export function toCelValue(value: unknown): unknown {
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value) : value
  if (Array.isArray(value)) return value.map(toCelValue)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, toCelValue(field)]))
}

/** The way back: what an expression made, as JSON. */
export function fromCelValue(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value)
  if (Array.isArray(value)) return value.map(fromCelValue)
  if (typeof value !== 'object' || value === null) return value
  const entries = value instanceof Map ? value.entries() : Object.entries(value)
  return Object.fromEntries(
    Array.from(entries, ([key, field]: [unknown, unknown]) => [String(key), fromCelValue(field)]),
  )
}

function environmentOf(key: string, variables: readonly string[], optional: readonly string[]): Environment {
  let environment = environments.get(key)
  if (environment === undefined) {
    environment = base.clone()
    for (const variable of variables) {
      environment.registerVariable(variable, variable === authorizerVariable ? authorizerType : 'dyn')
    }
    for (const variable of optional) environment.registerVariable(variable, 'optional<dyn>')
    environments.set(key, environment)
  }
  return environment
}

function evaluate(run: () => unknown): CelOutcome {
  try {
    return { kind: 'value', value: run() }
  } catch (error) {
    return { kind: 'error', message: errorText(error), isOverLimit: isOverLimit(error) }
  }
}

function isOverLimit(error: unknown): boolean {
  return error === costLimitError || (error instanceof Error && error.cause === costLimitError)
}

function errorText(error: unknown): string {
  if (isOverLimit(error)) return costLimitError.message
  const summary = summaryOf(error)
  const code = (error as { code?: unknown }).code
  if (code === 'no_such_key') return `no such key: ${summary.replace(/^No such key: /, '')}`
  if (code === 'index_out_of_bounds') return `index out of bounds: ${/index (-?[0-9]+)/.exec(summary)?.[1] ?? '?'}`
  if (code === 'numeric_overflow') return 'integer overflow'
  if (code === 'modulo_by_zero') return 'modulus by zero'
  if (code === 'no_matching_overload' || code === 'no_such_overload') return 'no such overload'
  return summary
}

/** Without the library's drawing of the place. */
function summaryOf(error: unknown): string {
  if (error instanceof PatternError || !(error instanceof Error)) return String(error)
  const { summary } = error as { summary?: unknown }
  return typeof summary === 'string' ? summary : (error.message.split('\n')[0] ?? '')
}
