import type { Pod } from '../../src/api/kubernetes/core.ts'
import type { Transport } from '../../src/kube/client/transport.ts'
import { follow } from './follow.ts'

/** Which pods came to which node, by a watch, which misses nothing: a poll sees only what lasts. */
export interface PlacementSampler {
  /** What came before does not count. */
  reset(): void
  /** The images of the pods that came to the node, in their order. */
  cameTo(node: string): string[]
  stop(): Promise<void>
}

export async function startPlacementSampler(transport: Transport, namespace: string): Promise<PlacementSampler> {
  const bound = new Set<string>()
  const came: { readonly node: string; readonly image: string }[] = []
  const following = await follow(transport, `/api/v1/namespaces/${namespace}/pods`, (_type, object) => {
    const { metadata, spec } = object as Pod
    const { uid } = metadata
    if (spec?.nodeName === undefined || spec.nodeName === '' || bound.has(uid)) return
    bound.add(uid)
    came.push({ node: spec.nodeName, image: spec.containers[0]?.image ?? '' })
  })
  return {
    reset: () => void came.splice(0),
    cameTo: (node) => came.filter((each) => each.node === node).map(({ image }) => image),
    stop: () => following.stop(),
  }
}
