/** Where a view is drawn. */
export interface Terminal {
  /** Whether lines can be drawn again in place; else they only follow one another. */
  readonly isTerminal: boolean
  readonly color: boolean
  columns(): number
  rows(): number
  write(text: string): void
}

interface OutputStream {
  readonly isTTY?: boolean | undefined
  readonly columns?: number | undefined
  readonly rows?: number | undefined
  write(text: string): unknown
}

type Environment = Readonly<Record<string, string | undefined>>

const sizeDefault = { columns: 80, rows: 24 }

export function terminalOf(stream: OutputStream, environment: Environment): Terminal {
  const isTerminal = stream.isTTY === true && environment['TERM'] !== 'dumb'
  return {
    isTerminal,
    color: wantsColor(environment, isTerminal),
    // Asked each time: a window changes its size. A size of 0 is what a terminal says that does not know.
    columns: () => stream.columns || sizeDefault.columns,
    rows: () => stream.rows || sizeDefault.rows,
    write: (text) => void stream.write(text),
  }
}

/** As no-color.org has it, and FORCE_COLOR as npm's tools do: the wish for none wins. */
function wantsColor({ NO_COLOR = '', FORCE_COLOR }: Environment, isTerminal: boolean): boolean {
  if (NO_COLOR !== '') return false
  if (FORCE_COLOR === undefined) return isTerminal
  return FORCE_COLOR !== '0' && FORCE_COLOR !== 'false'
}
