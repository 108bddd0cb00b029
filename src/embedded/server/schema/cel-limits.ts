import { checkFunction } from './cel-authorizer.ts'
import { linearMatches } from './cel-functions.ts'

/** What is known here of a node of the library's syntax tree; it gives no public way to count what a macro visits. */
interface SyntaxNode {
  readonly op: string
  args: unknown
  readonly meta: Readonly<Record<string, unknown>>
  setMeta(key: string, value: unknown): unknown
  evaluate(evaluator: unknown, node: unknown, context: unknown): unknown
}

/**
 * About what the real server's budget for one call allows: it counts steps of any kind up to a million, of which an
 * item of a list takes some four.
 */
const visitsMax = 250_000

/** The real server counts 350,000 steps for a check of rights, so an expression has room for two. */
const visitsPerCheck = 87_500

/** One error for all: a loop that continues after it must not pay for a stack trace each time. */
export const costLimitError = new Error('operation cancelled: actual cost limit exceeded')

/** Counts the items that the macros of an expression visit. */
export class VisitBudget {
  #visits = 0

  reset(): void {
    this.#visits = 0
  }

  /** Once spent it stays spent: the library carries on with an `all` after an error in it, but no loop begins any more. */
  take(count: number): void {
    this.#visits += count
    if (this.#visits > visitsMax) throw costLimitError
  }
}

/** Before the type check: calls of `matches` go to RE2. */
export function renameMatches(root: unknown): void {
  visit(root, (node) => {
    if ((node.op === 'rcall' || node.op === 'call') && Array.isArray(node.args) && node.args[0] === 'matches') {
      node.args[0] = linearMatches
    }
  })
}

/** After the type check: every list that a macro walks along is paid for before its first step, and so is every check. */
export function limitVisits(root: unknown, budget: VisitBudget): void {
  visit(root, (node) => {
    if (node.op === 'rcall' && Array.isArray(node.args) && node.args[0] === checkFunction) chargeCheck(node, budget)
    if (node.op !== 'comprehension') return
    const comprehension = node.args as { iterable: SyntaxNode & { readonly input: string; readonly range: unknown } }
    const { iterable } = comprehension
    comprehension.iterable = {
      ...iterable,
      meta: iterable.meta,
      setMeta: (key, value) => iterable.setMeta(key, value),
      input: iterable.input,
      range: iterable.range,
      evaluate: (evaluator, _node, context) => {
        const items = iterable.evaluate(evaluator, iterable, context)
        budget.take(countOf(items))
        return items
      },
    }
  })
}

function chargeCheck(node: SyntaxNode, budget: VisitBudget): void {
  const evaluate = node.meta['evaluate'] as SyntaxNode['evaluate']
  // The node's own `evaluate` is replaced by this one when it first runs.
  node.setMeta('evaluate', (evaluator: unknown, self: unknown, context: unknown) => {
    budget.take(visitsPerCheck)
    return evaluate(evaluator, self, context)
  })
}

export function identifiersOf(root: unknown): Set<string> {
  const names = new Set<string>()
  visit(root, (node) => {
    if (node.op === 'id' && typeof node.args === 'string') names.add(node.args)
  })
  return names
}

function countOf(items: unknown): number {
  if (Array.isArray(items)) return items.length
  if (items instanceof Map || items instanceof Set) return items.size
  return typeof items === 'object' && items !== null ? Object.keys(items).length : 0
}

/** All nodes, macros expanded. The parser has limited their depth. */
function visit(root: unknown, see: (node: SyntaxNode) => void): void {
  const seen = new Set<unknown>()
  const walk = (value: unknown): void => {
    if (typeof value !== 'object' || value === null || seen.has(value)) return
    seen.add(value)
    if (isNode(value)) {
      walk(value.args)
      walk(value.meta['alternate'])
      walk(value.meta['macro'])
      see(value)
    } else if (Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype) {
      for (const part of Object.values(value)) walk(part)
    }
  }
  walk(root)
}

function isNode(value: object): value is SyntaxNode {
  return 'op' in value && 'args' in value && 'meta' in value
}
