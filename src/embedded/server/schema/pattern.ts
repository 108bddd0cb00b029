import { RE2JS } from 're2js'

/** A regular expression of RE2: its time grows with the text alone, so no pattern can hang the process. */
export interface Pattern {
  matches(text: string): boolean
  /** The first match. */
  find(text: string): string | undefined
  /** At most `countMax` of them; all if negative. */
  findAll(text: string, countMax: number): string[]
}

export class PatternError extends Error {
  override readonly name = 'PatternError'
}

/** Rules may make patterns out of values: not all of them can be kept. */
const cacheSizeMax = 1_000
const cache = new Map<string, Pattern>()

/** Throws a PatternError on what RE2 does not know, such as references back. */
export function compilePattern(source: string): Pattern {
  const known = cache.get(source)
  if (known !== undefined) return known
  if (cache.size >= cacheSizeMax) cache.clear()
  const pattern = build(source)
  cache.set(source, pattern)
  return pattern
}

function build(source: string): Pattern {
  const compiled = compile(source)
  return {
    matches: (text) => compiled.test(text),
    find: (text) => {
      const matcher = compiled.matcher(text)
      return matcher.find() ? (matcher.group() ?? undefined) : undefined
    },
    findAll: (text, countMax) => {
      const matcher = compiled.matcher(text)
      const found: string[] = []
      for (let left = countMax; left !== 0 && matcher.find(); left--) found.push(matcher.group() ?? '')
      return found
    },
  }
}

function compile(source: string): RE2JS {
  try {
    return RE2JS.compile(source)
  } catch (error) {
    throw new PatternError(error instanceof Error ? error.message : String(error), { cause: error })
  }
}
