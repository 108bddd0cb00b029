import { isCompleted, isDrained, type NodeMaintenance } from '../../api/maintenance/node-maintenance.ts'
import { CommandError, exitCodes } from '../output/errors.ts'
import { renderDuration } from '../output/duration.ts'
import type { World } from '../program.ts'
import type { ReachedCluster } from '../connect/reached-cluster.ts'
import type { DrainPicture } from './drain-picture.ts'
import { followDrain, type FollowOptions } from './follow-drain.ts'
import { drainPictures } from './join-pictures.ts'
import { counting } from '../output/counting.ts'
import { waitUntil } from '../maintenance/wait-until.ts'

export interface DrainEnd {
  readonly kind: 'drained' | 'completed' | 'deleted' | 'timeout' | 'interrupted'
  /** As they were last seen. */
  readonly picture: DrainPicture
  readonly maintenances: readonly NodeMaintenance[]
}

export interface WatchOptions extends Omit<FollowOptions, 'signal'> {
  readonly timeoutMs: number
  /** Shows nothing: a program reads what is printed. */
  readonly isQuiet: boolean
}

/** Shows a drain until it is drained, or over. */
export async function watchDrain(world: World, cluster: ReachedCluster, options: WatchOptions): Promise<DrainEnd> {
  const { clock, signal } = cluster
  const { name, timeoutMs } = options
  // Not before there is something to draw: it takes a tenth of a second to load, which every command would wait for.
  const { drainScene, LiveView } = await import('./live-view.ts')
  await using followed = await followDrain(cluster, { ...options, signal })
  let last = followed.drain()
  if (last.maintenances.length === 0) missing(name)
  const picture = (nowMs: number): DrainPicture => {
    const drain = followed.drain()
    if (drain.maintenances.length > 0) last = drain
    const [current] = drainPictures([last], followed.sights(), nowMs)
    return current ?? missing(name)
  }
  const scene = drainScene(picture, (current) => renderHint(world.programName, current))
  using live = options.isQuiet ? undefined : new LiveView({ terminal: world.terminal, clock, scene })
  using _changes = followed.subscribe(() => live?.changed())
  const look = () => endOf(followed.drain().maintenances)
  const kind = await waitUntil({ look, subscribe: (notice) => followed.subscribe(notice), clock, timeoutMs, signal })
  return { kind, picture: picture(clock.nowMs()), maintenances: last.maintenances }
}

export function renderHint(programName: string, { nodes }: DrainPicture): string {
  const blocked = nodes.find(({ state }) => state === 'blocked')
  return `Ctrl-C leaves it running${blocked === undefined ? '.' : `; ${programName} why ${blocked.name} tells more.`}`
}

/** Undefined while it continues. A node that was given back meanwhile is not waited for. */
function endOf(maintenances: readonly NodeMaintenance[]): 'deleted' | 'completed' | 'drained' | undefined {
  if (maintenances.length === 0) return 'deleted'
  const open = maintenances.filter((maintenance) => !isCompleted(maintenance))
  if (open.length === 0) return 'completed'
  return open.every((each) => each.spec.stage === 'Drain' && isDrained(each)) ? 'drained' : undefined
}

function missing(name: string): never {
  throw new CommandError(`${name} is gone`, {
    advice: 'It was deleted; `lifeboat status` lists what there is.',
  })
}

/** What the user can do about a maintenance that continues on its own. */
export function nextSteps(programName: string, name: string): string[] {
  return [
    `watch:    ${programName} status -w ${name}`,
    `complete: ${programName} complete ${name}`,
    `undo:     ${programName} cancel ${name}`,
  ]
}

/** What was done, how long it took, and what comes next. */
export function renderDrained(programName: string, picture: DrainPicture): string[] {
  const { name, nodesTotal, gone, isPartial, elapsedMs } = picture
  const time = elapsedMs === undefined ? '' : ` in ${renderDuration(elapsedMs)}`
  const pods = isPartial ? '' : `, ${counting(gone, 'pod')} moved`
  return [
    `${name}: ${counting(nodesTotal, 'node')} drained${pods}${time}`,
    `When the work on ${nodesTotal === 1 ? 'it' : 'them'} is done: ${programName} complete ${name}`,
  ]
}

/** The error that an end other than the wanted one is. */
export function endError(
  programName: string,
  { kind, picture }: Pick<DrainEnd, 'kind' | 'picture'>,
  timeoutMs: number,
): CommandError {
  const { name } = picture
  const steps = nextSteps(programName, name).join('\n')
  switch (kind) {
    case 'timeout': {
      const message = `${name} is not drained after ${renderDuration(timeoutMs)} and continues: ${renderWaits(picture)}`
      return new CommandError(message, { advice: steps, exitCode: exitCodes.timeout })
    }
    case 'interrupted':
      return new CommandError(`${name} continues without you`, { advice: steps, exitCode: exitCodes.interrupted })
    case 'deleted':
    case 'completed':
    case 'drained': {
      const what = kind === 'deleted' ? 'deleted' : 'completed'
      return new CommandError(`${name} was ${what} before it was drained`, {
        advice: `It was ended; \`${programName} status\` lists what there is.`,
      })
    }
  }
}

/** What it waits for, in one line. */
export function renderWaits({ waiting, nodes, pending, evacuating }: DrainPicture): string {
  const [first, ...more] = waiting
  if (first !== undefined) return `${first.text}${more.length > 0 ? `, and ${more.length} more wait` : ''}`
  if (pending + evacuating > 0) return `${counting(pending + evacuating, 'pod')} left`
  return nodes.some(({ state }) => state === 'unseen')
    ? 'Lifeboat has not come to its nodes yet'
    : 'nothing is left to move'
}
