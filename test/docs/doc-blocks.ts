/** A fenced block of shell commands in a page. */
export interface DocBlock {
  /** Of its first command. */
  readonly line: number
  readonly commands: string
  /** Why it cannot be run by a test, in the words of the page: `<!-- not run: … -->` right above it. */
  readonly notRun?: string
}

const fence = /^```(\w*)\s*$/
const reason = /^<!-- not run: (.+) -->$/

/** In the order of the page. A block that is indented, as within a list, counts too. */
export function shellBlocks(page: string): DocBlock[] {
  const lines = page.split('\n').map((line) => line.trimEnd())
  const blocks: DocBlock[] = []
  for (let at = 0; at < lines.length; at++) {
    const language = fence.exec((lines[at] ?? '').trim())?.[1]
    if (language === undefined) continue
    const end = lines.findIndex((line, index) => index > at && line.trim() === '```')
    if (end === -1) throw new Error(`the block that begins in line ${at + 1} has no end`)
    if (language === 'sh') {
      const notRun = reason.exec(lineAbove(lines, at))?.[1]
      const commands = lines.slice(at + 1, end).join('\n')
      blocks.push({ line: at + 2, commands, ...(notRun === undefined ? {} : { notRun }) })
    }
    at = end
  }
  return blocks
}

function lineAbove(lines: readonly string[], at: number): string {
  return (
    lines
      .slice(0, at)
      .findLast((line) => line.trim() !== '')
      ?.trim() ?? ''
  )
}
