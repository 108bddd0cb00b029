import type { ColumnDefinition } from '../../definition.ts'
import { eventColumns } from './events.ts'
import { endpointsColumns, endpointSliceColumns, serviceColumns } from './network.ts'
import { nodeColumns } from './nodes.ts'
import {
  ageOnly,
  bindingColumns,
  claimColumns,
  configMapColumns,
  leaseColumns,
  namespaceColumns,
  mutatingPolicyColumns,
  policyBindingColumns,
  policyColumns,
  revisionColumns,
  roleColumns,
  secretColumns,
  webhookColumns,
} from './plain.ts'
import { podColumns } from './pods.ts'
import { autoscalerColumns, disruptionBudgetColumns, priorityClassColumns, quotaColumns } from './policies.ts'
import { daemonSetColumns, deploymentColumns, jobColumns, replicaSetColumns, statefulSetColumns } from './workloads.ts'

const rbac = 'rbac.authorization.k8s.io'
const admission = 'admissionregistration.k8s.io'

/** What `kubectl get` shows of the built-in kinds, by the store's name of each. */
export const builtInColumns: Readonly<Record<string, readonly ColumnDefinition[]>> = {
  configmaps: configMapColumns,
  endpoints: endpointsColumns,
  events: eventColumns,
  namespaces: namespaceColumns,
  nodes: nodeColumns,
  persistentvolumeclaims: claimColumns,
  pods: podColumns,
  resourcequotas: quotaColumns,
  secrets: secretColumns,
  serviceaccounts: ageOnly,
  services: serviceColumns,
  'controllerrevisions.apps': revisionColumns,
  'daemonsets.apps': daemonSetColumns,
  'deployments.apps': deploymentColumns,
  'replicasets.apps': replicaSetColumns,
  'statefulsets.apps': statefulSetColumns,
  'jobs.batch': jobColumns,
  'horizontalpodautoscalers.autoscaling': autoscalerColumns,
  'poddisruptionbudgets.policy': disruptionBudgetColumns,
  'leases.coordination.k8s.io': leaseColumns,
  'endpointslices.discovery.k8s.io': endpointSliceColumns,
  'priorityclasses.scheduling.k8s.io': priorityClassColumns,
  [`roles.${rbac}`]: roleColumns,
  [`clusterroles.${rbac}`]: roleColumns,
  [`rolebindings.${rbac}`]: bindingColumns,
  [`clusterrolebindings.${rbac}`]: bindingColumns,
  [`mutatingwebhookconfigurations.${admission}`]: webhookColumns,
  [`validatingwebhookconfigurations.${admission}`]: webhookColumns,
  [`validatingadmissionpolicies.${admission}`]: policyColumns,
  [`validatingadmissionpolicybindings.${admission}`]: policyBindingColumns,
  [`mutatingadmissionpolicies.${admission}`]: mutatingPolicyColumns,
  [`mutatingadmissionpolicybindings.${admission}`]: policyBindingColumns,
}
