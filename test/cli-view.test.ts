import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openArrangedCluster, type ArrangedCluster } from './build/arranged-cluster.ts'
import { hasTmux, openScreen } from './build/tmux.ts'

// The live view as people see it: on terminals of two sizes, and in a pipe, over clusters whose state is arranged.

const program = join(import.meta.dirname, '../bin/lifeboat')
const sizes = [
  { columns: 80, rows: 24 },
  { columns: 200, rows: 50 },
]
const hour = 3_600_000
const timeout = 120_000
const isMissing = !hasTmux && process.env['CI'] !== 'true'
if (isMissing) process.stderr.write('test/cli-view.test.ts: skipped on terminals, because tmux is not installed\n')

/** Times go on while somebody looks. Long ones keep their width for a minute. */
function masked(text: string): string {
  return text.replaceAll(/\b(\d+[dhm])*\d+[dhms]\b/g, (time) => time.replaceAll(/\d/g, '#'))
}

function snapshot(name: string): string {
  return `snapshots/${name}.txt`
}

/** One drain with everything that a node can be at, and one of 200 nodes. */
async function arrange(): Promise<ArrangedCluster> {
  const cluster = await openArrangedCluster({ nodes: 206 })
  const beganMs = Date.now() - 2 * hour - 30 * 60_000 - 5_000
  const few = [1, 2, 3, 4, 5].map((number) => `node-${number}`)
  const many = Array.from({ length: 200 }, (_, index) => `node-${index + 7}`)
  const budget = { kind: 'budget', budget: 'cart', healthy: 1, needed: 2 } as const
  await cluster.setLeader('lifeboat-1')
  await cluster.setMaintenance({ name: 'drain-few', nodes: few, reason: 'OS upgrade', beganMs })
  await cluster.setMaintenance({ name: 'drain-many', nodes: many, beganMs })
  await cluster.setNode({ name: 'node-1', pending: 3, evacuating: 2 })
  await cluster.setNode({ name: 'node-2', pending: 1, evacuating: 9 })
  await cluster.setNode({ name: 'node-3', pending: 4, message: 'Waiting for maintenance-b.' })
  await cluster.setNode({ name: 'node-4', message: 'Drained (1 static pod stays)' })
  await cluster.addEvacuation({ pod: 'cart-7', node: 'node-1', blocker: budget })
  await cluster.addEvacuation({ pod: 'cart-8', node: 'node-1', blocker: { kind: 'throttled' } })
  await cluster.addEvacuation({
    pod: 'web-1',
    node: 'node-2',
    expectedAtMs: Date.now() + 3 * hour + 30 * 60_000 + 30_000,
  })
  for (const [index, name] of many.entries()) {
    await cluster.setNode({
      name,
      pending: index < 60 ? 200 - index : 0,
      evacuating: index % 2 === 0 && index < 60 ? 1 : 0,
    })
  }
  return cluster
}

let cluster: ArrangedCluster
beforeAll(async () => {
  cluster = await arrange()
}, timeout)
afterAll(() => cluster[Symbol.asyncDispose]())

const environment = () => ({ KUBECONFIG: cluster.kubeconfig, TERM: 'xterm-256color' })

describe.skipIf(isMissing)('on a terminal', { timeout }, () => {
  test.each(sizes)('of $columns×$rows a drain of some nodes has a line for each, and what helps', async (size) => {
    await using screen = await openScreen([program, 'status', '-w', 'drain-few'], {
      ...size,
      environment: environment(),
    })
    const text = await screen.until(/Ctrl-C/)
    await expect(`${masked(text)}\n`).toMatchFileSnapshot(snapshot(`few-nodes-${size.columns}x${size.rows}`))
  })

  test.each(sizes)('of $columns×$rows a drain of 200 nodes stays on it', async (size) => {
    await using screen = await openScreen([program, 'status', '-w', 'drain-many'], {
      ...size,
      environment: environment(),
    })
    const text = await screen.until(/Ctrl-C/)
    expect(text.split('\n').length).toBeLessThan(size.rows)
    await expect(`${masked(text)}\n`).toMatchFileSnapshot(snapshot(`many-nodes-${size.columns}x${size.rows}`))
  })

  test('a drain is drawn in place from its beginning to its end, and leaves the last picture', async () => {
    const [size = { columns: 80, rows: 24 }] = sizes
    await using screen = await openScreen([program, 'drain', 'node-6'], { ...size, environment: environment() })
    await screen.until(/Lifeboat has not come to it yet/)
    await cluster.setMaintenance({ name: 'drain-node-6', nodes: ['node-6'], beganMs: Date.now() })
    await cluster.setNode({ name: 'node-6', evacuating: 4 })
    await screen.until(/0\/4 +4 on the way/)
    await cluster.setNode({ name: 'node-6', evacuating: 1 })
    await screen.until(/3\/4 +1 on the way/)
    await cluster.setNode({ name: 'node-6' })
    await cluster.setMaintenance({ name: 'drain-node-6', beganMs: Date.now(), drainedMs: Date.now() })
    const text = await screen.until(/exit \d/)
    // A time of two digits moves its column.
    const narrow = masked(text).replaceAll(/#+s/g, '#s').replaceAll(/ {2,}/g, '  ')
    await expect(`${narrow}\n`).toMatchFileSnapshot(snapshot('drain-80x24'))
  })

  test('Ctrl-C leaves it running and says how to go on', async () => {
    const [size = { columns: 80, rows: 24 }] = sizes
    await using screen = await openScreen([program, 'status', '-w', 'drain-few'], {
      ...size,
      environment: environment(),
    })
    await screen.until(/Ctrl-C/)
    await screen.press('C-c')
    const text = await screen.until(/exit \d+/)
    expect(text.split('\n').slice(-5)).toEqual([
      'lifeboat: drain-few continues without you',
      'watch:    lifeboat status -w drain-few',
      'complete: lifeboat complete drain-few',
      'undo:     lifeboat cancel drain-few',
      'exit 130',
    ])
  })

  test('a terminal without color gets none, and one that cannot go back gets lines', async () => {
    const dumb = { ...environment(), TERM: 'dumb' }
    await using screen = await openScreen([program, 'status', '-w', 'drain-few'], {
      columns: 80,
      rows: 24,
      environment: dumb,
    })
    expect(await screen.until(/node-4: drained/)).toContain('] node-1: 0/5 gone, ')
  })
})

test('in a pipe there are plain lines', { timeout }, async () => {
  const child = spawn(program, ['status', '-w', 'drain-few'], {
    env: { ...process.env, ...environment(), FORCE_COLOR: '' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let text = ''
  let problem = ''
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk
  })
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    problem += chunk
  })
  await expect.poll(() => `${problem}${text}`, { timeout: 60_000 }).toContain('node-4')
  child.kill('SIGINT')
  const [code] = (await once(child, 'exit')) as [number]
  expect(code).toBe(130)
  expect(text).not.toContain('\u001B')
  await expect(masked(text)).toMatchFileSnapshot(snapshot('few-nodes-piped'))
})
