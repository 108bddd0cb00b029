import type { Node } from '../../api/kubernetes/core.ts'
import { annotations, labels as names } from '../../api/names.ts'

const kept: readonly string[] = [annotations.maintenanceStatus, annotations.cordoned, annotations.daemonSetHold]

/** What a maintenance looks at. The rest, images and addresses and conditions, is most of a node. */
export function slimNode({ metadata, spec }: Node): Node {
  const { name, uid, resourceVersion, labels, annotations: all = {} } = metadata
  const ours = Object.fromEntries(Object.entries(all).filter(([key]) => kept.includes(key)))
  return {
    metadata: {
      name,
      uid,
      resourceVersion,
      ...(labels === undefined ? {} : { labels }),
      annotations: ours,
    },
    spec: spec?.unschedulable === true ? { unschedulable: true } : {},
  }
}

export function isMarked({ metadata }: Node): boolean {
  return kept.some((key) => key in (metadata.annotations ?? {})) || names.underMaintenance in (metadata.labels ?? {})
}
