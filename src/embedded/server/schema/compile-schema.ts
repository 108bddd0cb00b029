import type { FieldFault } from '../failure.ts'
import type { JsonObject } from '../patch/json.ts'
import { fillDefaults } from './fill-defaults.ts'
import { duplicateFaults } from './list-types.ts'
import { readSchema, type SchemaNode } from './node.ts'
import { pruneResource } from './prune.ts'
import { compileRules, ruleFaults, type RuleNode } from './rules.ts'
import { nowhere, validateValue } from './validate-value.ts'

/** A structural schema of a kind, ready to be used on its objects. None of its functions changes what it is given. */
export interface CompiledSchema {
  readonly prune: (object: JsonObject) => JsonObject
  readonly fillDefaults: (object: JsonObject) => JsonObject
  /** With an old object it is an update. */
  readonly validate: (object: JsonObject, old?: JsonObject) => FieldFault[]
}

/** What the store holds is never changed in place, and every write of a definition checks its schemas again. */
const compiled = new WeakMap<object, CompiledSchema>()

/** Throws a SchemaError on what this cluster cannot use. */
export function compileSchema(openAPIV3Schema: unknown): CompiledSchema {
  const source = typeof openAPIV3Schema === 'object' ? openAPIV3Schema : null
  const known = source === null ? undefined : compiled.get(source)
  if (known !== undefined) return known
  const node = readSchema(openAPIV3Schema)
  const rules = compileRules(node)
  const schema: CompiledSchema = {
    prune: (object) => pruneResource(object, node),
    fillDefaults: (object) => fillDefaults(object, node) as JsonObject,
    validate: (object, old) => validate(node, rules, { object, old }),
  }
  if (source !== null) compiled.set(source, schema)
  return schema
}

interface Update {
  readonly object: JsonObject
  readonly old: JsonObject | undefined
}

function validate(node: SchemaNode, rules: RuleNode | undefined, { object, old }: Update): FieldFault[] {
  const faults = validateValue(node, { value: object, path: '', old: old === undefined ? undefined : { value: old } })
  const duplicates = duplicateFaults(node, object)
  // An object that had duplicates before may keep them.
  if (duplicates.length > 0 && (old === undefined || duplicateFaults(node, old).length === 0))
    faults.push(...duplicates)
  if (rules === undefined) return faults
  return faults.some(isBlocking) ? [...faults, rulesNotChecked] : [...faults, ...ruleFaults(rules, object, old)]
}

const blockingKinds: ReadonlySet<FieldFault['kind']> = new Set([
  'NotSupported',
  'Required',
  'TooLong',
  'TooMany',
  'TypeInvalid',
])

/** With these a rule could meet a value of another type, or a larger one, than it was written for. */
function isBlocking({ kind }: FieldFault): boolean {
  return blockingKinds.has(kind)
}

const rulesNotChecked: FieldFault = {
  field: nowhere,
  kind: 'Invalid',
  message:
    'Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
}
