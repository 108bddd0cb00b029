// Expressions of mutating policies make values of a type of their own, `JSONPatch{op: "add", path: "/x", value: 1}`,
// which the CEL library cannot parse. Each becomes a map with the same fields before it is compiled.

const typeName = 'JSONPatch'
const fields = new Set(['op', 'path', 'from', 'value'])

/** Words, texts with their prefix, comments, and single characters; in this order. */
const token = /[A-Za-z_][A-Za-z0-9_]*|\/\/[^\n]*|\s+|[^]/y
const textStart = /[rRbB]{0,2}("""|'''|"|')/y

/** Throws an Error for a field that JSONPatch does not have. */
export function patchesAsMaps(expression: string): string {
  const tokens = tokensOf(expression)
  /** Which of the brackets that are open belong to a patch, innermost last. */
  const open: boolean[] = []
  let written = ''
  for (let at = 0; at < tokens.length; at++) {
    const text = tokens[at] ?? ''
    const next = nextOf(tokens, at)
    if (text === typeName && tokens[next] === '{' && tokens[previousOf(tokens, at)] !== '.') {
      open.push(true)
      written += '{'
      at = next
    } else if (isKeyOfPatch(tokens, at, open.at(-1) ?? false)) {
      if (!fields.has(text)) throw new Error(`undefined field '${text}'`)
      written += JSON.stringify(text)
    } else {
      if ('([{'.includes(text)) open.push(false)
      if (')]}'.includes(text)) open.pop()
      written += text
    }
  }
  return written
}

/** A word between the brace or a comma and a colon. */
function isKeyOfPatch(tokens: readonly string[], at: number, isInPatch: boolean): boolean {
  if (!isInPatch || tokens[nextOf(tokens, at)] !== ':' || !/^[A-Za-z_]/.test(tokens[at] ?? '')) return false
  return ['{', ','].includes(tokens[previousOf(tokens, at)] ?? '')
}

function tokensOf(expression: string): string[] {
  const tokens: string[] = []
  for (let at = 0; at < expression.length;) {
    const text = textAt(expression, at) ?? match(token, expression, at)?.[0] ?? ''
    tokens.push(text)
    at += text.length
  }
  return tokens
}

/** A text of CEL with its quotes; undefined where none begins. One that does not end goes to the end. */
function textAt(expression: string, at: number): string | undefined {
  const start = match(textStart, expression, at)
  if (start === null) return undefined
  const [prefix, quotes = ''] = start
  const isRaw = /^[bB]?[rR]/.test(prefix)
  for (let end = at + prefix.length; end < expression.length; end++) {
    if (expression.startsWith(quotes, end)) return expression.slice(at, end + quotes.length)
    if (expression[end] === '\\' && !isRaw) end++
  }
  return expression.slice(at)
}

function match(pattern: RegExp, expression: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at
  return pattern.exec(expression)
}

function nextOf(tokens: readonly string[], at: number): number {
  let next = at + 1
  while (isGap(tokens[next] ?? '.')) next++
  return next
}

function previousOf(tokens: readonly string[], at: number): number {
  let previous = at - 1
  while (isGap(tokens[previous] ?? '.')) previous--
  return previous
}

function isGap(text: string): boolean {
  return text.trim() === '' || text.startsWith('//')
}
