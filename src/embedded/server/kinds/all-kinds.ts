import type { ResourceDefinition } from '../definition.ts'
import { autoscalers, jobs, namespaces, nodes, plainKinds, services } from './cluster-kinds.ts'
import { disruptionBudgets } from './disruption-budgets.ts'
import { customResourceDefinitionResource } from './custom-resource-definition.ts'
import { pods } from './pods.ts'
import { reviewKinds } from './review-kinds.ts'
import { daemonSets, deployments, replicaSets, statefulSets } from './workloads.ts'

/** Every kind that the embedded cluster has from the start. */
export const allKinds: readonly ResourceDefinition[] = [
  namespaces,
  nodes,
  pods,
  services,
  deployments,
  replicaSets,
  statefulSets,
  daemonSets,
  jobs,
  disruptionBudgets,
  autoscalers,
  ...plainKinds,
  ...reviewKinds,
  customResourceDefinitionResource,
]
