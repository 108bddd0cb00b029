/** The only source of randomness. Streams are named, so that a new draw in one place leaves the others as they were. */
export interface Random {
  stream(name: string): RandomStream
}

export interface RandomStream {
  /** At least 0, below 1. */
  next(): number
}

/** The same seed gives the same numbers in every stream, on every machine. */
export function seededRandom(seed: number): Random {
  return {
    stream: (name) => {
      let state = hash(`${seed}/${name}`)
      return {
        // splitmix32: one addition and a finalizer, good enough for jitter and for drawing test cases.
        next: () => {
          state = (state + 0x9e3779b9) >>> 0
          let mixed = state
          mixed = Math.imul(mixed ^ (mixed >>> 16), 0x21f0aaad)
          mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97)
          return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32
        },
      }
    },
  }
}

/** FNV-1a, to turn a name into a starting state. */
function hash(text: string): number {
  let value = 0x811c9dc5
  for (const character of text) value = Math.imul(value ^ (character.codePointAt(0) ?? 0), 0x01000193)
  return value >>> 0
}
