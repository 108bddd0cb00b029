/**
 * A command line to copy, as a template: each value becomes one word of it, a list several. What is put in may come from
 * any client that writes a status, so it is quoted; undefined where it could be read as an option, which no name in
 * Kubernetes can.
 */
export function shellCommand(
  texts: TemplateStringsArray,
  ...values: readonly (string | readonly string[])[]
): string | undefined {
  const words = values.map((value) => (typeof value === 'string' ? [value] : value))
  if (words.flat().some((word) => word.startsWith('-') || word === '')) return undefined
  return String.raw({ raw: texts }, ...words.map((list) => list.map(shellWord).join(' ')))
}

/** As it is where the shell would not look into it, quoted otherwise. */
export function shellWord(word: string): string {
  return /^[\w./:@%+=,-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`
}
