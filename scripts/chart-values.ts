import { isMap, isScalar, parseDocument, type Node, type Pair } from 'yaml'

/** One value of the chart, as its file documents it. */
export interface ChartValue {
  /** `image.tag`. */
  readonly path: string
  /** As it is written: `''`, `[]`, `2`. */
  readonly default: string
  readonly description: string
}

/**
 * Every value that has a comment. A map whose parts have comments of their own is described by those, unless it has
 * none, as `resources`: then it is one value.
 */
export function chartValues(text: string): ChartValue[] {
  const document = parseDocument(text, { keepSourceTokens: true })
  if (!isMap(document.contents)) throw new Error('the values of a chart are a map')
  return document.contents.items.flatMap((pair) => valuesIn(pair as Pair<Node, Node>, '', text))
}

function valuesIn(
  { key, value }: Pair<Node, Node | null>,
  within: string,
  text: string,
  comment = commentOf(key),
): ChartValue[] {
  const name = isScalar(key) ? String(key.value) : ''
  const path = within === '' ? name : `${within}.${name}`
  const parts = isMap(value) ? (value.items as Pair<Node, Node>[]) : []
  // The comment before the first part of a map is that of the map.
  const commentAt = (at: number) => commentOf(at === 0 ? value : parts[at]?.key)
  if (parts.some((_, at) => commentAt(at) !== '')) {
    return parts.flatMap((part, at) => valuesIn(part, path, text, commentAt(at)))
  }
  return [{ path, default: sourceOf(value, text), description: comment }]
}

function commentOf(node: Node | null | undefined): string {
  return (
    (node?.commentBefore ?? '')
      .split(/\n\s*\n/)
      .at(-1)
      ?.split('\n')
      .map((line) => line.trim())
      .join(' ') ?? ''
  )
}

/** More does not fit into a cell of a table. */
const defaultLengthMax = 100

/** Maps and lists over several lines are said in one, or left to the file. */
function sourceOf(value: Node | null, text: string): string {
  if (value === null) return ''
  if (isMap(value) && value.flow !== true) {
    const whole = JSON.stringify(value.toJSON())
    return whole.length > defaultLengthMax ? '{…}' : whole
  }
  const [from = 0, to = 0] = value.range ?? []
  return text.slice(from, to)
}
