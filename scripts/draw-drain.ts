import { join } from 'node:path'
import { keepGenerated, type GeneratedFile } from './generated-file.ts'
import { playDrain, type PlayedDrain, type PlayedPod } from './play-drain.ts'

// Writes docs/images/drain.svg from a drain on the embedded cluster; with --check it only compares. One row is one pod
// that leaves a drained node: above, the old pod; below, the pod that takes its place.

const layout = {
  width: 920,
  left: 210,
  right: 170,
  top: 92,
  barHeight: 18,
  laneHeight: 20,
  rowGap: 14,
  bottom: 74,
}

/** Where labels would not fit, there are none. */
const labelWidths = { characterPx: 6.3, paddingPx: 12 }

type Kind = 'old' | 'new' | 'starting' | 'ending' | 'held'

interface Bar {
  readonly kind: Kind
  readonly fromMs: number
  readonly toMs: number
  readonly label: string
}

interface Row {
  readonly name: string
  readonly about: string
  readonly result: string
  readonly lanes: readonly (readonly Bar[])[]
}

export function drawDrain(drain: PlayedDrain): string {
  const rows = rowsOf(drain)
  const rowHeight = layout.laneHeight * 2 + layout.rowGap
  const height = layout.top + rows.length * rowHeight + layout.bottom
  const x = scaleOf(drain)
  const body = { top: layout.top - 8, bottom: layout.top + rows.length * rowHeight }
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${layout.width} ${height}" role="img" aria-labelledby="title">`,
    `<title id="title">${titleOf(drain)}: no application falls below what it needs</title>`,
    style,
    `<rect class="card" x="0.5" y="0.5" width="${layout.width - 1}" height="${height - 1}" rx="10"/>`,
    text(24, 34, `$ ${titleOf(drain)}`, 'title'),
    ...drawMoments(drain, body),
    ...rows.flatMap((row, index) => drawRow(row, layout.top + index * rowHeight, x)),
    ...drawAxis(drain, body.bottom),
    ...drawLegend(height - 22),
    '</svg>',
    '',
  ].join('\n')
}

const titleOf = ({ nodes }: PlayedDrain): string => `lifeboat drain ${nodes.join(' ')}`

/** Throws if an application had too few ready pods: the picture says that this does not happen. */
function rowsOf(drain: PlayedDrain): Row[] {
  const results = new Map(
    drain.applications.map(({ name, about, wanted, lowest }) => {
      if (lowest < wanted) throw new Error(`${name} had ${lowest} ready pods and needs ${wanted}`)
      return [name, { about, result: `never below ${wanted} ready` }]
    }),
  )
  results.set(drain.daemonSet, { about: 'DaemonSet, leaves last', result: 'back at the end' })
  return [...results].flatMap(([name, { about, result }]) => {
    const own = drain.pods.filter(({ app }) => app === name)
    const successors = own.filter(({ createdMs }) => createdMs > 0)
    return own
      .filter(({ createdMs, node }) => createdMs === 0 && drain.nodes.includes(node))
      .map((old) => {
        const next = takeSuccessor(successors, old, name === drain.daemonSet)
        return { name, about, result, lanes: [barsOf(old, drain, 'old'), barsOf(next, drain, 'new')] }
      })
  })
}

/** That of a DaemonSet pod is on the same node; of others any will do. */
function takeSuccessor(successors: PlayedPod[], old: PlayedPod, isOfDaemonSet: boolean): PlayedPod {
  const index = successors.findIndex(({ node }) => !isOfDaemonSet || node === old.node)
  const [found] = successors.splice(index, 1)
  if (index < 0 || found === undefined) throw new Error(`${old.name} has no successor`)
  return found
}

function barsOf(pod: PlayedPod, drain: PlayedDrain, kind: 'old' | 'new'): Bar[] {
  const { endMs, completedMs } = drain
  const readyMs = pod.readyMs ?? endMs
  const terminatingMs = pod.terminatingMs ?? endMs
  const isHeld = kind === 'new' && drain.nodes.includes(pod.node)
  const startMs = isHeld ? completedMs : pod.createdMs
  const bars: Bar[] = [
    { kind: 'held', fromMs: pod.createdMs, toMs: startMs, label: `held off ${pod.node}` },
    { kind: 'starting', fromMs: startMs, toMs: readyMs, label: `starts on ${pod.node}` },
    { kind, fromMs: readyMs, toMs: terminatingMs, label: `ready on ${pod.node}` },
    { kind: 'ending', fromMs: terminatingMs, toMs: pod.goneMs ?? endMs, label: 'ends' },
  ]
  return bars.filter(({ fromMs, toMs }) => toMs > fromMs)
}

function scaleOf({ endMs }: PlayedDrain): (atMs: number) => number {
  const widthPx = layout.width - layout.left - layout.right
  return (atMs) => Math.round((layout.left + (atMs / endMs) * widthPx) * 10) / 10
}

function drawRow(row: Row, top: number, x: (atMs: number) => number): string[] {
  return [
    text(24, top + 15, row.name, 'name'),
    text(24, top + 33, row.about, 'faint'),
    ...row.lanes.flatMap((bars, lane) => bars.flatMap((bar) => drawBar(bar, top + lane * layout.laneHeight, x))),
    text(layout.width - layout.right + 14, top + 24, `✓ ${row.result}`, 'good'),
  ]
}

function drawBar({ kind, fromMs, toMs, label }: Bar, top: number, x: (atMs: number) => number): string[] {
  const widthPx = Math.round((x(toMs) - x(fromMs)) * 10) / 10
  const fits = label.length * labelWidths.characterPx + labelWidths.paddingPx <= widthPx
  return [
    `<rect class="${kind}" x="${x(fromMs)}" y="${top}" width="${widthPx}" height="${layout.barHeight}" rx="3"/>`,
    ...(fits ? [text(x(fromMs) + 6, top + 13, label, `in-${kind}`)] : []),
  ]
}

function drawMoments(drain: PlayedDrain, { top, bottom }: { readonly top: number; readonly bottom: number }): string[] {
  const x = scaleOf(drain)
  const { drainedMs, completedMs } = drain
  const line = (atMs: number) => `<path class="moment" d="M${x(atMs)} ${top}V${bottom}"/>`
  const widthPx = Math.round((x(completedMs) - x(drainedMs)) * 10) / 10
  return [
    `<rect class="work" x="${x(drainedMs)}" y="${top}" width="${widthPx}" height="${bottom - top}"/>`,
    ...[0, drainedMs, completedMs].map(line),
    text(x(0), top - 8, 'drain begins', 'faint'),
    text(x(drainedMs), top - 8, 'drained: do your work', 'faint'),
    text(x(completedMs), top - 8, 'lifeboat complete', 'faint'),
  ]
}

function drawAxis(drain: PlayedDrain, top: number): string[] {
  const x = scaleOf(drain)
  const seconds = Array.from({ length: Math.floor(drain.endMs / 5_000) + 1 }, (_, index) => index * 5)
  return seconds.map((second) => text(x(second * 1_000), top + 14, `${second} s`, 'faint'))
}

function drawLegend(top: number): string[] {
  const entries: readonly (readonly [Kind, string])[] = [
    ['old', 'old pod serves'],
    ['starting', 'new pod starts'],
    ['new', 'new pod serves'],
    ['ending', 'old pod ends'],
    ['held', 'waits until the node is back'],
  ]
  return entries.flatMap(([kind, label], index) => [
    `<rect class="${kind}" x="${24 + index * 150}" y="${top - 10}" width="14" height="12" rx="2"/>`,
    text(44 + index * 150, top, label, 'faint'),
  ])
}

function text(x: number, y: number, content: string, name: string): string {
  return `<text class="${name}" x="${Math.round(x * 10) / 10}" y="${y}">${content.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</text>`
}

/** The card has a background of its own, so the picture is readable on any page. */
const style = `<style>
text{font:12px -apple-system,"Segoe UI",Helvetica,Arial,sans-serif;fill:#59636e}
.card{fill:#fff;stroke:#d1d9e0}
.title{font:600 15px ui-monospace,Menlo,Consolas,monospace;fill:#1f2328}
.name{font-weight:600;font-size:13px;fill:#1f2328}
.good{fill:#1a7f37}
.old{fill:#0969da}.new{fill:#1a7f37}.starting{fill:#b4e3c0}.ending{fill:#afb8c1}
.held{fill:none;stroke:#9a6700;stroke-dasharray:4 3}
.in-old,.in-new{fill:#fff;font-size:11px}.in-starting{fill:#0f4a20;font-size:11px}.in-ending{fill:#1f2328;font-size:11px}.in-held{fill:#7d4e00;font-size:11px}
.moment{stroke:#9aa4af;stroke-dasharray:2 3;fill:none}
.work{fill:#ddf4ff;opacity:.6}
@media (prefers-color-scheme:dark){
text{fill:#9198a1}
.card{fill:#0d1117;stroke:#3d444d}
.title,.name{fill:#f0f6fc}
.good{fill:#56d364}
.old{fill:#1f6feb}.new{fill:#238636}.starting{fill:#12391d}.ending{fill:#656c76}
.held{stroke:#d29922}
.in-starting{fill:#aff5b4}.in-ending{fill:#f0f6fc}.in-held{fill:#e3b341}
.moment{stroke:#656c76}
.work{fill:#388bfd;opacity:.13}
}
</style>`

export function drainPictures(folder: string, drain: PlayedDrain): GeneratedFile[] {
  return [{ path: join(folder, 'images/drain.svg'), content: drawDrain(drain) }]
}

if (import.meta.main) {
  process.chdir(join(import.meta.dirname, '..'))
  await keepGenerated(drainPictures('docs', await playDrain()), process.argv.includes('--check'))
}
