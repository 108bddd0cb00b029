import stringWidth from 'string-width'
import type { Terminal } from '../output/terminal.ts'

const hanging = '  '

/**
 * Breaks sentences between words where a terminal would break them anywhere. Commands stay whole, to be copied; so does
 * a word that is too long, and everything that goes to a file or a pipe.
 */
export function wrapLines(lines: readonly string[], { isTerminal, columns }: Pick<Terminal, 'isTerminal' | 'columns'>) {
  return isTerminal ? lines.flatMap((line) => (isCommand(line) ? [line] : wrapped(line, columns()))) : [...lines]
}

/** As renderWhy indents them, or behind a prompt. */
function isCommand(line: string): boolean {
  return /^( {6}|\$ )/.test(line)
}

function wrapped(line: string, columns: number): string[] {
  const indent = /^ */.exec(line)?.[0] ?? ''
  const lines: string[] = []
  let current = ''
  for (const word of line.slice(indent.length).split(' ')) {
    const longer = current === '' ? `${lines.length === 0 ? indent : indent + hanging}${word}` : `${current} ${word}`
    if (current === '' || stringWidth(longer) <= columns) current = longer
    else {
      lines.push(current)
      current = `${indent}${hanging}${word}`
    }
  }
  return [...lines, current]
}
