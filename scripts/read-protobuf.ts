/** By full name; each field by its number, with its type as the schema has it. */
export type Messages = Map<string, Map<number, Field>>

export interface Field {
  readonly name: string
  /** `string`, `int32`, …, or the full name of a message; `[]` before it for a list, `{}` for a map by text. */
  readonly type: string
}

/** What only the Go type tells of a field: inline ones have no name in JSON, omitted ones are left out when zero. */
export type Hints = Map<string, Map<number, 'inline' | 'omitted'>>

const message = /^message (\w+) \{([\s\S]*?)^\}/gm
const field = /^\s*(optional|repeated|map<string, ([\w.]+)>)\s+(?:([\w.]+)\s+)?(\w+) = (\d+);/gm

export function readMessages(proto: string): Messages {
  const packageName = /^package ([\w.]+);/m.exec(proto)?.[1] ?? ''
  const messages: Messages = new Map()
  for (const [, name = '', body = ''] of proto.matchAll(message)) {
    const fields = new Map<number, Field>()
    for (const [, label = '', mapped, plain, fieldName = '', number] of body.matchAll(field)) {
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
const tagged = /^\s*\w*\s*(\*?)([\w.[\]*]+)\s+`json:"([^"]*)" protobuf:"\w+,(\d+),/gm

export function readJsonHints(go: string, packageName: string): Hints {
  const hints: Hints = new Map()
  for (const [, name = '', body = ''] of go.matchAll(struct)) {
    const fields = new Map<number, 'inline' | 'omitted'>()
    for (const [, pointer, , json = '', number] of body.matchAll(tagged)) {
      if (json === ',inline') fields.set(Number(number), 'inline')
      else if (pointer === '' && /,omit(empty|zero)/.test(json)) fields.set(Number(number), 'omitted')
    }
    hints.set(`${packageName}.${name}`, fields)
  }
  return hints
}

/** The messages that can be met on the way down from the roots, with short names: `core.v1.Pod`. */
export function reachableFrom(
  roots: readonly string[],
  messages: Messages,
  hints: Hints,
): Record<string, Record<string, string>> {
  const reached = new Set(roots)
  for (const name of reached) {
    for (const { type } of messages.get(name)?.values() ?? []) {
      const inner = type.replace(/^(\[\]|\{\})/, '')
      if (messages.has(inner)) reached.add(inner)
    }
  }
  const entries = [...reached].toSorted().map((name) => {
    const fields = [...(messages.get(name) ?? [])].map(([number, { name: fieldName, type }]) => {
      const hint = hints.get(name)?.get(number)
      const mark = hint === 'inline' ? '^' : hint === 'omitted' ? '?' : ''
      return [String(number), `${mark}${fieldName} ${shortType(type)}`] as const
    })
    return [shortType(name), Object.fromEntries(fields)] as const
  })
  return Object.fromEntries(entries)
}

function shortType(type: string): string {
  return type.replace(/k8s\.io\.(api|apimachinery\.pkg\.apis|apimachinery\.pkg)\./, '')
}
