import { evacuations } from '../../api/evacuation/evacuation.ts'
import type { Node } from '../../api/kubernetes/core.ts'
import { nodes as nodeResource } from '../../api/kubernetes/resources.ts'
import { labels } from '../../api/names.ts'
import type { MaintenanceStatus } from '../../api/maintenance/maintenance-status.ts'
import { nodeMaintenances, type NodeMaintenance } from '../../api/maintenance/node-maintenance.ts'
import type { InformerParts } from '../../kube/watch/informer-pool.ts'
import { followLeader } from '../connect/follow-leader.ts'
import { selectionOf, type Drain } from '../maintenance/find-maintenance.ts'
import { follow } from './follow.ts'
import { noHistory, remember, type DrainHistory } from './drain-history.ts'
import { reportsOf, sightOf } from './drain-picture.ts'
import { namedNodes, type Sights } from './join-pictures.ts'

/** A drain, its nodes and its evacuations, as they are now. */
export interface FollowedDrain extends AsyncDisposable {
  /** Without maintenances once it is deleted. Costs nothing: it is asked for after each change. */
  drain(): Drain
  sights(): Sights
  subscribe(notice: () => void): Disposable
}

export interface FollowOptions extends Pick<Drain, 'name' | 'isJoined'> {
  readonly signal: AbortSignal
  /** Of a maintenance that selects by labels: the nodes that it selected when it was begun. */
  readonly expectedNodes?: readonly string[]
}

/** Four watches, for any number of nodes: the maintenances, nodes under maintenance, Evacuations, and the Lease. */
export async function followDrain(parts: InformerParts, options: FollowOptions): Promise<FollowedDrain> {
  const { name, isJoined, expectedNodes = [], signal } = options
  const handlers = new Set<() => void>()
  const notice = () => {
    for (const handler of handlers) handler()
  }
  await using opening = new AsyncDisposableStack()
  const selection = selectionOf(options)
  const own = opening.use(await follow(parts, { resource: nodeMaintenances, selection, notice, signal }))
  const marked = { labelSelector: labels.underMaintenance }
  const nodes = opening.use(await follow(parts, { resource: nodeResource, selection: marked, notice, signal }))
  const all = opening.use(await follow(parts, { resource: evacuations, notice, signal }))
  const leader = opening.use(await followLeader(parts, signal))
  const sinceMs = parts.clock.nowMs()
  const remembering = new Remembering(parts)
  for (const maintenance of own.informer.list()) remembering.hear(maintenance)
  remembering.note(nodes.informer.list())
  own.informer.subscribe((change) => {
    if (change.kind === 'deleted') return
    const heard = remembering.hear(change.object)
    remembering.note(heard.flatMap((node) => nodes.informer.get({ name: node }) ?? []))
  })
  nodes.informer.subscribe((change) => {
    if (change.kind !== 'deleted') remembering.note([change.object])
  })
  const open = opening.move()
  return {
    drain: () => ({ name, isJoined, maintenances: own.informer.list() }),
    sights: () => ({
      nodes: nodes.informer.list(),
      expectedNodes: (maintenance) => (isJoined ? namedNodes(maintenance) : expectedNodes),
      evacuations: all.informer.list(),
      history: remembering.history,
      sinceMs,
      trouble: own.trouble() ?? nodes.trouble() ?? all.trouble() ?? leader.trouble(),
    }),
    subscribe: (handler) => {
      handlers.add(handler)
      return { [Symbol.dispose]: () => void handlers.delete(handler) }
    },
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  }
}

/** What has been seen of the nodes, as the maintenances of the drain and the nodes themselves tell it. */
class Remembering {
  readonly #parts: InformerParts
  readonly #reports = new Map<string, MaintenanceStatus>()
  history: DrainHistory = noHistory

  constructor(parts: InformerParts) {
    this.#parts = parts
  }

  /** The nodes that it says something of. */
  hear(maintenance: NodeMaintenance): string[] {
    const reports = reportsOf(maintenance)
    for (const [node, report] of reports) this.#reports.set(node, report)
    return [...reports.keys()]
  }

  note(seen: readonly Node[]): void {
    const sights = seen.map((node) => sightOf(node, this.#reports))
    this.history = remember(this.history, sights, this.#parts.clock.nowMs())
  }
}
