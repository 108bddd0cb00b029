import { evacuations } from '../../api/evacuation/evacuation.ts'
import { nodes as nodeResource } from '../../api/kubernetes/resources.ts'
import { labels } from '../../api/names.ts'
import { nodeMaintenances } from '../../api/maintenance/node-maintenance.ts'
import { asCalled } from '../output/as-called.ts'
import { InterruptedError } from '../output/errors.ts'
import { followLeader } from '../connect/follow-leader.ts'
import { follow } from './follow.ts'
import type { World } from '../program.ts'
import { renderStatusTable } from '../maintenance/render-status.ts'
import type { ReachedCluster } from '../connect/reached-cluster.ts'
import { cutToWidth } from './fit-to-width.ts'
import { noHistory } from './drain-history.ts'
import { drainsOf } from '../maintenance/find-maintenance.ts'
import { drainPictures } from './join-pictures.ts'
import type { LiveScene, LiveView } from './live-view.ts'
import { untilAborted } from '../../runtime/until-aborted.ts'

/** `status -w`: the table of all maintenances until Ctrl-C. */
export async function watchAll(world: World, cluster: ReachedCluster, { isWide }: { isWide: boolean }): Promise<void> {
  const { clock, signal } = cluster
  let live: LiveView | undefined
  const notice = () => live?.changed()
  await using all = await follow(cluster, { resource: nodeMaintenances, notice, signal })
  const selection = { labelSelector: labels.underMaintenance }
  await using nodes = await follow(cluster, { resource: nodeResource, selection, notice, signal })
  await using moving = await follow(cluster, { resource: evacuations, notice, signal })
  await using leader = await followLeader(cluster, signal)
  const trouble = () => all.trouble() ?? nodes.trouble() ?? moving.trouble() ?? leader.trouble()
  const lines = (nowMs: number) => {
    const sights = {
      nodes: nodes.informer.list(),
      expectedNodes: () => [],
      evacuations: moving.informer.list(),
      history: noHistory,
      sinceMs: undefined,
    }
    const pictures = drainPictures(drainsOf(all.informer.list()), sights, nowMs)
    const table = renderStatusTable(pictures, { wide: isWide, nowMs })
    return [...table, trouble() ?? []].flat().map((line) => asCalled(line, world))
  }
  // Loaded when there is something to draw, as in watch-drain.ts.
  const { LiveView: View } = await import('./live-view.ts')
  using view = new View({ terminal: world.terminal, clock, scene: tableScene(lines) })
  live = view
  await untilAborted(signal)
  throw new InterruptedError()
}

/** In place as much as fits; else each line that was not there before, apart from its age. */
export function tableScene(lines: (nowMs: number) => readonly string[]): LiveScene {
  let said = new Set<string>()
  const withoutTimes = (line: string) => line.replaceAll(/\b(?:\d+[dhms])+\b/gu, '').replaceAll(/\s+/gu, ' ')
  return {
    frame: ({ columns, rows }, nowMs) => {
      const all = lines(nowMs)
      const more = all.length - rows + 1
      const shown = all.length <= rows ? all : [...all.slice(0, rows - 1), `… and ${more} more lines`]
      return shown.map((line) => cutToWidth(line, columns))
    },
    newLines: (nowMs) => {
      const all = lines(nowMs)
      const fresh = all.filter((line) => line !== '' && !said.has(withoutTimes(line)))
      said = new Set(all.map(withoutTimes))
      return fresh
    },
  }
}
