import { nodeMaintenances, type NodeMaintenance } from '../../api/maintenance/node-maintenance.ts'
import { nodeSelectorLimits } from '../../api/kubernetes/node-selector.ts'
import { isKubeError } from '../../kube/client/errors.ts'
import { ConcurrencyLimit } from '../../runtime/concurrency-limit.ts'
import { counting } from '../output/counting.ts'
import { CommandError, explainFailure } from '../output/errors.ts'
import { listMaintenances } from './find-maintenance.ts'
import type { ReachedCluster } from '../connect/reached-cluster.ts'
import { decideDrain, type DrainStart, type WantedDrain } from './start-drain.ts'
import { build, type Start } from './start-maintenance.ts'

export interface Begun {
  readonly how: 'created' | 'movedOn' | 'attached'
  /** As the API server has it now. */
  readonly maintenance: NodeMaintenance
  readonly before: NodeMaintenance | undefined
}

/** A maintenance, or a drain that joins one for each node. */
export interface BegunDrain {
  readonly name: string
  readonly isJoined: boolean
  /** In the order of the nodes. */
  readonly parts: readonly Begun[]
}

/** Others may begin one for the same nodes, or take the name, at the same moment. */
const attemptsMax = 3
export const writesAtOnceMax = 10

export async function beginDrain(
  cluster: ReachedCluster,
  wanted: WantedDrain,
  { isDry }: { readonly isDry: boolean },
): Promise<BegunDrain> {
  const made = new Map<string, Begun>()
  for (let attempts = 1; ; attempts++) {
    const start = decideDrain(wanted, await listMaintenances(cluster.kube, cluster.signal))
    try {
      if (attempts === 1) await rehearse(cluster, wanted, start)
      const parts = await inTurn(start.starts, async (each) => {
        const begun = made.get(nameOf(each)) ?? (await carryOut(cluster, each, isDry))
        made.set(nameOf(each), begun)
        return begun
      })
      return { name: start.name, isJoined: start.isJoined, parts }
    } catch (error) {
      const mayRepeat = isKubeError(error, 'alreadyExists', 'conflict', 'notFound') && attempts < attemptsMax
      if (!mayRepeat) throw made.size === 0 || isDry ? error : halfDone(error, start, made.size)
    }
  }
}

/**
 * A dry run of one maintenance for all nodes: what the cluster says about the whole, such as that all nodes are selected
 * or that a right is missing, comes before anything is written.
 */
async function rehearse({ kube, signal }: ReachedCluster, wanted: WantedDrain, { name, starts }: DrainStart) {
  const isNew = starts.length > 1 && starts.every(({ kind }) => kind === 'create')
  if (!isNew || wanted.nodeSelector.nodeSelectorTerms.length > nodeSelectorLimits.termsMax) return
  await kube.create(nodeMaintenances, build(wanted, name), { signal, dryRun: true })
}

/** A few at once. After a failure none begins that has not begun yet. */
export async function inTurn<T, Done>(all: readonly T[], work: (one: T) => Promise<Done>): Promise<Done[]> {
  const limit = new ConcurrencyLimit(writesAtOnceMax)
  const failed = new AbortController()
  const running = all.map((one) =>
    limit
      .run(() => work(one), failed.signal)
      .catch((error: unknown) => {
        failed.abort(error)
        throw error
      }),
  )
  await Promise.allSettled(running)
  failed.signal.throwIfAborted()
  return await Promise.all(running)
}

async function carryOut({ kube, signal }: ReachedCluster, start: Start, isDry: boolean): Promise<Begun> {
  const options = { signal, dryRun: isDry }
  if (start.kind === 'create') {
    return {
      how: 'created',
      maintenance: await kube.create(nodeMaintenances, start.object, options),
      before: undefined,
    }
  }
  const { maintenance: before, changes } = start
  if (Object.keys(changes).length === 0) return { how: 'attached', maintenance: before, before }
  const { name, uid } = before.metadata
  // Of that one, and of no later one with its name.
  const body = { metadata: { uid }, spec: changes }
  const maintenance = await kube.patch(nodeMaintenances, { name }, { type: 'merge', body }, options)
  return { how: changes.stage === undefined ? 'attached' : 'movedOn', maintenance, before }
}

function nameOf(start: Start): string {
  return (start.kind === 'create' ? start.object : start.maintenance).metadata.name
}

/** What was made works on its own; the same command makes the rest. */
function halfDone(error: unknown, { name, starts }: DrainStart, made: number): CommandError {
  const { message, advice, exitCode } = explainFailure(error)
  return new CommandError(`${message}; ${made} of ${starts.length} nodes of ${name} are under maintenance`, {
    advice: `${advice} The same command again continues with the rest; \`lifeboat status ${name}\` shows which nodes there are, \`lifeboat cancel ${name}\` takes all back.`,
    exitCode,
    cause: error,
  })
}

export function renderBegun({ name, isJoined, parts }: BegunDrain, isDry: boolean): string {
  const dry = isDry ? ' (server dry run)' : ''
  const [first] = parts
  if (!isJoined && first !== undefined) return `nodemaintenance ${name} ${renderOne(first)}${dry}`
  const of = (how: Begun['how']) => parts.filter((part) => part.how === how).length
  if (of('created') === parts.length) {
    const stage = first?.maintenance.spec.stage
    return `${name}: ${counting(parts.length, 'nodemaintenance')} created at stage ${stage}, one for each node${dry}`
  }
  const counts = [
    ...(of('created') > 0 ? [`${of('created')} created`] : []),
    ...(of('movedOn') > 0 ? [`${of('movedOn')} moved on to ${first?.maintenance.spec.stage}`] : []),
    ...(of('attached') > 0 ? [`${of('attached')} there already`] : []),
  ]
  return `${name} continues, with one nodemaintenance for each node: ${counts.join(', ')}${dry}`
}

function renderOne({ how, maintenance, before }: Begun): string {
  const { stage } = maintenance.spec
  switch (how) {
    case 'created':
      return `created at stage ${stage}`
    case 'movedOn':
      return `is there for the same nodes: moved on from ${before?.spec.stage} to ${stage}`
    case 'attached':
      return `is there for the same nodes, at stage ${stage}`
  }
}
