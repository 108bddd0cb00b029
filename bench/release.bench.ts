// the release: how soon it says its first line, and what it takes while there is nothing to do
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { startCluster } from '../test/cluster/cluster.ts'
import { startLifeboat } from '../test/cluster/lifeboat.ts'
import { printLine, renderComparison, renderFigure } from './report.ts'

const wanted = { firstLineMs: 300, idleMegabytes: 120 }
const starts = 15
const idleSeconds = 30

/** From the start of the process to the first bytes that it writes. */
async function firstOutputMs(args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const startMs = performance.now()
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = once(child, 'close')
  await Promise.race([once(child.stdout, 'data'), once(child.stderr, 'data'), ended])
  const tookMs = performance.now() - startMs
  child.kill('SIGKILL')
  await ended
  return tookMs
}

async function median(measure: () => Promise<number>): Promise<number> {
  const figures: number[] = []
  for (let at = 0; at < starts; at++) figures.push(await measure())
  return figures.toSorted((a, b) => a - b)[Math.floor(starts / 2)] ?? NaN
}

await using open = new AsyncDisposableStack()
const folder = await mkdtemp(join(tmpdir(), 'lifeboat-release-'))
open.defer(() => rm(folder, { recursive: true, force: true }))
const bundle = join(import.meta.dirname, '..', 'scripts', 'bundle.ts')
await promisify(execFile)(process.execPath, [bundle, folder], { cwd: join(import.meta.dirname, '..') })
const program = join(folder, 'lifeboat.mjs')
// Nobody listens there: what comes first is said before anybody is asked for anything.
const kubeconfig = join(folder, 'kubeconfig')
const cluster = { name: 'c', cluster: { server: 'http://127.0.0.1:9' } }
const context = { name: 'c', context: { cluster: 'c', user: 'c' } }
const user = { name: 'c', user: {} }
await writeFile(
  kubeconfig,
  JSON.stringify({ 'current-context': 'c', clusters: [cluster], contexts: [context], users: [user] }),
)
const args = [program, 'run', '--kubeconfig', kubeconfig, '--listen', 'off']
const plain = { PATH: process.env['PATH'] }
const asInTheImage = { ...plain, NODE_COMPILE_CACHE: join(folder, 'cache'), NODE_COMPILE_CACHE_PORTABLE: '1' }
await promisify(execFile)(process.execPath, [program, '--help'], { env: asInTheImage })
const bareMs = await median(() => firstOutputMs(['--eval', 'process.stdout.write(" ")'], plain))
const oursMs = await median(() => firstOutputMs(args, asInTheImage))
const coldMs = await median(() => firstOutputMs(args, { ...plain, NODE_DISABLE_COMPILE_CACHE: '1' }))
console.log('ours: the release; theirs: Node that writes one character')
const what = { unit: 'ms', theirs: bareMs }
printLine(
  renderComparison({
    what: 'first log line, as in the image',
    ...what,
    ours: oursMs,
    wanted: { oursMax: wanted.firstLineMs },
  }),
)
printLine(
  renderComparison({
    what: 'first log line, never loaded before',
    ...what,
    ours: coldMs,
    wanted: { oursMax: wanted.firstLineMs },
  }),
)

const kubernetes = open.use(await startCluster())
const lifeboat = open.use(await startLifeboat(kubernetes.kubeconfigPath, [], program))
await sleep(idleSeconds * 1_000)
const status = await readFile(`/proc/${lifeboat.pid}/status`, 'utf8')
const megabytes = Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) / 1_024
printLine(
  renderFigure({
    what: `memory after ${idleSeconds} s without work`,
    unit: 'MB',
    value: megabytes,
    max: wanted.idleMegabytes,
  }),
)
