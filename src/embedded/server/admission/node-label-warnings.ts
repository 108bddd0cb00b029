import { nodeLabels } from '../../node-labels.ts'
import type { AdmissionPlugin } from './chain.ts'

const labels: readonly string[] = Object.values(nodeLabels)

/** Says so where a label that steers the kubelet of a node has a value without effect. */
export const nodeLabelWarnings: AdmissionPlugin = {
  validate: ({ object, oldObject, definition, subresource }, warnings) => {
    if (definition.group !== '' || definition.plural !== 'nodes' || subresource !== undefined) return
    for (const label of labels) {
      const value = object?.metadata?.labels?.[label]
      if (value === undefined || value === 'true' || value === oldObject?.metadata?.labels?.[label]) continue
      warnings.push(`metadata.labels[${label}]: ${JSON.stringify(value)} has no effect: the only value is "true"`)
    }
  },
}
