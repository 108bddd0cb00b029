/**
 * One rule of a kind, said twice: in CEL for the API server, and as a function for our own validation. Both stand side
 * by side so that they change together, and the table in test/real holds both to the same objects.
 */
export interface Rule<Self> {
  /** CEL over `self`. One that names `oldSelf` speaks about updates only. */
  readonly rule: string
  readonly message: string
  /** CEL for a message that quotes values; the API server falls back to `message` if it fails. */
  readonly messageExpression?: string
  /** The field at fault, from the place of the rule: `.metadata.name`. The place itself if left out. */
  readonly fieldPath?: string
  readonly reason?: 'FieldValueInvalid' | 'FieldValueForbidden' | 'FieldValueRequired' | 'FieldValueDuplicate'
  readonly holds: (self: Self, oldSelf: Self) => boolean
}

/** What a schema carries: Self is known to the rule alone. */
export type AnyRule = Rule<never>

export const rulesKeyword = 'x-kubernetes-validations'

/** Options of a TypeBox schema. */
export function rules<Self>(...list: readonly Rule<Self>[]): { [rulesKeyword]: readonly Rule<Self>[] } {
  return { [rulesKeyword]: list }
}

export function rulesOf(schema: object): readonly AnyRule[] {
  return (schema as { readonly [rulesKeyword]?: readonly AnyRule[] })[rulesKeyword] ?? []
}

export function isTransitionRule(rule: AnyRule): boolean {
  return /\boldSelf\b/.test(rule.rule)
}

/** The same shape for values that we write ourselves: rules cost on every write, at each entry of every list. */
export function withoutRules<Schema extends object>(schema: Schema): Schema {
  const copy = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(copy)
    if (typeof node !== 'object' || node === null) return node
    const properties = Object.entries(Object.getOwnPropertyDescriptors(node)).filter(([key]) => key !== rulesKeyword)
    // TypeBox keeps what it knows about a schema in properties that cannot be enumerated; those have to come along.
    const copied = properties.map(([key, property]) => [key, { ...property, value: copy(property.value) }])
    return Object.defineProperties({}, Object.fromEntries(copied) as PropertyDescriptorMap)
  }
  return copy(schema) as Schema
}
