import { renderWhy } from './render-why.ts'
import type { DrainWhyReport, NodeReport, PodReport } from './report.ts'

/** Of a large drain the nodes with blocked pods come first, and the others are counted. */
const nodesMax = 10

/** How far the drain is, then each node that is not drained, as if it had been asked about alone. */
export function renderDrain({ name, nodes, pods }: DrainWhyReport, nowMs: number): string[] {
  if (nodes.length === 0) return [`${name} drains no node: it is over, or selects none`]
  const states = [...Map.groupBy(nodes, ({ state }) => state)].map(([state, group]) => `${group.length} ${state}`)
  const waiting = nodes.filter(({ state }) => state !== 'Drained')
  const ofNode = Map.groupBy(pods, ({ nodeName }) => nodeName ?? '')
  const podsOf = (node: NodeReport): readonly PodReport[] => ofNode.get(node.name) ?? []
  const sorted = waiting.toSorted((a, b) => blockedOf(podsOf(b)) - blockedOf(podsOf(a)))
  const shown = sorted.slice(0, nodesMax)
  const blocks = shown.flatMap((node) => [''].concat(renderWhy({ about: 'node', node, pods: podsOf(node) }, nowMs)))
  return [
    `${name}: ${nodes.length} ${nodes.length === 1 ? 'node' : 'nodes'}, ${states.join(', ')}`,
    ...blocks,
    ...renderMore(sorted.slice(nodesMax)),
  ]
}

function renderMore({ length }: readonly NodeReport[]): string[] {
  if (length === 0) return []
  return [
    '',
    `${length} more ${length === 1 ? 'node is' : 'nodes are'} not drained; \`lifeboat why NODE\` asks about one`,
  ]
}

function blockedOf(pods: readonly PodReport[]): number {
  return pods.filter(({ phase }) => phase === 'Blocked').length
}
