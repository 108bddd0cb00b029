import pc from 'picocolors'
import stringWidth from 'string-width'
import { counting } from '../output/counting.ts'
import { renderDuration } from '../output/duration.ts'
import { cutToWidth, fitToWidth, wrapToWidth } from './fit-to-width.ts'
import type { DrainPicture, ExpectedFinish, NodePicture, NodeState } from './drain-picture.ts'
import type { WaitingPod } from './waiting-pods.ts'

export interface PictureSize {
  readonly columns: number
  readonly rows: number
  readonly color: boolean
  /** A last line for people, where there is room for it. */
  readonly hint?: string
}

type Colors = ReturnType<typeof pc.createColors>

/** Never a line wider than the columns, never more lines than rows; nodes that have no line are in the line that sums up. */
export function renderPicture(picture: DrainPicture, size: PictureSize): string[] {
  const columns = Math.max(1, size.columns)
  const rows = Math.max(1, size.rows)
  const colors = pc.createColors(size.color)
  const header = headerLines(picture, rows)
  const hint = size.hint !== undefined && rows >= roomFor.hint ? [colors.dim(cutToWidth(size.hint, columns))] : []
  // What the nodes do not need, and a third of the room in any case.
  const left = rows - header.length - hint.length
  const waitsMax = rows >= roomFor.waits ? Math.max(Math.floor(left / 3), left - picture.nodes.length) : 0
  const waits = waitLines(picture.waiting, { columns, linesMax: waitsMax })
  const room = rows - header.length - hint.length - waits.length
  const nodes = nodeLines(picture.nodes, { columns, rows: room, colors })
  const [first = '', ...others] = header.map((line) => cutToWidth(line, columns))
  const styled = [colors.bold(first), ...others.map((line, index) => styleHeader(line, index, picture, colors))]
  return [...styled, ...nodes, ...waits, ...hint]
}

/** From how many rows on there is room for more than nodes. */
const roomFor = { trouble: 4, waits: 10, hint: 6 }

function headerLines(picture: DrainPicture, rows: number): string[] {
  const { name, stage, reason, trouble, isPartial } = picture
  const title = [name, stage, ...(reason === '' ? [] : [reason]), ...(isPartial ? [`(${partialNote})`] : [])].join('  ')
  const totals = renderTotals(picture)
  if (rows < 2) return [`${name}  ${totals}`]
  return [title, totals, ...(trouble !== undefined && rows >= roomFor.trouble ? [trouble] : [])]
}

function styleHeader(line: string, index: number, { trouble }: DrainPicture, colors: Colors): string {
  return index > 0 && trouble !== undefined ? colors.yellow(line) : line
}

/** Numbers of who came late are not those of the whole drain. */
export const partialNote = 'pods counted since this view began'

/** `1/3 nodes drained  8/14 pods gone  1 blocked  1m2s  expected in 40s`: short enough for 80 columns. */
export function renderTotals(picture: DrainPicture): string {
  const { stage, nodesTotal, nodesDrained, gone, total, elapsedMs, expected, nodes } = picture
  const blocked = nodes.filter(({ state }) => state === 'blocked').length
  if (stage !== 'Drain') return counting(nodesTotal, 'node')
  return [
    `${nodesDrained}/${counting(nodesTotal, 'node')} drained`,
    `${gone}/${counting(total, 'pod')} gone`,
    ...(blocked > 0 ? [`${blocked} blocked`] : []),
    ...(elapsedMs === undefined ? [] : [renderDuration(elapsedMs)]),
    ...(expected === undefined ? [] : [`expected in ${renderExpected(expected)}`]),
  ].join('  ')
}

/** `40s`, or `>40s` where more may come. */
export function renderExpected({ inMs, isAtLeast }: ExpectedFinish): string {
  return `${isAtLeast ? '>' : ''}${renderDuration(inMs)}`
}

interface NodeRoom {
  readonly columns: number
  readonly rows: number
  readonly colors: Colors
}

function nodeLines(nodes: readonly NodePicture[], { columns, rows, colors }: NodeRoom): string[] {
  if (rows <= 0) return []
  const shown = nodes.length <= rows ? nodes : nodes.slice(0, rows - 1)
  const layout = layoutFor(shown, columns)
  const lines = shown.map((node) => nodeLine(node, layout, colors))
  const rest = nodes.slice(shown.length)
  return rest.length === 0 ? lines : [...lines, colors.dim(cutToWidth(summary(rest), columns))]
}

/** `… and 178 more: 120 drained, 58 moving; 230 pods left`. */
function summary(rest: readonly NodePicture[]): string {
  const counts = Map.groupBy(rest, ({ state }) => state)
  const parts = states.flatMap((state) => {
    const count = counts.get(state)?.length ?? 0
    return count === 0 ? [] : [`${count} ${stateWords[state]}`]
  })
  const left = rest.reduce((sum, { pending, evacuating }) => sum + pending + evacuating, 0)
  return `… and ${rest.length} more: ${parts.join(', ')}; ${counting(left, 'pod')} left`
}

const stateWords: Readonly<Record<NodeState, string>> = {
  blocked: 'blocked',
  waiting: 'waiting',
  moving: 'moving',
  unseen: 'not begun',
  cordoned: 'cordoned',
  drained: 'drained',
}
const states = Object.keys(stateWords) as NodeState[]

/** Widths of the columns; 0 leaves one out. */
interface Layout {
  readonly columns: number
  readonly name: number
  readonly bar: number
  readonly count: number
  readonly elapsed: number
  readonly expected: number
}

const gap = '  '

function layoutFor(nodes: readonly NodePicture[], columns: number): Layout {
  const widest = (texts: readonly string[]) => texts.reduce((width, text) => Math.max(width, stringWidth(text)), 0)
  const name = Math.min(widest(nodes.map((node) => node.name)), Math.max(8, Math.floor(columns / 3)))
  return {
    columns,
    name,
    bar: columns >= 140 ? 20 : columns >= 60 ? 10 : 0,
    count: columns >= 30 ? widest(nodes.map(countText)) : 0,
    elapsed: columns >= 70 ? widest(nodes.map(elapsedText)) : 0,
    expected: columns >= 70 ? widest(nodes.map(expectedText)) : 0,
  }
}

/** The bar and its neighbours at fixed places, what it waits for in between, however long it is. */
function nodeLine(node: NodePicture, layout: Layout, colors: Colors): string {
  const color = colorOf(node.state, colors)
  const before = [
    fitToWidth(node.name, layout.name),
    ...(layout.bar > 0 ? [bar(node, layout.bar)] : []),
    ...(layout.count > 0 ? [fitToWidth(countText(node), layout.count, 'right')] : []),
  ]
  const after = [
    ...(layout.elapsed > 0 ? [fitToWidth(elapsedText(node), layout.elapsed, 'right')] : []),
    ...(layout.expected > 0 ? [fitToWidth(expectedText(node), layout.expected, 'right')] : []),
  ]
  const taken = [...before, ...after].reduce((sum, text) => sum + stringWidth(text) + gap.length, 0)
  const room = layout.columns - taken
  if (room < waitsWidthMin) return color(cutToWidth(before.join(gap), layout.columns))
  const waits = after.length > 0 ? fitToWidth(node.waitsFor, room) : cutToWidth(node.waitsFor, room)
  return [color(before.join(gap)), waits, ...after].join(gap).trimEnd()
}

/** Less than this tells nothing. */
const waitsWidthMin = 8

function bar({ state, gone, total }: NodePicture, width: number): string {
  const filled = state === 'drained' ? width : total === 0 ? 0 : Math.floor((gone / total) * width)
  return '█'.repeat(filled) + '░'.repeat(width - filled)
}

function countText({ state, gone, total }: NodePicture): string {
  return state === 'unseen' || state === 'cordoned' || total === 0 ? '' : `${gone}/${total}`
}

function elapsedText({ elapsedMs }: NodePicture): string {
  return elapsedMs === undefined ? '' : renderDuration(elapsedMs)
}

function expectedText({ expected }: NodePicture): string {
  return expected === undefined ? '' : `in ${renderExpected(expected)}`
}

function colorOf(state: NodeState, colors: Colors): (text: string) => string {
  switch (state) {
    case 'blocked':
      return colors.yellow
    case 'drained':
      return colors.green
    case 'unseen':
    case 'cordoned':
      return colors.dim
    case 'waiting':
    case 'moving':
      return colors.reset
  }
}

/** Pods that need manual action, each with what would help: a line of a node has no room for all of it. */
function waitLines(
  waiting: readonly WaitingPod[],
  { columns, linesMax }: { readonly columns: number; readonly linesMax: number },
): string[] {
  const needing = waiting.filter(({ needsSomebody }) => needsSomebody)
  if (needing.length === 0 || linesMax < 3) return []
  const lines = [`${counting(needing.length, 'pod')} ${needing.length === 1 ? 'needs' : 'need'} help:`]
  for (const { text, node, remedy } of needing) {
    const isFirst = lines.length === 1
    const helpsMax = isFirst ? Math.min(linesOfRemedy, linesMax - 2) : linesOfRemedy
    const helps = remedy === '' ? [] : indented('    ', `what helps: ${remedy}`, columns, helpsMax)
    const room = linesMax - lines.length - helps.length
    if (room < (isFirst ? 1 : linesOfWait)) break
    lines.push(...indented('  ', `${text} (${node})`, columns, Math.min(room, linesOfWait)), ...helps)
  }
  return lines.slice(0, linesMax).map((line) => cutToWidth(line, columns))
}

const linesOfWait = 3
const linesOfRemedy = 2

function indented(indent: string, text: string, columns: number, linesMax: number): string[] {
  const width = Math.max(1, columns - indent.length)
  return wrapToWidth(text, width, linesMax).map((line) => `${indent}${line}`)
}
