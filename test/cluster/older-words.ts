import { hasPart } from './newer-parts.ts'

/**
 * Words of older API servers, and what the newest says in their place: the same object is refused at the same field for
 * the same reason. What is written down of a story is in the words of the newest. Quotes may stand within JSON.
 */
const older: readonly { readonly words: RegExp; readonly newer: string }[] = [
  // Rules in CEL for what is no scalar, before 1.35: the type of the value is named.
  { words: /Invalid value: (?<quote>\\*")(?:object|array)\k<quote>: (?!\S+ in body must )/g, newer: 'Invalid value: ' },
  // The new stage is the value that 1.35 names.
  {
    words: /Invalid value: (?<quote>\\*")string\k<quote>: (?<rule>stage cannot go from \w+ to (?<stage>\w+))/g,
    newer: 'Invalid value: $<quote>$<stage>$<quote>: $<rule>',
  },
  { words: /(?<=Invalid value: )\\*"null\\*"(?=: some validation rules were not checked)/g, newer: 'null' },
  // Of a number with a fraction in a field of format int32.
  { words: /(?<= in body must be of type )integer(?=: \\*"number)/g, newer: 'int32' },
  // A name part that is too long.
  { words: /(?<=must be no more than 63 )characters/g, newer: 'bytes' },
]

/** The same for all that a story observed. */
export function inNewestWordsThroughout(seen: unknown, environment: NodeJS.ProcessEnv = process.env): unknown {
  if (typeof seen === 'string') return inNewestWords(seen, environment)
  if (typeof seen !== 'object' || seen === null) return seen
  if (Array.isArray(seen)) return seen.map((each) => inNewestWordsThroughout(each, environment))
  return Object.fromEntries(
    Object.entries(seen).map(([key, value]) => [key, inNewestWordsThroughout(value, environment)]),
  )
}

/** Leaves the text as it is if the newest Kubernetes said it. */
export function inNewestWords(text: string, environment: NodeJS.ProcessEnv = process.env): string {
  if (hasPart('valuesInRefusals', environment)) return text
  return older.reduce((said, { words, newer }) => said.replaceAll(words, newer), text)
}
