import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { startCluster, type Cluster } from '../test/cluster/cluster.ts'
import { connect } from '../test/cluster/connect.ts'
import { startLifeboat } from '../test/cluster/lifeboat.ts'
import { observeBalance } from './balance-observer.ts'
import { applicationsOf, createUnbalanced, utilizationOf, type WorldSize } from './balance-world.ts'
import type { CycleLine } from './cycle-lines.ts'
import { startOurs, startUpstream, type DeschedulerProcess } from './descheduler-process.ts'

/** What a descheduler made of an unbalanced cluster. */
export interface Balance {
  /** Undefined: it was not there in time. */
  readonly seconds: number | undefined
  readonly cycles: number
  readonly podSeconds: number
  readonly moved: number
  readonly before: Utilization
  readonly after: Utilization
}

/** Of the nodes, in percent of their cores. */
export interface Utilization {
  readonly lowest: number
  readonly highest: number
  /** From the mean, as the square root of the mean of squares. */
  readonly deviation: number
}

const intervalMs = 5_000
export const balancedWithinSeconds = 240
const lifeboat = join(import.meta.dirname, '..', 'src', 'cli', 'main.ts')

const policy = {
  apiVersion: 'descheduler/v1alpha2',
  kind: 'DeschedulerPolicy',
  profiles: [
    {
      name: 'balance',
      pluginConfig: [
        { name: 'DefaultEvictor', args: { nodeFit: true } },
        {
          name: 'LowNodeUtilization',
          args: { thresholds: { cpu: 20 }, targetThresholds: { cpu: 30 } },
        },
        {
          name: 'RemovePodsViolatingTopologySpreadConstraint',
          args: { constraints: ['DoNotSchedule', 'ScheduleAnyway'] },
        },
      ],
      plugins: {
        balance: { enabled: ['RemovePodsViolatingTopologySpreadConstraint', 'LowNodeUtilization'] },
      },
    },
  ],
}

/** Lifeboat with its descheduler, in mode evacuate. */
export async function balanceByLifeboat(size: WorldSize): Promise<Balance> {
  return await balanceBy(size, async (cluster, options) => {
    const stack = new AsyncDisposableStack()
    stack.use(await startLifeboat(cluster.kubeconfigPath))
    return { start: () => stack.use(startOurs(lifeboat, options)), stack }
  })
}

/** The descheduler that upstream ships. */
export async function balanceByUpstream(size: WorldSize, binary: string): Promise<Balance> {
  return await balanceBy(size, async (_, options) => {
    const stack = new AsyncDisposableStack()
    return { start: () => stack.use(startUpstream(binary, options)), stack }
  })
}

interface Contender {
  readonly start: () => DeschedulerProcess
  /** All that it runs. */
  readonly stack: AsyncDisposableStack
}

type Options = Parameters<typeof startUpstream>[1]

async function balanceBy(
  size: WorldSize,
  prepare: (cluster: Cluster, options: Options) => Promise<Contender>,
): Promise<Balance> {
  await using cluster = await startCluster()
  await using connection = await connect(cluster)
  const { kube } = connection
  await createUnbalanced(kube, size)
  const policyPath = join(cluster.folder, 'policy.json')
  await writeFile(policyPath, JSON.stringify(policy))
  const options = { kubeconfigPath: cluster.kubeconfigPath, policyPath, intervalMs, dryRun: false }
  const { start, stack } = await prepare(cluster, options)
  await using _running = stack
  const before = spreadOf(await utilizationOf(kube, size))
  const observer = await observeBalance(kube, applicationsOf(size))
  const startedMs = performance.now()
  const told = await untilNothingIsNamed(start().cycles, startedMs)
  const observed = await observer.stop()
  return { ...told, ...observed, before, after: spreadOf(await utilizationOf(kube, size)) }
}

/** Balanced is what a cycle leaves alone while nobody is on the way. */
async function untilNothingIsNamed(
  cycles: AsyncIterable<CycleLine>,
  startedMs: number,
): Promise<Pick<Balance, 'seconds' | 'cycles'>> {
  let count = 0
  for await (const { named, leaving } of cycles) {
    count++
    const elapsedMs = performance.now() - startedMs
    if (named + leaving === 0) return { seconds: elapsedMs / 1_000, cycles: count }
    if (elapsedMs > balancedWithinSeconds * 1_000) break
  }
  return { seconds: undefined, cycles: count }
}

export function spreadOf(values: readonly number[]): Utilization {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0)
  return {
    lowest: Math.min(...values),
    highest: Math.max(...values),
    deviation: Math.sqrt(squares / values.length),
  }
}
