import { breath, type InBreaths, type Outcome, type PluginWorld } from '../plugin.ts'
import type { NodeView, PodView } from '../view.ts'

/** Names those that are wanted on each node. The limit of a node ends its turn, the total one everything. */
export function* nodeByNode(
  world: Pick<PluginWorld, 'nodes'>,
  wantedOn: (node: NodeView) => InBreaths<readonly PodView[]>,
): Generator<PodView | typeof breath, void, Outcome> {
  for (const node of world.nodes) {
    yield breath
    for (const pod of yield* wantedOn(node)) {
      const outcome = yield pod
      if (outcome === 'totalLimit') return
      if (outcome === 'nodeLimit') break
    }
  }
}
