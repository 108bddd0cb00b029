/** Access to a cluster is configured wrongly. The message is one line for a person: what, where, and what to do. */
export class KubeconfigError extends Error {
  override readonly name = 'KubeconfigError'

  constructor(message: string, options?: { cause?: unknown }) {
    super(oneLine(message), options)
  }
}

const messageLengthMax = 1_024

/** Foreign words (names, plugin output) end up in messages; a terminal must not obey them, nor a log line break. */
// oxlint-disable-next-line no-control-regex
const terminalEscape = /\u001B\[[0-?]*[ -/]*[@-~]|\u001B\][^\u0007\u001B]*(?:\u0007|\u001B\\)?/gu

export function withoutBreaks(text: string): string {
  return text
    .replaceAll(terminalEscape, '')
    .replaceAll(/[\p{Cc}\s]+/gu, ' ')
    .trim()
}

export function oneLine(text: string): string {
  const line = withoutBreaks(text)
  return line.length <= messageLengthMax ? line : `${line.slice(0, messageLengthMax - 1)}…`
}

/** What a failed read means, in words; the path is named by the caller. */
export function fileProblem(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'cannot be read'
  return fileProblems[code] ?? code
}

const fileProblems: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  ENOTDIR: 'does not exist',
  EACCES: 'may not be read (permission denied)',
  EPERM: 'may not be read (permission denied)',
  EISDIR: 'is a folder, not a file',
  EFBIG: 'is too large',
}

export function isMissingFile(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')
}

const namesShownMax = 10

/** `dev, staging`, sorted; a long list is cut so that the message stays one line. */
export function listNames(names: Iterable<string>): string {
  const sorted = [...names].toSorted()
  if (sorted.length === 0) return 'none'
  const rest = sorted.length - namesShownMax
  return sorted.slice(0, namesShownMax).join(', ') + (rest > 0 ? ` and ${rest} more` : '')
}
