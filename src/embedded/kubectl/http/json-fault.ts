/** What V8 says about malformed JSON, and what the real server says instead; people search for the latter. */
const wordings: readonly { readonly found: RegExp; readonly where: string }[] = [
  {
    found: /Expected property name|Expected double-quoted property name/,
    where: 'looking for beginning of object key string',
  },
  { found: /after property value/, where: 'after object key:value pair' },
  { found: /after array element/, where: 'after array element' },
  { found: /Expected ':'/, where: 'after object key' },
  { found: /after JSON/, where: 'after top-level value' },
  { found: /Bad control character/, where: 'in string literal' },
  { found: /Bad escaped character|Bad Unicode escape/, where: 'in string escape code' },
]

/** Words for the error that JSON.parse threw on this text. */
export function describeJsonFault(error: unknown, text: string): string {
  const message = error instanceof Error ? error.message : String(error)
  if (/Unexpected end|Unterminated string/.test(message)) return 'unexpected end of JSON input'
  const position = /at position (\d+)/.exec(message)?.[1]
  const character = position === undefined ? /Unexpected token '(.)'/u.exec(message)?.[1] : text[Number(position)]
  // Where the text simply stops, V8 may still name what it expected there.
  if (character === undefined) return 'unexpected end of JSON input'
  const where =
    wordings.find(({ found }) => found.test(message))?.where ??
    (position === undefined ? brokenLiteral(text, character) : undefined) ??
    'looking for beginning of value'
  return `invalid character ${quoted(character)} ${where}`
}

/** A word that begins as one of the three that JSON knows, and continues differently. V8 does not say where it is. */
function brokenLiteral(text: string, character: string): string | undefined {
  for (const [, word = ''] of text.matchAll(/(?<=^|[\s:,[])([ntf][a-z]*)/g)) {
    const literal = ['null', 'true', 'false'].find((known) => known[0] === word[0]) ?? ''
    const length = literal.split('').findIndex((letter, at) => letter !== word[at])
    if (length > 0 && word[length] === character) return `in literal ${literal} (expecting '${literal[length]}')`
  }
  return undefined
}

function quoted(character: string): string {
  const code = character.codePointAt(0) ?? 0
  if (character === '\n') return String.raw`'\n'`
  return code < 0x20 ? String.raw`'\x${code.toString(16).padStart(2, '0')}'` : `'${character}'`
}
