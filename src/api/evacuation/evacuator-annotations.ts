import { createHash } from 'node:crypto'
import {
  byPriorityThenClass,
  controllerRole,
  evacuatorLimits,
  evacuatorListRules,
  evacuatorRules,
  rolePattern,
  type Evacuator,
} from './evacuator.ts'
import type { FieldProblem } from '../schema/field-problem.ts'
import { annotations } from '../names.ts'
import { dnsSubdomainPattern } from '../schema/schema.ts'

/** The name of an annotation key or a finalizer has 63 characters, and `priority_` takes nine. */
export const classInAnnotationLengthMax = 63 - 'priority_'.length

/** Stands for a class that is too long for a key. Others may hash differently, so no reader computes a class's key. */
export function hashOfClass(evacuatorClass: string): string {
  return createHash('sha256').update(evacuatorClass).digest('hex').slice(0, 10)
}

/** The annotations that register an evacuator on a pod: one, or two if its class is too long for a key. */
export function renderEvacuatorAnnotations(evacuator: Readonly<Evacuator>): Record<string, string> {
  const { evacuatorClass, priority, role } = evacuator
  const value = role === undefined ? `${priority}` : `${priority}/${role}`
  if (evacuatorClass.length <= classInAnnotationLengthMax) {
    return { [`${annotations.evacuatorPriorityPrefix}${evacuatorClass}`]: value }
  }
  const hash = hashOfClass(evacuatorClass)
  return {
    [`${annotations.evacuatorPriorityPrefix}${hash}`]: value,
    [`${annotations.evacuatorHashPrefix}${hash}`]: evacuatorClass,
  }
}

export type EvacuatorAnnotationProblem = FieldProblem & {
  readonly kind:
    | 'badClass'
    | 'badPriority'
    | 'badRole'
    | 'repeatedClass'
    | 'controllerPriority'
    | 'reservedPriority'
    | 'secondController'
    | 'tooMany'
}

export interface ParsedEvacuatorAnnotations {
  /** In the order in which they act. Whatever the annotations say, an Evacuation may carry this list. */
  readonly evacuators: readonly Evacuator[]
  /** What was left out of that list, and why. */
  readonly problems: readonly EvacuatorAnnotationProblem[]
}

type Annotations = Readonly<Record<string, string>>
type Outcome =
  | { readonly evacuator: Evacuator; readonly key: string; readonly value: string }
  | EvacuatorAnnotationProblem

export function parseEvacuatorAnnotations(podAnnotations: Annotations = {}): ParsedEvacuatorAnnotations {
  const outcomes = Object.keys(podAnnotations)
    .filter((key) => key.startsWith(annotations.evacuatorPriorityPrefix))
    .toSorted()
    .map((key) => parseAnnotation(podAnnotations, key))
  const problems: EvacuatorAnnotationProblem[] = []
  const kept: Evacuator[] = []
  for (const outcome of outcomes) {
    const problem = 'kind' in outcome ? outcome : conflictWith(kept, outcome)
    if (problem !== undefined) problems.push(problem)
    else if ('evacuator' in outcome) kept.push(outcome.evacuator)
  }
  const evacuators = kept.toSorted(byPriorityThenClass)
  return { evacuators: withinSlots(evacuators), problems: [...problems, ...slotProblems(evacuators)] }
}

/** The rules for pods on admission: every problem names the annotation, what it says and what is allowed. */
export function validateEvacuatorAnnotations(podAnnotations: Annotations = {}): readonly EvacuatorAnnotationProblem[] {
  return parseEvacuatorAnnotations(podAnnotations).problems
}

function parseAnnotation(podAnnotations: Annotations, key: string): Outcome {
  const suffix = key.slice(annotations.evacuatorPriorityPrefix.length)
  const hashKey = `${annotations.evacuatorHashPrefix}${suffix}`
  const hashedClass = podAnnotations[hashKey]
  const evacuatorClass = hashedClass ?? suffix
  const value = podAnnotations[key] ?? ''
  if (!new RegExp(dnsSubdomainPattern).test(evacuatorClass) || evacuatorClass.length > 253) {
    const at = hashedClass === undefined ? { key, value } : { key: hashKey, value: hashedClass }
    return problemAt(at, 'badClass', 'the evacuator class must be a DNS subdomain, such as foo.example.com')
  }
  const separator = value.indexOf('/')
  const priorityText = separator === -1 ? value : value.slice(0, separator)
  const role = separator === -1 ? undefined : value.slice(separator + 1)
  const priority = /^(0|[1-9][0-9]{0,5})$/.test(priorityText) ? Number(priorityText) : Number.NaN
  if (!(priority <= evacuatorLimits.priorityMax)) {
    const range = `${evacuatorLimits.priorityMin} to ${evacuatorLimits.priorityMax}`
    return problemAt({ key, value }, 'badPriority', `must be PRIORITY or PRIORITY/ROLE with an integer from ${range}`)
  }
  if (role !== undefined && (!new RegExp(rolePattern).test(role) || role.length > evacuatorLimits.roleLengthMax)) {
    const words = `up to ${evacuatorLimits.roleLengthMax} letters, digits, "-", "_" and "."`
    return problemAt({ key, value }, 'badRole', `must be PRIORITY or PRIORITY/ROLE with a role of ${words}`)
  }
  return { evacuator: { evacuatorClass, priority, ...(role === undefined ? {} : { role }) }, key, value }
}

function conflictWith(
  kept: readonly Evacuator[],
  { evacuator, ...at }: { evacuator: Evacuator; key: string; value: string },
): EvacuatorAnnotationProblem | undefined {
  const { controllerHasItsPriority, priorityIsTheControllers } = evacuatorRules
  if (!controllerHasItsPriority.holds(evacuator)) {
    return problemAt(at, 'controllerPriority', controllerHasItsPriority.message)
  }
  if (!priorityIsTheControllers.holds(evacuator)) {
    return problemAt(at, 'reservedPriority', priorityIsTheControllers.message)
  }
  if (kept.some(({ evacuatorClass }) => evacuatorClass === evacuator.evacuatorClass)) {
    return problemAt(at, 'repeatedClass', `must not register ${evacuator.evacuatorClass} a second time`)
  }
  if (!evacuatorListRules.oneController.holds([...kept, evacuator])) {
    return problemAt(at, 'secondController', evacuatorListRules.oneController.message)
  }
  return undefined
}

/** Those that act first, but always the controller. */
function withinSlots(evacuators: readonly Evacuator[]): readonly Evacuator[] {
  const others = evacuators.filter(({ role }) => role !== controllerRole)
  const kept = new Set(others.slice(0, evacuatorLimits.evacuatorsMax - 1))
  return evacuators.filter((evacuator) => evacuator.role === controllerRole || kept.has(evacuator))
}

function slotProblems(evacuators: readonly Evacuator[]): EvacuatorAnnotationProblem[] {
  const left = withinSlots(evacuators)
  if (left.length === evacuators.length) return []
  const allowed = `at most ${evacuatorLimits.evacuatorsMax} evacuators, one of them with the role ${controllerRole}`
  return [{ kind: 'tooMany', field: 'metadata.annotations', value: evacuators.length, allowed }]
}

function problemAt(
  { key, value }: { key: string; value: string },
  kind: EvacuatorAnnotationProblem['kind'],
  allowed: string,
): EvacuatorAnnotationProblem {
  return { kind, field: `metadata.annotations[${key}]`, value, allowed }
}
