import type { AdmissionPlugin } from './chain.ts'

interface Taint {
  readonly key: string
  readonly effect: string
}

/** A new node takes no pods until the node lifecycle controller removes this taint. */
const notReady: Taint = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }

export const newNodesAreNotReady: AdmissionPlugin = {
  mutate: ({ object, operation, definition, subresource }) => {
    const concerns =
      operation === 'CREATE' && definition.group === '' && definition.plural === 'nodes' && subresource === undefined
    if (!concerns || object === undefined) return object
    const spec = (object['spec'] ?? {}) as { taints?: readonly Taint[] }
    const taints = spec.taints ?? []
    if (taints.some(({ key, effect }) => key === notReady.key && effect === notReady.effect)) return object
    return { ...object, spec: { ...spec, taints: [...taints, notReady] } }
  },
}
