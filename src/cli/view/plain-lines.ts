import { renderDuration } from '../output/duration.ts'
import { byName, type DrainPicture, type NodePicture } from './drain-picture.ts'
import { partialNote, renderTotals } from './render-picture.ts'

/** What was said last, so that the same is not said again. */
export interface PlainMemory {
  readonly nodes: ReadonlyMap<string, { readonly text: string; readonly atMs: number }>
  readonly trouble: string | undefined
  readonly heartbeatAtMs: number | undefined
}

export const nothingSaid: PlainMemory = { nodes: new Map(), trouble: undefined, heartbeatAtMs: undefined }

/** A node is heard once in this time at most. */
export const lineEveryMs = 1_000
/** When nothing happens, one line says that the drain continues. */
const heartbeatEveryMs = 60_000

/** For logs and pipes: a line for what changed since, in the order of the names. */
export function plainLines(
  picture: DrainPicture,
  memory: PlainMemory,
  nowMs: number,
): { readonly lines: string[]; readonly memory: PlainMemory } {
  const at = picture.elapsedMs === undefined ? '' : `[${renderDuration(picture.elapsedMs)}] `
  const nodes = new Map(memory.nodes)
  const lines: string[] = []
  for (const node of picture.nodes.toSorted(byName)) {
    if (node.state === 'unseen') continue
    const text = nodeText(node)
    const before = memory.nodes.get(node.name)
    if (before?.text === text || (before !== undefined && nowMs - before.atMs < lineEveryMs)) continue
    nodes.set(node.name, { text, atMs: nowMs })
    lines.push(`${at}${text}`)
  }
  const { trouble } = picture
  if (trouble !== undefined && trouble !== memory.trouble) lines.push(`${at}${trouble}`)
  const isBeat = memory.heartbeatAtMs === undefined || nowMs - memory.heartbeatAtMs >= heartbeatEveryMs
  if (isBeat) lines.unshift(`${at}${picture.name}: ${totalsText(picture)}`)
  return { lines, memory: { nodes, trouble, heartbeatAtMs: isBeat ? nowMs : memory.heartbeatAtMs } }
}

function totalsText(picture: DrainPicture): string {
  const totals = renderTotals(picture).replaceAll('  ', ', ')
  return picture.isPartial ? `${totals} (${partialNote})` : totals
}

function nodeText({ name, state, gone, total, waitsFor }: NodePicture): string {
  const counts = state === 'cordoned' || total === 0 ? '' : `${gone}/${total} gone`
  return `${name}: ${[counts, waitsFor].filter((part) => part !== '').join(', ')}`
}
