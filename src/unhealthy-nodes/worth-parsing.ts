import { isUpdate } from '../kube/watch/watch-lines.ts'

const taintEffect = Buffer.from('NoExecute')
const beforeName = Buffer.from('"metadata":{"name":"')
const quote = 0x22

/**
 * Thousands of nodes report all the time, and all but a few are well: an event about one is parsed only if it has a taint
 * that counts, or if the node is known to have had one. In doubt it is parsed.
 */
export function nodeEventFilter(isKnown: (name: string) => boolean): (line: Buffer) => boolean {
  return (line) => {
    if (!isUpdate(line) || line.includes(taintEffect)) return true
    const at = line.indexOf(beforeName)
    if (at === -1) return true
    const start = at + beforeName.length
    return isKnown(line.toString('latin1', start, line.indexOf(quote, start)))
  }
}
