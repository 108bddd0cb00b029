import type { FieldFault } from '../failure.ts'
import { fieldOf, isObject, jsonEqual, type JsonObject } from '../patch/json.ts'
import { compileCel, CelCompileError, type CelProgram } from './cel.ts'
import { celName, typedResource, typedValue } from './cel-values.ts'
import { duplicateValue, forbiddenField, invalidValue, invalidWithoutValue, requiredValue } from './fault.ts'
import { oldItems } from './list-types.ts'
import { SchemaError, type RuleSource, type SchemaNode } from './node.ts'

/** Rules of a place of the schema, and of the places below it that have some. */
export interface RuleNode {
  readonly schema: SchemaNode
  readonly rules: readonly CompiledRule[]
  readonly properties: ReadonlyMap<string, RuleNode>
  readonly additionalProperties: RuleNode | undefined
  readonly items: RuleNode | undefined
}

interface CompiledRule {
  readonly source: RuleSource
  readonly program: CelProgram
  readonly message: CelProgram | undefined
  readonly isTransition: boolean
  /** With its dot or bracket, to be put behind the place of the rule. */
  readonly fieldPath: string
}

/** As the real server cuts it. */
const messageBytesMax = 5 * 1024

/** Undefined where there is no rule at all. Throws a SchemaError on a rule that does not compile. */
export function compileRules(node: SchemaNode, path = ''): RuleNode | undefined {
  const below = (child: SchemaNode | true | undefined, name: string) =>
    child === undefined || child === true ? undefined : compileRules(child, `${path}.${name}`)
  const properties = new Map<string, RuleNode>()
  for (const [name, property] of node.properties) {
    const compiled = celName(name) === undefined ? undefined : below(property, `properties[${name}]`)
    if (compiled !== undefined) properties.set(name, compiled)
  }
  const items = below(node.items, 'items')
  const additionalProperties = below(node.additionalProperties, 'additionalProperties')
  const rules = node.rules.map((rule, index) => compileRule(node, rule, `${path}.x-kubernetes-validations[${index}]`))
  const hasNone = rules.length + properties.size === 0 && items === undefined && additionalProperties === undefined
  return hasNone ? undefined : { schema: node, rules, properties, additionalProperties, items }
}

function compileRule(node: SchemaNode, source: RuleSource, path: string): CompiledRule {
  const compile = (expression: string, name: string): CelProgram => {
    try {
      return source.optionalOldSelf
        ? compileCel(expression, ['self'], ['oldSelf'])
        : compileCel(expression, ['self', 'oldSelf'])
    } catch (error) {
      if (!(error instanceof CelCompileError)) throw error
      throw new SchemaError(`${path}.${name}`, error.message)
    }
  }
  const program = compile(source.rule, 'rule')
  const message = source.messageExpression === '' ? undefined : compile(source.messageExpression, 'messageExpression')
  return { source, program, message, isTransition: program.uses('oldSelf'), fieldPath: fieldPathIn(node, source, path) }
}

/** A path of fields and, of maps, keys: `.metadata.name`, `['app']`. */
function fieldPathIn(node: SchemaNode, { fieldPath }: RuleSource, path: string): string {
  let [place, rest]: [SchemaNode | true | undefined, string] = [node, fieldPath]
  let result = ''
  const refuse = () => new SchemaError(`${path}.fieldPath`, `fieldPath must be a valid path: ${fieldPath}`)
  while (rest !== '') {
    const [all, field, quoted] = /^(?:\.([^.[\]]+)|\['((?:[^'\\]|\\.)*)'\])/.exec(rest) ?? []
    const name = field ?? quoted?.replaceAll(/\\(.)/g, '$1')
    if (all === undefined || name === undefined || place === undefined) throw refuse()
    const isProperty: boolean = place !== true && place.properties.has(name)
    // The metadata has fields that no schema has to name.
    const isMeta: boolean = place === node && name === 'metadata'
    if (place !== true && !isProperty && !isMeta && place.additionalProperties === undefined) throw refuse()
    result += isProperty || isMeta || place === true ? `.${name}` : `[${name}]`
    place = place === true || isMeta ? true : (place.properties.get(name) ?? place.additionalProperties)
    rest = rest.slice(all.length)
  }
  return result
}

/** All rules of an object that do not hold. The object has the right shape: the schema has been checked. */
export function ruleFaults(root: RuleNode, object: JsonObject, old: JsonObject | undefined): FieldFault[] {
  const typed = typedResource(root.schema, object)
  const oldTyped = old === undefined ? undefined : typedResource(root.schema, old, object)
  const faults: FieldFault[] = []
  const place = { value: object, old, typed, oldTyped, path: '', isUnchanged: () => jsonEqual(object, old) }
  try {
    check(root, place, faults)
  } catch (error) {
    // What was found until then is said all the same.
    if (!(error instanceof OverLimit)) throw error
  }
  return faults
}

/** No further rule is run once one has cost too much. */
class OverLimit extends Error {
  override readonly name = 'OverLimit'
}

interface Place {
  readonly value: unknown
  readonly old: unknown
  /** The same two as rules see them. */
  readonly typed: unknown
  readonly oldTyped: unknown
  readonly path: string
  /** Whether the value, or the nearest one above it that can be compared, is what it was before. */
  readonly isUnchanged: () => boolean
}

function check(node: RuleNode, place: Place, faults: FieldFault[]): void {
  if (place.value === null || place.value === undefined) return
  for (const rule of node.rules) checkRule(rule, node, place, faults)
  if (Array.isArray(place.value)) checkItems(node, place.value, { place, faults })
  else if (isObject(place.value)) checkFields(node, place.value, { place, faults })
}

interface Below {
  readonly place: Place
  readonly faults: FieldFault[]
}

function checkFields(node: RuleNode, object: JsonObject, { place, faults }: Below): void {
  if (node.properties.size === 0 && node.additionalProperties === undefined) return
  const old = isObject(place.old) ? place.old : undefined
  const [typed, oldTyped] = [place.typed as JsonObject, (place.oldTyped ?? {}) as JsonObject]
  for (const [name, value] of Object.entries(object)) {
    const property = node.properties.get(name)
    const child = property ?? (node.schema.properties.has(name) ? undefined : node.additionalProperties)
    if (child === undefined) continue
    const key = property === undefined ? name : (celName(name) ?? name)
    const before = old === undefined ? undefined : fieldOf(old, name)
    check(
      child,
      {
        value,
        old: before,
        typed: fieldOf(typed, key),
        oldTyped: fieldOf(oldTyped, key),
        path: property === undefined ? `${place.path}[${name}]` : join(place.path, `.${name}`),
        isUnchanged: before === undefined ? place.isUnchanged : () => jsonEqual(value, before),
      },
      faults,
    )
  }
}

function checkItems(node: RuleNode, list: readonly unknown[], { place, faults }: Below): void {
  const { items } = node
  if (items === undefined) return
  const typed = place.typed as readonly unknown[]
  const before = oldItems(node.schema, place.old)
  for (const [index, value] of list.entries()) {
    const old = before(value)
    check(
      items,
      {
        value,
        old: old?.value,
        typed: typed[index],
        oldTyped: old === undefined ? undefined : typedValue(items.schema, old.value, value),
        path: `${place.path}[${index}]`,
        isUnchanged: old === undefined ? place.isUnchanged : () => jsonEqual(value, old.value),
      },
      faults,
    )
  }
}

function checkRule(rule: CompiledRule, { schema }: RuleNode, place: Place, faults: FieldFault[]): void {
  const { source, program, isTransition } = rule
  const hasOld = place.oldTyped !== undefined && place.oldTyped !== null
  if (isTransition && !hasOld && !source.optionalOldSelf) return
  const values = valuesOf(source, place, hasOld)
  const outcome = program.evaluate(values)
  const [type = ''] = schema.types
  const ruleText = (source.message === '' ? source.rule : source.message).trim()
  if (outcome.kind === 'error') {
    faults.push(invalidValue(at(place.path), type, errorDetail(outcome.message, outcome.isOverLimit, ruleText)))
    if (outcome.isOverLimit) throw new OverLimit()
    return
  }
  if (outcome.value === true || (!isTransition && place.isUnchanged())) return
  const detail = messageOf(rule, values) ?? (source.message === '' ? `failed rule: ${ruleText}` : ruleText)
  faults.push(faultFor(source.reason, at(join(place.path, rule.fieldPath)), { detail, type, value: place.value }))
}

const someOptional = compileCel('optional.of(value)', ['value'])
const noOptional = compileCel('optional.none()', [])

function valuesOf({ optionalOldSelf }: RuleSource, place: Place, hasOld: boolean): Record<string, unknown> {
  if (!optionalOldSelf) return hasOld ? { self: place.typed, oldSelf: place.oldTyped } : { self: place.typed }
  const outcome = hasOld ? someOptional.evaluate({ value: place.oldTyped }) : noOptional.evaluate({})
  return { self: place.typed, oldSelf: outcome.kind === 'value' ? outcome.value : undefined }
}

function errorDetail(message: string, isOverLimit: boolean, ruleText: string): string {
  if (isOverLimit) {
    return `'${message}': no further validation rules will be run due to call cost exceeds limit for rule: ${ruleText}`
  }
  if (message === 'no such overload') {
    return `'${message}': call arguments did not match a supported operator, function or macro signature for rule: ${ruleText}`
  }
  return `${message} evaluating rule: ${ruleText}`
}

function messageOf({ message }: CompiledRule, values: Readonly<Record<string, unknown>>): string | undefined {
  const outcome = message?.evaluate(values)
  if (outcome?.kind !== 'value' || typeof outcome.value !== 'string') return undefined
  const text = outcome.value.trim()
  const isUsable = text !== '' && !text.includes('\n') && Buffer.byteLength(text) <= messageBytesMax
  return isUsable ? text : undefined
}

function faultFor(
  reason: string | undefined,
  field: string,
  { detail, type, value }: { detail: string; type: string; value: unknown },
): FieldFault {
  if (reason === 'FieldValueForbidden') return forbiddenField(field, detail)
  if (reason === 'FieldValueRequired') return requiredValue(field, detail)
  const isLarge = type === 'object' || type === 'array'
  if (reason === 'FieldValueDuplicate') {
    return isLarge ? { field, kind: 'Duplicate', message: 'Duplicate value' } : duplicateValue(field, value)
  }
  return isLarge ? invalidWithoutValue(field, detail) : invalidValue(field, value, detail)
}

function join(path: string, fieldPath: string): string {
  return path === '' ? fieldPath.replace(/^\./, '') : `${path}${fieldPath}`
}

function at(path: string): string {
  return path === '' ? '<nil>' : path
}
