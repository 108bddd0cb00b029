import { expect, test } from 'vitest'
import { storedMeta } from '../../../../../test/build/stored.ts'
import { resourceId } from '../../definition.ts'
import { columnsOf } from '../../../kubectl/surface/table.ts'
import { allKinds } from '../all-kinds.ts'
import { builtInColumns } from './built-in-columns.ts'

// The headers of the real API server, version 1.37; wide ones in parentheses. Read from its tables.
const real: Readonly<Record<string, string>> = {
  pods: 'Name Ready Status Restarts Age (IP) (Node) (Nominated Node) (Readiness Gates)',
  nodes: 'Name Status Roles Age Version (Internal-IP) (External-IP) (OS-Image) (Kernel-Version) (Container-Runtime)',
  namespaces: 'Name Status Age',
  services: 'Name Type Cluster-IP External-IP Port(s) Age (Selector)',
  endpoints: 'Name Endpoints Age',
  events: 'Last Seen Type Reason Object (Subobject) (Source) Message (First Seen) (Count) (Name)',
  configmaps: 'Name Data Age',
  secrets: 'Name Type Data Age',
  serviceaccounts: 'Name Age',
  persistentvolumeclaims:
    'Name Status Volume Capacity Access Modes StorageClass VolumeAttributesClass Age (VolumeMode)',
  resourcequotas: 'Name Request Limit Age',
  'deployments.apps': 'Name Ready Up-to-date Available Age (Containers) (Images) (Selector)',
  'replicasets.apps': 'Name Desired Current Ready Age (Containers) (Images) (Selector)',
  'statefulsets.apps': 'Name Ready Age (Containers) (Images)',
  'daemonsets.apps':
    'Name Desired Current Ready Up-to-date Available Node Selector Age (Containers) (Images) (Selector)',
  'controllerrevisions.apps': 'Name Controller Revision Age',
  'jobs.batch': 'Name Status Completions Duration Age (Containers) (Images) (Selector)',
  'poddisruptionbudgets.policy': 'Name Min Available Max Unavailable Allowed Disruptions Age',
  'horizontalpodautoscalers.autoscaling': 'Name Reference Targets MinPods MaxPods Replicas Age',
  'priorityclasses.scheduling.k8s.io': 'Name Value Global-Default Age PreemptionPolicy',
  'leases.coordination.k8s.io': 'Name Holder Age',
  'endpointslices.discovery.k8s.io': 'Name AddressType Ports Endpoints Age',
  'roles.rbac.authorization.k8s.io': 'Name Created At',
  'clusterroles.rbac.authorization.k8s.io': 'Name Created At',
  'rolebindings.rbac.authorization.k8s.io': 'Name Role Age (Users) (Groups) (ServiceAccounts)',
  'clusterrolebindings.rbac.authorization.k8s.io': 'Name Role Age (Users) (Groups) (ServiceAccounts)',
  'mutatingwebhookconfigurations.admissionregistration.k8s.io': 'Name Webhooks Age',
  'validatingwebhookconfigurations.admissionregistration.k8s.io': 'Name Webhooks Age',
  'validatingadmissionpolicies.admissionregistration.k8s.io': 'Name Validations ParamKind Age',
  'validatingadmissionpolicybindings.admissionregistration.k8s.io': 'Name PolicyName ParamRef Age',
  'mutatingadmissionpolicies.admissionregistration.k8s.io': 'Name Mutations ParamKind Age',
  'mutatingadmissionpolicybindings.admissionregistration.k8s.io': 'Name PolicyName ParamRef Age',
}

test.each(Object.entries(real))('%s has the columns of the real one', (id, headers) => {
  const definition = allKinds.find((one) => resourceId(one) === id)
  const shown = definition === undefined ? [] : columnsOf(definition)
  expect(shown.map(({ name, priority }) => (priority > 0 ? `(${name})` : name)).join(' ')).toBe(headers)
})

test('columns are of kinds that there are, and all are compared with the real ones', () => {
  const ids = new Set(allKinds.map(resourceId))
  expect(Object.keys(builtInColumns).filter((id) => !ids.has(id))).toEqual([])
  expect(Object.keys(builtInColumns).toSorted()).toEqual(Object.keys(real).toSorted())
})

test('every cell of every kind can do without every field', () => {
  for (const columns of Object.values(builtInColumns)) {
    for (const { cell } of columns) expect(() => cell({ metadata: storedMeta() }, 0)).not.toThrow()
  }
})
