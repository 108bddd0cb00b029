import type { Store } from '../store.ts'
import type { Admission } from './admission.ts'
import { chain, type AdmissionPlugin } from './chain.ts'
import { nodeLabelWarnings } from './node-label-warnings.ts'
import { newNodesAreNotReady } from './node-taints.ts'
import { defaultTolerations, priorities } from './pod-defaults.ts'
import { podQuota } from './resource-quota.ts'

/** The plugins that every API server runs, in their order; those of users come after what mutates and before the quota. */
export function builtInAdmission(store: Store, plugins: readonly AdmissionPlugin[] = []): Admission {
  return chain([
    newNodesAreNotReady,
    nodeLabelWarnings,
    priorities(store),
    defaultTolerations,
    ...plugins,
    podQuota(store),
  ])
}
