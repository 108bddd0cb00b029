import { nodeLabels } from '../../src/embedded/node-labels.ts'
import type { World } from './scenario.ts'
import { merge } from './workload-world.ts'

// Nodes whose kubelets stop or report trouble, in the same way on both grounds. Names are full; `NS` in one stands for
// the namespace of the story. On both grounds a node is given up 50 s after its last heartbeat, of which there is one
// every 10 s.

type Arranging = Pick<World, 'arrange'>

/** For a node that never reported anything, or in a patch. */
export const silentLabels = { [nodeLabels.silent]: 'true' } as const

/** Its kubelet stops: no heartbeats, and its pods are neither started nor ended. */
export async function fallSilent(world: Arranging, node: string): Promise<void> {
  await setLabel(world, node, nodeLabels.silent, 'true')
}

export async function reportAgain(world: Arranging, node: string): Promise<void> {
  await setLabel(world, node, nodeLabels.silent, null)
}

/** Its kubelet goes on and says that the node is not ready. */
export async function reportTrouble(world: Arranging, node: string): Promise<void> {
  await setLabel(world, node, nodeLabels.notReady, 'true')
}

export async function reportNoTrouble(world: Arranging, node: string): Promise<void> {
  await setLabel(world, node, nodeLabels.notReady, null)
}

async function setLabel(world: Arranging, node: string, label: string, value: 'true' | null): Promise<void> {
  await world.arrange('PATCH', `/api/v1/nodes/${node}`, { metadata: { labels: { [label]: value } } }, merge)
}
