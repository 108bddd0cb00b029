// 500 of 5,000 nodes drained, together and by a maintenance each: memory, watches, how long the event loop is held up
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { nodeMaintenances, type NodeMaintenance } from '../src/api/maintenance/node-maintenance.ts'
import { connect } from '../test/cluster/connect.ts'
import { startLifeboat } from '../test/cluster/lifeboat.ts'
import { asInstalled } from './as-installed.ts'
import { buildRelease } from './build-release.ts'
import { answerOf } from './child-answer.ts'
import { heldUpMs } from './event-loop.ts'
import { drainedNodes, drainedPool } from './idle-objects.ts'
import type { ManyNodesMessage, ManyNodesState } from './many-nodes-cluster.ts'
import { heapOf, peakMemoryOf } from './process-memory.ts'
import { printLine, renderFigure } from './report.ts'

const size = { nodes: 5_000, podsOnNode: 30, applications: 9_000, drained: 500 }
const limits = { megabytesMax: 300, watchesMax: 50, heldUpMsMax: 50, createdWithinSeconds: 60 }
const drainWithinMs = 1_200_000
/** So that all of them come within the minute. */
const createEveryMs = 80
const [lookEveryMs, tellEveryMs] = [1_000, 20_000]
/** What 150,000 new objects give the cluster's own controllers to do is not Lifeboat's. */
const settleMs = 20_000

interface Drain {
  readonly createdSeconds: number
  readonly seconds: number
  readonly megabytes: number
  readonly heapMegabytes: number
  readonly heldUpMs: number
  readonly state: ManyNodesState
}

type Term = NodeMaintenance['spec']['nodeSelector']['nodeSelectorTerms'][number]

/** By a maintenance for each of these. */
async function drain(selections: readonly Term[], program: string): Promise<Drain> {
  await using cluster = await startManyNodes()
  await using connection = await connect(cluster)
  await pause(settleMs)
  await using lifeboat = await startLifeboat(cluster.kubeconfigPath, [], program, asInstalled)
  await pause(settleMs)
  await heldUpMs(lifeboat.url)
  const startedMs = performance.now()
  const since = () => (performance.now() - startedMs) / 1_000
  const create = async () => {
    // Several users at once: none of them waits for another.
    const each = selections.map(async (term, at) => {
      await pause(at * createEveryMs)
      const spec = { stage: 'Drain', nodeSelector: { nodeSelectorTerms: [term] } } as const
      await connection.kube.create(nodeMaintenances, { metadata: { name: `drain-${at}` }, spec })
    })
    await Promise.all(each)
    return since()
  }
  const created = create()
  let [longestMs, heapMegabytes, toldMs] = [0, 0, 0]
  let state = await cluster.look()
  while (state.drainedMaintenances < selections.length) {
    // What cannot be created ends the run.
    await Promise.race([pause(lookEveryMs), created.then(() => pause(lookEveryMs))])
    longestMs = Math.max(longestMs, await heldUpMs(lifeboat.url))
    heapMegabytes = Math.max(heapMegabytes, await heapOf(lifeboat.url))
    state = await cluster.look()
    const nowMs = since() * 1_000
    if (nowMs > drainWithinMs) throw new Error(`not drained in time: ${JSON.stringify(state)}`)
    if (nowMs < toldMs + tellEveryMs) continue
    toldMs = nowMs
    const resident = (await peakMemoryOf(lifeboat.pid)).toFixed(0)
    const { podsLeft, watchesMax, requests } = state
    console.log(
      `  ${since().toFixed(0)} s: ${podsLeft} pods left, ${resident} MB resident at most, ${watchesMax} watches, ${longestMs.toFixed(0)} ms, ${requests} requests`,
    )
  }
  const megabytes = await peakMemoryOf(lifeboat.pid)
  return { createdSeconds: await created, seconds: since(), megabytes, heapMegabytes, heldUpMs: longestMs, state }
}

interface ManyNodes extends AsyncDisposable {
  readonly kubeconfigPath: string
  look(): Promise<ManyNodesState>
}

async function startManyNodes(): Promise<ManyNodes> {
  const sizes = [size.nodes, size.podsOnNode, size.applications].map(String)
  const path = join(import.meta.dirname, 'many-nodes-cluster.ts')
  const child = fork(path, sizes, { execArgv: ['--max-old-space-size=8000'] })
  const ended = once(child, 'exit')
  const { kubeconfigPath, pods, namespaces } = await answerOf<ManyNodesMessage, 'ready'>(child, 'ready')
  console.log(`${size.nodes} nodes, ${pods} pods in ${namespaces} namespaces, on the embedded cluster`)
  return {
    kubeconfigPath,
    look: async () => {
      const answered = answerOf<ManyNodesMessage, 'state'>(child, 'state')
      child.send('state')
      return (await answered).state
    },
    [Symbol.asyncDispose]: async () => {
      child.disconnect()
      await ended
    },
  }
}

function print({ seconds, heapMegabytes, state }: Drain): void {
  printLine(renderFigure({ what: 'all drained after', unit: 's', value: seconds }))
  printLine(renderFigure({ what: 'heap in use, at its highest', unit: 'MB', value: heapMegabytes }))
  printLine(renderFigure({ what: 'requests', unit: 'a pod', value: state.requests / (size.drained * size.podsOnNode) }))
}

const only = process.argv.find((word) => word === 'together' || word === 'each')
await using release = await buildRelease()
const memory = { what: 'resident memory, at its highest', unit: 'MB' }
const heldUp = { what: 'event loop held up for, at most', unit: 'ms' }
const watches = { what: 'watches at once, at most', unit: 'watches' }
if (only !== 'each') {
  console.log(`${size.drained} nodes by one maintenance`)
  const together = await drain(
    [{ matchExpressions: [{ key: 'pool', operator: 'In', values: [drainedPool] }] }],
    release.path,
  )
  printLine(renderFigure({ ...memory, value: together.megabytes, max: limits.megabytesMax }))
  printLine(renderFigure({ ...watches, value: together.state.watchesMax, max: limits.watchesMax }))
  printLine(renderFigure({ ...heldUp, value: together.heldUpMs }))
  print(together)
}
if (only !== 'together') {
  console.log(`${size.drained} nodes by a maintenance each`)
  const terms = drainedNodes(size.nodes).map((name): Term => ({
    matchFields: [{ key: 'metadata.name', operator: 'In', values: [name] }],
  }))
  const each = await drain(terms, release.path)
  const { createdSeconds: value } = each
  printLine(renderFigure({ what: 'created within', unit: 's', value, max: limits.createdWithinSeconds }))
  printLine(renderFigure({ ...heldUp, value: each.heldUpMs, max: limits.heldUpMsMax }))
  printLine(renderFigure({ ...memory, value: each.megabytes }))
  printLine(renderFigure({ ...watches, value: each.state.watchesMax }))
  print(each)
}
