import { evacuations } from '../../api/evacuation/evacuation.ts'
import type { Node } from '../../api/kubernetes/core.ts'
import { nodes as nodeResource } from '../../api/kubernetes/resources.ts'
import { labels } from '../../api/names.ts'
import { nodeMaintenances, type NodeMaintenance } from '../../api/maintenance/node-maintenance.ts'
import { matchesNodeSelector } from '../../api/kubernetes/node-selector.ts'
import type { InformerParts } from '../../kube/watch/informer-pool.ts'
import { followLeader } from '../connect/follow-leader.ts'
import { follow } from './follow.ts'
import { noHistory, remember, type DrainHistory } from './drain-history.ts'
import { reportsOf, sightOf, type DrainView } from './drain-picture.ts'

/** A maintenance, its nodes and its evacuations, as they are now. */
export interface FollowedDrain extends AsyncDisposable {
  /** Undefined once it is deleted. Costs nothing: it is asked for after each change. */
  maintenance(): NodeMaintenance | undefined
  /** Undefined once it is deleted. */
  view(): DrainView | undefined
  subscribe(notice: () => void): Disposable
}

/** Four watches: the maintenance, nodes under maintenance, Evacuations, and the Lease of who leads. */
export async function followDrain(
  parts: InformerParts,
  options: { readonly name: string; readonly expectedNodes: readonly string[]; readonly signal: AbortSignal },
): Promise<FollowedDrain> {
  const { name, expectedNodes, signal } = options
  const handlers = new Set<() => void>()
  const notice = () => {
    for (const handler of handlers) handler()
  }
  await using opening = new AsyncDisposableStack()
  const selection = { fieldSelector: `metadata.name=${name}` }
  const own = opening.use(await follow(parts, { resource: nodeMaintenances, selection, notice, signal }))
  const marked = { labelSelector: labels.underMaintenance }
  const nodes = opening.use(await follow(parts, { resource: nodeResource, selection: marked, notice, signal }))
  const all = opening.use(await follow(parts, { resource: evacuations, notice, signal }))
  const leader = opening.use(await followLeader(parts, signal))
  const sinceMs = parts.clock.nowMs()
  let history: DrainHistory = noHistory
  const current = () => own.informer.get({ name })
  const note = (seen: readonly Node[]) => {
    const maintenance = current()
    if (maintenance === undefined) return
    const reports = reportsOf(maintenance)
    history = remember(
      history,
      seen.map((node) => sightOf(node, reports)),
      parts.clock.nowMs(),
    )
  }
  note(nodes.informer.list())
  own.informer.subscribe(() => note(nodes.informer.list()))
  nodes.informer.subscribe((change) => {
    if (change.kind !== 'deleted') note([change.object])
  })
  const open = opening.move()
  return {
    maintenance: current,
    view: () => {
      const maintenance = current()
      if (maintenance === undefined) return undefined
      return {
        maintenance,
        nodes: selectedNodes(maintenance, nodes.informer.list()),
        expectedNodes,
        evacuations: all.informer.list(),
        history,
        sinceMs,
        trouble: own.trouble() ?? nodes.trouble() ?? all.trouble() ?? leader.trouble(),
      }
    },
    subscribe: (handler) => {
      handlers.add(handler)
      return { [Symbol.dispose]: () => void handlers.delete(handler) }
    },
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  }
}

export function selectedNodes({ spec }: NodeMaintenance, nodes: readonly Node[]): readonly Node[] {
  return nodes.filter((node) => matchesNodeSelector(spec.nodeSelector, node))
}

/** Nodes that a maintenance names, whether or not Lifeboat has come to them. */
export function namedNodes({ spec }: NodeMaintenance): string[] {
  return spec.nodeSelector.nodeSelectorTerms.flatMap(({ matchFields = [], matchExpressions = [] }) =>
    matchExpressions.length > 0 ? [] : matchFields.flatMap(({ operator, values }) => (operator === 'In' ? values : [])),
  )
}
