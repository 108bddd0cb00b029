// an unbalanced cluster, balanced without a pod missing, and cycles over 5,000 nodes, beside the upstream descheduler
import { buildBinaries } from '../test/cluster/build.ts'
import { balanceByLifeboat, balanceByUpstream, balancedWithinSeconds, type Balance } from './balance.ts'
import { applicationsOf } from './balance-world.ts'
import { measureFit, worstCases } from './fit-worst-case.ts'
import { LargeCluster } from './large-cycles.ts'
import { printLine, renderComparison, renderFigure, type Comparison } from './report.ts'

/** For a trial of the benchmark itself. */
const isSmall = process.argv.includes('--small')
const unbalanced = isSmall
  ? { nodes: 12, crowded: 3, applications: { 1: 8, 2: 6, 5: 4, 10: 4, 20: 2, 60: 1 } }
  : { nodes: 50, crowded: 12, applications: { 1: 40, 2: 30, 5: 20, 10: 20, 20: 15, 60: 5 } }
const large = isSmall ? { nodes: 500, applications: 150 } : { nodes: 5_000, applications: 1_500 }
const fit = { nodes: large.nodes, podsPerNode: 30, asked: isSmall ? 300 : 3_000 }
const wanted = { podSecondsMax: 0, cycleMsMax: 3_000, blockMsMax: 50, megabytesMax: 400 }
/** Pods that leave make others movable, or not: among equals both choose differently. */
const agreement = 0.95
const runWithinMs = 1_500_000

const overdue = setTimeout(() => {
  console.error(`gave up after ${runWithinMs / 60_000} minutes: is the machine busy with something else?`)
  // The watchdog of the cluster ends what it started.
  process.exit(1)
}, runWithinMs)
const binary = (await buildBinaries('descheduler')).get('descheduler') ?? ''
await reportFit()
await reportLarge()
await reportBalance()
clearTimeout(overdue)

async function reportFit(): Promise<void> {
  console.log(`\nnodeFit as the scheduler: ${fit.asked} kinds of pods that fit none of ${fit.nodes} nodes`)
  for (const [name, kindOf] of Object.entries(worstCases)) {
    const { processorMs, blockMs, fitting } = await measureFit(kindOf, fit)
    if (fitting > 0) throw new Error(`${fitting} pods fit in spite of ${name}`)
    printLine(renderFigure({ what: name, unit: 'ms of a core', value: processorMs, max: wanted.cycleMsMax }))
    printLine(renderFigure({ what: '  longest block', unit: 'ms of a core', value: blockMs, max: wanted.blockMsMax }))
  }
}

async function reportLarge(): Promise<void> {
  console.log(`\na cycle over ${large.nodes} nodes and ${large.nodes * 30} pods, dry run, on the embedded API server`)
  await using cluster = await LargeCluster.start(large)
  const ours = await cluster.measureOurs()
  const upstream = await cluster.measureUpstream(binary, { namedMin: ours.named * agreement })
  compare('pods named', 'pods', ours.named, upstream.named)
  compare('cycle', 'ms', ours.cycleMs, upstream.cycleMs, { oursMax: wanted.cycleMsMax })
  compare('processor time from cycle to cycle', 'ms', ours.processorMs, upstream.processorMs)
  const megabytes = { oursMax: wanted.megabytesMax }
  compare('resident memory, highest', 'MB', ours.memoryMegabytes, upstream.memoryMegabytes, megabytes)
  printLine(renderFigure({ what: 'heap after the last cycle', unit: 'MB', value: ours.heapMegabytes }))
  const max = wanted.blockMsMax
  printLine(renderFigure({ what: 'longest block of the event loop', unit: 'ms', value: ours.blockMs, max }))
}

async function reportBalance(): Promise<void> {
  const pods = applicationsOf(unbalanced).reduce((sum, { replicas }) => sum + replicas, 0)
  console.log(`\n${pods} pods on ${unbalanced.crowded} of ${unbalanced.nodes} nodes of a real Kubernetes`)
  const ours = await balanceByLifeboat(unbalanced)
  const upstream = await balanceByUpstream(unbalanced, binary)
  const show = (what: string, unit: string, of: (balance: Balance) => number, most?: Comparison['wanted']) =>
    compare(what, unit, of(ours), of(upstream), most)
  show('pod-seconds below wanted', 'pod-seconds', ({ podSeconds }) => podSeconds, { oursMax: wanted.podSecondsMax })
  const soon = { oursMax: balancedWithinSeconds }
  show('until a cycle names nobody', 's', ({ seconds }) => seconds ?? Infinity, soon)
  show('cycles', 'cycles', ({ cycles }) => cycles)
  show('pods moved', 'pods', ({ moved }) => moved)
  for (const [name, when] of Object.entries({ before: 'before', after: 'after' } as const)) {
    show(`fullest node ${name}`, '% of cpu', (balance) => balance[when].highest)
    show(`emptiest node ${name}`, '% of cpu', (balance) => balance[when].lowest)
    show(`standard deviation ${name}`, '% of cpu', (balance) => balance[when].deviation)
  }
}

function compare(what: string, unit: string, ours: number, theirs: number, most?: Comparison['wanted']): void {
  printLine(renderComparison({ what, unit, ours, theirs, ...(most === undefined ? {} : { wanted: most }) }))
}
