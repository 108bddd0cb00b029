/** States what must hold, in production too. A failure is a bug of ours, never bad input. */
export function assert(condition: boolean, what: string): asserts condition {
  if (!condition) throw new AssertionError(what)
}

export class AssertionError extends Error {
  override readonly name = 'AssertionError'
}
