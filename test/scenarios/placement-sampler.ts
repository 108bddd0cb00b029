import { setTimeout as pause } from 'node:timers/promises'
import type { Pod } from '../../src/api/kubernetes/core.ts'
import type { Transport } from '../../src/kube/client/transport.ts'

/** Which pods came to which node, by a watch, which misses nothing: a poll sees only what lasts. */
export interface PlacementSampler {
  /** What came before does not count. */
  reset(): void
  /** The images of the pods that came to the node, in their order. */
  cameTo(node: string): string[]
  stop(): Promise<void>
}

export async function startPlacementSampler(transport: Transport, namespace: string): Promise<PlacementSampler> {
  const stop = new AbortController()
  const path = `/api/v1/namespaces/${namespace}/pods`
  const answer = await transport.watch({ method: 'GET', path, query: { watch: 'true' }, signal: stop.signal })
  if (answer.kind === 'refused') throw new Error(`${path}: ${answer.status}`)
  const bound = new Set<string>()
  const came: { readonly node: string; readonly image: string }[] = []
  const read = async () => {
    try {
      for await (const { object } of answer.events) {
        const { metadata, spec } = object as Pod
        const { uid } = metadata
        if (spec?.nodeName === undefined || spec.nodeName === '' || bound.has(uid)) continue
        bound.add(uid)
        came.push({ node: spec.nodeName, image: spec.containers[0]?.image ?? '' })
      }
    } catch (error) {
      if (!stop.signal.aborted) throw error
    }
  }
  const reading = read()
  return {
    reset: () => void came.splice(0),
    cameTo: (node) => came.filter((each) => each.node === node).map(({ image }) => image),
    stop: async () => {
      stop.abort(new Error('seen enough'))
      await Promise.race([reading, pause(1_000)])
    },
  }
}
