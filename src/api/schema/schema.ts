import Type from 'typebox'

/** The type that a schema describes. Objects of the API are shared by all that read them, so none may change one. */
export type Described<Schema extends Type.TSchema> = DeepReadonly<Type.Static<Schema>>

type DeepReadonly<T> = T extends readonly (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> }
    : T

// The scalar pieces that our schemas are made of. Each has a bound: the API server prices a CEL rule by the largest
// value that the schema admits, and refuses a CRD whose rules could cost too much.

/**
 * In words, for errors: what a pattern means. The API server never sees it.
 */
export const allowedKeyword = 'allowed'

export const dnsSubdomainPattern = '^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$'

export function dnsSubdomain(description: string) {
  return Type.String({
    description,
    minLength: 1,
    maxLength: 253,
    pattern: dnsSubdomainPattern,
    [allowedKeyword]: 'a DNS subdomain: lower case letters, digits, "-" and ".", such as foo.example.com',
  })
}

export function podUid(description: string) {
  return Type.String({
    description,
    minLength: 36,
    maxLength: 36,
    pattern: '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$',
    [allowedKeyword]: 'a UID, such as f5823a89-e03f-4752-b013-445643b8c7a0',
  })
}

export function labelKey(description: string) {
  return Type.String({
    description,
    minLength: 1,
    maxLength: 317,
    pattern: '^([a-z0-9]([-a-z0-9.]*[a-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$',
    [allowedKeyword]: 'a label key, such as app or example.com/tier',
  })
}

export const labelValuePattern = '^([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?$'

export function labelValue(description: string) {
  return Type.String({
    description,
    maxLength: 63,
    pattern: labelValuePattern,
    [allowedKeyword]: 'a label value: up to 63 letters, digits, "-", "_" and "."',
  })
}

export function oneOf<Values extends string[]>(
  values: readonly [...Values],
  options: { description: string; default?: Values[number] },
): Type.TEnum<Values> {
  return Type.Enum(values, options)
}

export const int32 = { minimum: -(2 ** 31), maximum: 2 ** 31 - 1 } as const

export function integer(options: { description: string; minimum: number; maximum: number; default?: number }) {
  return Type.Integer({ ...options, format: 'int32' })
}

export function count(description: string) {
  return integer({ description, minimum: 0, maximum: int32.maximum, default: 0 })
}

export function timestamp(description: string) {
  return Type.String({ description, format: 'date-time' })
}

export function text(options: { description: string; maxLength: number; default?: string }) {
  return Type.String(options)
}
