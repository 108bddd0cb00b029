import type { Manifest } from '../../api/kubernetes/meta.ts'
import { evacuationGroup } from '../../api/names.ts'
import { memoryName } from '../../descheduler/memory-store.ts'
import { installation } from '../install/installation-names.ts'
import {
  beyond,
  buildAccount,
  buildGrants,
  clusterRules as ownClusterRules,
  namespaceRules as ownNamespaceRules,
  type ChangedObjects,
  type Rule,
} from './rbac.ts'

// What the descheduler of the chart may do, and what Lifeboat's own account may do beside its own where it runs it. How
// much of it an installation grants follows from its values.

/**
 * What a right is for. `look`: every cycle. `ask`: unless it is a dry run. `evacuate`: in that mode. `measure`: what
 * metrics.k8s.io tells. `lead`: more than one process. `remember`: what a restart must know.
 */
export type Purpose = 'look' | 'ask' | 'evacuate' | 'measure' | 'lead' | 'remember'

interface PurposefulRule extends Rule {
  readonly purpose: Purpose
}

const watching = ['list', 'watch']

const clusterRules: readonly PurposefulRule[] = [
  { purpose: 'look', apiGroups: [''], resources: ['nodes', 'pods'], verbs: watching },
  { purpose: 'look', apiGroups: [evacuationGroup], resources: ['evacuations'], verbs: watching },
  // Only some policies look at these.
  { purpose: 'look', apiGroups: [''], resources: ['namespaces', 'persistentvolumeclaims'], verbs: watching },
  { purpose: 'look', apiGroups: ['policy'], resources: ['poddisruptionbudgets'], verbs: watching },
  { purpose: 'look', apiGroups: ['scheduling.k8s.io'], resources: ['priorityclasses'], verbs: ['get'] },
  { purpose: 'ask', apiGroups: [''], resources: ['pods/eviction'], verbs: ['create'] },
  { purpose: 'ask', apiGroups: [''], resources: ['events'], verbs: ['create', 'patch'] },
  // One that is there is joined, and left again after the TTL.
  { purpose: 'evacuate', apiGroups: [evacuationGroup], resources: ['evacuations'], verbs: ['get', 'create', 'patch'] },
  // Read when a request is refused. Never deleted: lifeboat-evacuation-rights asks who writes an Evacuation for that
  // right, and lifeboat-descheduler-account refuses its use.
  { purpose: 'evacuate', apiGroups: [''], resources: ['pods'], verbs: ['get', 'delete'] },
  { purpose: 'measure', apiGroups: ['metrics.k8s.io'], resources: ['nodes', 'pods'], verbs: ['list'] },
]

/** In its own namespace. A right to create cannot be tied to a name; all others are. */
const namespaceRules: readonly PurposefulRule[] = [
  { purpose: 'remember', apiGroups: [''], resources: ['configmaps'], verbs: ['create'] },
  {
    purpose: 'remember',
    apiGroups: [''],
    resources: ['configmaps'],
    resourceNames: [memoryName],
    verbs: ['get', 'patch'],
  },
  { purpose: 'lead', apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['create'] },
  {
    purpose: 'lead',
    apiGroups: ['coordination.k8s.io'],
    resources: ['leases'],
    resourceNames: [installation.descheduler],
    verbs: ['get', 'update'],
  },
]

export const everyPurpose: readonly Purpose[] = ['look', 'ask', 'evacuate', 'measure', 'remember', 'lead']

/** The account of the descheduler, with the rights for these purposes. */
export function buildDeschedulerAccess(namespace: string, purposes: readonly Purpose[] = everyPurpose): Manifest[] {
  const { descheduler: name } = installation
  const everywhere = granted(clusterRules, purposes)
  return buildAccount({ name, role: name, namespace, everywhere, within: granted(namespaceRules, purposes) })
}

/** Where it is a part of the controller: what Lifeboat's own account needs for these purposes beside what it has. */
export function buildOwnDeschedulingAccess(namespace: string, purposes: readonly Purpose[] = everyPurpose): Manifest[] {
  return buildGrants({
    name: installation.serviceAccount,
    role: installation.descheduler,
    namespace,
    everywhere: beyond(granted(clusterRules, purposes), ownClusterRules(nothingChanged)),
    within: beyond(granted(namespaceRules, purposes), ownNamespaceRules('')),
  })
}

/** The rights to those objects are of no use to the descheduler. */
const nothingChanged: ChangedObjects = {
  mutating: [],
  validating: [],
  policies: [],
  bindings: [],
  mutatingPolicies: [],
  mutatingBindings: [],
  formerMutating: [],
  formerValidating: [],
}

function granted(rules: readonly PurposefulRule[], purposes: readonly Purpose[]): Rule[] {
  return rules.filter(({ purpose }) => purposes.includes(purpose)).map(({ purpose: _purpose, ...rule }) => rule)
}
