/** By full name; each field by its number, with its type as the schema has it. */
export type Messages = Map<string, Map<number, Field>>

export interface Field {
  readonly name: string
  /** `string`, `int32`, …, or the full name of a message; `[]` before it for a list, `{}` for a map by text. */
  readonly type: string
}

/** What only the Go type tells: the name in JSON, which inline fields have none of, and what is left out when zero. */
export type Hints = Map<string, Map<number, { readonly json: string; readonly isOmitted: boolean }>>

const message = /^message (\w+) \{([\s\S]*?)^\}/gm
const fieldLine = /^\s*(optional|repeated|map<string, ([\w.]+)>)\s+(?:([\w.]+)\s+)?(\w+) = (\d+);/gm

export function readMessages(proto: string): Messages {
  const packageName = /^package ([\w.]+);/m.exec(proto)?.[1] ?? ''
  const messages: Messages = new Map()
  for (const [, name = '', body = ''] of proto.matchAll(message)) {
    const fields = new Map<number, Field>()
    for (const [, label = '', mapped, plain, fieldName = '', number] of body.matchAll(fieldLine)) {
      const type = fullName(mapped ?? plain ?? '', packageName)
      const prefix = label === 'repeated' ? '[]' : mapped === undefined ? '' : '{}'
      fields.set(Number(number), { name: fieldName, type: `${prefix}${type}` })
    }
    messages.set(`${packageName}.${name}`, fields)
  }
  return messages
}

function fullName(type: string, packageName: string): string {
  if (type.startsWith('.')) return type.slice(1)
  return /^[A-Z]/.test(type) ? `${packageName}.${type}` : type
}

const struct = /^type (\w+) struct \{([\s\S]*?)^\}/gm
const tagged = /^\s*\w*\s*(\*?)[\w.[\]*]+\s+`json:"([^"]*)"[^`]*?protobuf:"\w+,(\d+),/gm

export function readJsonHints(go: string, packageName: string): Hints {
  const hints: Hints = new Map()
  for (const [, name = '', body = ''] of go.matchAll(struct)) {
    const fields = new Map<number, { json: string; isOmitted: boolean }>()
    for (const [, pointer, tag = '', number] of body.matchAll(tagged)) {
      const [json = '', ...options] = tag.split(',')
      fields.set(Number(number), { json, isOmitted: pointer === '' && options.some((word) => word.startsWith('omit')) })
    }
    hints.set(`${packageName}.${name}`, fields)
  }
  return hints
}

/**
 * The messages that can be met on the way down from the roots, by short names: `core.v1.Pod`. Each is one text of
 * `number name type` for its fields; `?` marks those that are left out when zero, and inline ones have `^` for a name.
 */
export function reachableFrom(roots: readonly string[], messages: Messages, hints: Hints): Record<string, string> {
  const reached = new Set(roots)
  for (const name of reached) {
    for (const { type } of messages.get(name)?.values() ?? []) {
      const inner = type.replace(/^(\[\]|\{\})/, '')
      if (messages.has(inner)) reached.add(inner)
    }
  }
  const entries = [...reached].toSorted().map((name) => {
    const fields = [...(messages.get(name) ?? [])].map(([number, field]) => {
      const { json = field.name, isOmitted = false } = hints.get(name)?.get(number) ?? {}
      return `${number} ${isOmitted ? '?' : ''}${json === '' ? '^' : json} ${shortType(field.type)}`
    })
    return [shortType(name), fields.join(', ')] as const
  })
  return Object.fromEntries(entries)
}

function shortType(type: string): string {
  return type.replace(/k8s\.io\.(api|apimachinery\.pkg\.apis|apimachinery\.pkg)\./, '')
}
