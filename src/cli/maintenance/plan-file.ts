import { isCollection, isMap, isSeq, LineCounter, parseDocument, type Document } from 'yaml'
import {
  byDrainOrder,
  drainPlanLengthMax,
  sameDrainPlanEntry,
  withDefaultDrainPlan,
  type DrainPlanEntry,
} from '../../api/maintenance/drain-plan.ts'
import { renderFieldProblem, type FieldProblem } from '../../api/schema/field-problem.ts'
import { validateNodeMaintenance } from '../../api/schema/validate-node-maintenance.ts'
import { CommandError, exitCodes } from '../output/errors.ts'
import { selectByName } from './selector.ts'

// A drain plan in a file: the list itself, or a NodeMaintenance or its spec that has one.

type Path = readonly (string | number)[]

/** What a plan file may be about, by the keys that lead to the list. */
const places: readonly Path[] = [['spec', 'drainPlan'], ['drainPlan']]

const fieldsOf = {
  entry: ['podSelector', 'podPriority', 'podType'],
  podSelector: ['matchLabels', 'matchExpressions'],
  requirement: ['key', 'operator', 'values'],
} as const

export function parsePlanFile(text: string, file: string): DrainPlanEntry[] {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false })
  const at = (offset: number) => {
    const { line, col } = lines.linePos(offset)
    return `${file}:${Math.max(1, line)}:${Math.max(1, col)}`
  }
  const [fault] = document.errors
  if (fault !== undefined) throw badPlan(`${at(fault.pos[0])}: ${fault.message}`)
  const place = isSeq(document.contents) ? [] : places.find((path) => document.hasIn(path))
  if (place === undefined) {
    throw badPlan(
      `${at(offsetOf(document, []))}: neither a list of plan entries nor a NodeMaintenance with spec.drainPlan`,
    )
  }
  const plan: unknown = document.getIn(place) === null ? [] : toPlain(document, place)
  const [problem, ...more] = problemsOf(plan)
  if (problem === undefined) return plan as DrainPlanEntry[]
  const offset = offsetOf(document, [...place, ...problem.path])
  const others = more.length > 0 ? ` (and ${more.length} more)` : ''
  throw badPlan(`${at(offset)}: ${renderFieldProblem(problem)}${others}`)
}

function badPlan(message: string): CommandError {
  return new CommandError(message, {
    advice:
      'Nothing was changed. docs/cli.md has an example of a plan; `kubectl explain nodemaintenance.spec.drainPlan` tells every field.',
    exitCode: exitCodes.usage,
  })
}

function toPlain(document: Document, place: Path): unknown {
  let value: unknown = document.toJS()
  for (const key of place) value = (value as Record<string | number, unknown>)[key]
  return value
}

/** Where the value begins, or what it should be in. */
function offsetOf(document: Document, path: Path): number {
  for (let length = path.length; length > 0; length--) {
    const parent = document.getIn(path.slice(0, length - 1), true)
    const key = path[length - 1]
    if (isMap(parent)) {
      const pair = parent.items.find((item) => String(item.key) === key)
      const found = length === path.length ? (pair?.value ?? pair?.key) : pair?.key
      const range = rangeOf(found)
      if (range !== undefined) return range
    }
    const range = isCollection(parent) && key !== undefined ? rangeOf(parent.get(key, true)) : undefined
    if (range !== undefined) return range
  }
  return rangeOf(document.contents) ?? 0
}

function rangeOf(node: unknown): number | undefined {
  if (typeof node !== 'object' || node === null || !('range' in node)) return undefined
  return (node.range as readonly number[] | null | undefined)?.[0]
}

interface PlanProblem extends FieldProblem {
  /** Within the plan. */
  readonly path: Path
}

function problemsOf(plan: unknown): PlanProblem[] {
  const unknown = Array.isArray(plan) ? plan.flatMap(unknownFields) : []
  if (unknown.length > 0) return unknown
  const maintenance = { metadata: {}, spec: { nodeSelector: selectByName(['any']), stage: 'Drain', drainPlan: plan } }
  const problems = validateNodeMaintenance(maintenance).map((problem) => placed(problem, plan))
  if (problems.length > 0) return problems
  const entries = plan as DrainPlanEntry[]
  const length = withDefaultDrainPlan(entries).length
  if (length <= drainPlanLengthMax) return []
  const allowed = `must be at most ${drainPlanLengthMax} entries with the default ones, and would be ${length}`
  return [{ field: 'drainPlan', value: `${entries.length} entries`, allowed, path: [] }]
}

/** `spec.drainPlan[2].podType` is `[2, 'podType']`. A rule about the whole list is broken at a certain entry. */
function placed(problem: FieldProblem, plan: unknown): PlanProblem {
  const within = problem.field.replace(/^spec\.drainPlan\.?/u, '')
  const path = Array.from(within.matchAll(/\[(\d+)\]|([^.[\]]+)/gu), ([, index, name]) =>
    index === undefined ? (name ?? '') : Number(index),
  )
  const field = problem.field.replace(/^spec\./u, '')
  if (path.length > 0 || !Array.isArray(plan)) return { ...problem, field, path }
  const entries = plan as DrainPlanEntry[]
  const index = entries.findIndex((entry, here) => isMisplaced(entries, entry, here))
  if (index === -1) return { ...problem, field, path }
  return { ...problem, field: `${field}[${index}]`, value: entries[index], path: [index] }
}

/** A podType that is left out is Default. */
function isMisplaced(entries: readonly DrainPlanEntry[], entry: DrainPlanEntry, index: number): boolean {
  const complete = (each: DrainPlanEntry): DrainPlanEntry => ({ ...each, podType: each.podType ?? 'Default' })
  const before = entries.slice(0, index).map(complete)
  const previous = before.at(-1)
  if (previous !== undefined && byDrainOrder(previous, complete(entry)) > 0) return true
  return before.some((each) => sameDrainPlanEntry(each, complete(entry)))
}

/** The API server drops a field that it does not know: a misspelt podType would quietly select other pods. */
function unknownFields(entry: unknown, index: number): PlanProblem[] {
  const selector = memberOf(entry, 'podSelector')
  const requirements = memberOf(selector, 'matchExpressions')
  return [
    ...unknownIn(entry, fieldsOf.entry, [index]),
    ...unknownIn(selector, fieldsOf.podSelector, [index, 'podSelector']),
    ...(Array.isArray(requirements) ? requirements : []).flatMap((requirement, here) =>
      unknownIn(requirement, fieldsOf.requirement, [index, 'podSelector', 'matchExpressions', here]),
    ),
  ]
}

function unknownIn(value: unknown, known: readonly string[], path: Path): PlanProblem[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return []
  return Object.keys(value)
    .filter((name) => !known.includes(name))
    .map((name) => {
      const field = [...path, name].map((key) => (typeof key === 'number' ? `[${key}]` : `.${key}`)).join('')
      const allowed = `there is no such field; there are ${known.join(', ')}`
      return { field: `drainPlan${field}`, value: memberOf(value, name), allowed, path: [...path, name] }
    })
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined
}
