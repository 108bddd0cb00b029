import type { Manifest } from '../../api/kubernetes/meta.ts'
import { ownAccountPolicyName } from '../../admission/policies/own-account-policy.ts'
import { evacuationGroup, nodeMaintenanceGroup } from '../../api/names.ts'
import { memoryName } from '../../descheduler/memory-store.ts'
import { installation, managedLabels } from '../install/installation-names.ts'

export interface Rule {
  readonly apiGroups: readonly string[]
  readonly resources: readonly string[]
  readonly resourceNames?: readonly string[]
  readonly verbs: readonly string[]
}

export interface Role extends Manifest {
  readonly rules: readonly Rule[]
}

export interface Binding extends Manifest {
  readonly roleRef: { readonly apiGroup: string; readonly kind: string; readonly name: string }
  readonly subjects: readonly { readonly kind: string; readonly namespace: string; readonly name: string }[]
}

/** The objects of Lifeboat's that it changes itself: the webhooks, and what a gate switches off. */
export interface ChangedObjects {
  readonly mutating: readonly string[]
  readonly validating: readonly string[]
  readonly policies: readonly string[]
  /** Never changed, only removed. */
  readonly bindings: readonly string[]
  readonly mutatingPolicies: readonly string[]
  /** Never changed, only removed. */
  readonly mutatingBindings: readonly string[]
  /** Of a former release: removed, and never changed. */
  readonly formerMutating: readonly string[]
  readonly formerValidating: readonly string[]
}

/** What Lifeboat may do everywhere, verb by verb, each for a reason. */
export function clusterRules(changed: ChangedObjects): Rule[] {
  const registration = ['admissionregistration.k8s.io']
  const changing = ['get', 'update']
  const named = (resources: string, resourceNames: readonly string[], verbs = changing): Rule[] =>
    resourceNames.length === 0 ? [] : [{ apiGroups: registration, resources: [resources], resourceNames, verbs }]
  return [
    {
      apiGroups: [evacuationGroup],
      resources: ['evacuations'],
      verbs: ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection'],
    },
    { apiGroups: [evacuationGroup], resources: ['evacuations/status'], verbs: ['update', 'patch'] },
    // Deleted are those of DaemonSets, which cannot be evicted, and those that an evict strategy lets go.
    // Created only as a dry run, which shows whether a new DaemonSet pod would be held: the policy lifeboat-own-account
    // refuses every other creation.
    { apiGroups: [''], resources: ['pods'], verbs: ['get', 'list', 'watch', 'create', 'patch', 'delete'] },
    // Cordoned, drained and given back. Its finalizer and the stage Complete are written to the object itself.
    // Created and deleted are those for machines that go down: the policy lifeboat-own-account refuses all others.
    {
      apiGroups: [nodeMaintenanceGroup],
      resources: ['nodemaintenances'],
      verbs: ['get', 'list', 'watch', 'create', 'patch', 'delete'],
    },
    { apiGroups: [nodeMaintenanceGroup], resources: ['nodemaintenances/status'], verbs: ['patch'] },
    // Made unschedulable for a maintenance, and annotated with how far that has come.
    { apiGroups: [''], resources: ['nodes'], verbs: ['get', 'list', 'watch', 'patch'] },
    // The condition GracefulNodeShutdownInProgress. The same policy refuses every other change of the status.
    { apiGroups: [''], resources: ['nodes/status'], verbs: ['patch'] },
    { apiGroups: [''], resources: ['pods/eviction'], verbs: ['create'] },
    { apiGroups: ['policy'], resources: ['poddisruptionbudgets'], verbs: ['get', 'list', 'watch'] },
    // Whose a pod is, and how its owner moves pods. What an owner wants is never written.
    { apiGroups: ['apps'], resources: ['deployments', 'replicasets', 'statefulsets'], verbs: ['get', 'list', 'watch'] },
    // Whether a pod is really of the DaemonSet that it names, before it is deleted; and what the next one looks like.
    { apiGroups: ['apps'], resources: ['daemonsets'], verbs: ['get'] },
    // minReplicas of those that opt in is raised for evacuations, and put back.
    { apiGroups: ['autoscaling'], resources: ['horizontalpodautoscalers'], verbs: ['get', 'list', 'watch', 'patch'] },
    // Whether the volumes of a pod can be on two nodes at once.
    { apiGroups: [''], resources: ['persistentvolumeclaims'], verbs: ['get', 'list', 'watch'] },
    { apiGroups: [''], resources: ['events'], verbs: ['create', 'patch'] },
    // May the one who asks delete that pod, or that node?
    { apiGroups: ['authorization.k8s.io'], resources: ['subjectaccessreviews'], verbs: ['create'] },
    ...named('mutatingwebhookconfigurations', changed.mutating),
    ...named('validatingwebhookconfigurations', changed.validating),
    ...named('validatingadmissionpolicies', changed.policies),
    ...named('mutatingadmissionpolicies', changed.mutatingPolicies),
    // Whether it is there. Never changed: it limits this very account.
    {
      apiGroups: registration,
      resources: ['validatingadmissionpolicies'],
      resourceNames: [ownAccountPolicyName],
      verbs: ['get'],
    },
    // Not changed: in an upgrade replicas of the former release have these rights too.
    ...named('mutatingwebhookconfigurations', changed.formerMutating, ['get', 'delete']),
    ...named('validatingwebhookconfigurations', changed.formerValidating, ['get', 'delete']),
  ]
}

/** What it may do in its own namespace. A right to create cannot be tied to a name; all others are. */
export function namespaceRules(certificateSecret: string): Rule[] {
  return [
    { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['create'] },
    {
      apiGroups: ['coordination.k8s.io'],
      resources: ['leases'],
      resourceNames: [installation.lease],
      verbs: ['get', 'update'],
    },
    // The mailboxes of node agents: one for each node, so that their names cannot be listed here.
    { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['get', 'list', 'watch', 'patch'] },
    { apiGroups: [''], resources: ['secrets'], verbs: ['create'] },
    { apiGroups: [''], resources: ['secrets'], resourceNames: [certificateSecret], verbs: ['get', 'update'] },
  ]
}

/** What letting go of everything takes, cluster-wide: for the Job by which a release of the chart leaves. */
export function releaseRules(changed: ChangedObjects): Rule[] {
  const registration = ['admissionregistration.k8s.io']
  const removed = (resources: string, resourceNames: readonly string[]): Rule => ({
    apiGroups: registration,
    resources: [resources],
    resourceNames,
    verbs: ['get', 'delete'],
  })
  const letGo = ['list', 'get', 'patch', 'delete']
  return [
    { apiGroups: [evacuationGroup], resources: ['evacuations'], verbs: letGo },
    { apiGroups: [nodeMaintenanceGroup], resources: ['nodemaintenances'], verbs: letGo },
    // Released pods go back to their ReplicaSets, and held ones of DaemonSets to their nodes. No pod is deleted, but only
    // who may delete a pod may end its Evacuation.
    { apiGroups: [''], resources: ['pods'], verbs: ['list', 'get', 'patch', 'delete'] },
    { apiGroups: ['apps'], resources: ['replicasets'], verbs: ['get'] },
    { apiGroups: [''], resources: ['nodes'], verbs: ['list', 'get', 'patch'] },
    // The condition GracefulNodeShutdownInProgress is ended where it is Lifeboat's.
    { apiGroups: [''], resources: ['nodes/status'], verbs: ['patch'] },
    { apiGroups: ['autoscaling'], resources: ['horizontalpodautoscalers'], verbs: ['list', 'get', 'patch'] },
    // Whose the kinds are: only objects of ours are let go.
    {
      apiGroups: ['apiextensions.k8s.io'],
      resources: ['customresourcedefinitions'],
      resourceNames: [`evacuations.${evacuationGroup}`, `nodemaintenances.${nodeMaintenanceGroup}`],
      verbs: ['get'],
    },
    removed('mutatingwebhookconfigurations', [...changed.mutating, ...changed.formerMutating]),
    removed('validatingwebhookconfigurations', [...changed.validating, ...changed.formerValidating]),
    removed('validatingadmissionpolicies', changed.policies),
    removed('validatingadmissionpolicybindings', changed.bindings),
    removed('mutatingadmissionpolicies', changed.mutatingPolicies),
    removed('mutatingadmissionpolicybindings', changed.mutatingBindings),
  ]
}

/** And in its own namespace: ending the replicas and the descheduler, and removing what they made. */
export function releaseNamespaceRules(certificateSecret: string): Rule[] {
  const { deployment, descheduler, lease } = installation
  const named = (
    group: string,
    resources: string,
    resourceNames: readonly string[],
    verbs: readonly string[],
  ): Rule => ({
    apiGroups: [group],
    resources: [resources],
    resourceNames,
    verbs,
  })
  return [
    named('apps', 'deployments', [deployment, descheduler], ['get', 'patch']),
    named('batch', 'cronjobs', [descheduler], ['get', 'patch']),
    // Those of that CronJob. Their names are not known before.
    { apiGroups: ['batch'], resources: ['jobs'], verbs: ['list', 'delete'] },
    named('coordination.k8s.io', 'leases', [lease, descheduler], ['get', 'delete']),
    // The mailboxes of node agents: one for each node, so that their names cannot be listed here.
    { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['list', 'get', 'patch'] },
    named('', 'configmaps', [memoryName], ['get', 'delete']),
    named('', 'secrets', [certificateSecret], ['get', 'delete']),
  ]
}

/** What the rules grant that the others do not, resource by resource. */
export function beyond(rules: readonly Rule[], others: readonly Rule[]): Rule[] {
  return rules.flatMap((rule) =>
    rule.resources.flatMap((resource) => {
      const verbs = rule.verbs.filter((verb) => !others.some((other) => grants(other, { ...rule, resource, verb })))
      return verbs.length === 0 ? [] : [{ ...rule, resources: [resource], verbs }]
    }),
  )
}

interface Right extends Pick<Rule, 'apiGroups' | 'resourceNames'> {
  readonly resource: string
  readonly verb: string
}

function grants(rule: Rule, { apiGroups, resourceNames, resource, verb }: Right): boolean {
  const names = rule.resourceNames
  return (
    apiGroups.every((group) => rule.apiGroups.includes(group)) &&
    rule.resources.includes(resource) &&
    rule.verbs.includes(verb) &&
    (names === undefined || (resourceNames ?? ['']).every((name) => names.includes(name)))
  )
}

export interface AccessOptions {
  readonly namespace: string
  readonly certificateSecret: string
  readonly changed: ChangedObjects
}

/** Lifeboat's namespace, its account, and what that may do. */
export function buildAccess({ namespace, certificateSecret, changed }: AccessOptions): Manifest[] {
  const labels = managedLabels
  return [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace, labels } },
    ...buildAccount({
      name: installation.serviceAccount,
      role: installation.role,
      namespace,
      everywhere: clusterRules(changed),
      within: namespaceRules(certificateSecret),
    }),
  ]
}

/** The account that lets go of everything, and what it may do. */
export function buildReleaseAccess({ namespace, certificateSecret, changed }: AccessOptions): Manifest[] {
  return buildAccount({
    name: installation.uninstall,
    role: installation.uninstall,
    namespace,
    everywhere: releaseRules(changed),
    within: releaseNamespaceRules(certificateSecret),
  })
}

export interface Account {
  readonly name: string
  readonly role: string
  readonly namespace: string
  /** Left out: nothing outside of its namespace. */
  readonly everywhere?: readonly Rule[]
  readonly within: readonly Rule[]
}

const apiGroup = 'rbac.authorization.k8s.io'
const apiVersion = `${apiGroup}/v1`

/** The account, and the roles that are bound to it. */
export function buildAccount(account: Account): Manifest[] {
  const { name, namespace } = account
  return [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace, labels: managedLabels } },
    ...buildGrants(account),
  ]
}

/** The roles that are bound to an account. */
export function buildGrants({ name, role, namespace, everywhere, within }: Account): Manifest[] {
  const labels = managedLabels
  const inCluster = { name: role, labels }
  const inNamespace = { name: role, namespace, labels }
  const subjects = [{ kind: 'ServiceAccount', namespace, name }]
  const granting = (kind: 'ClusterRole' | 'Role', metadata: Manifest['metadata'], rules: readonly Rule[]) => {
    const granted: Role = { apiVersion, kind, metadata, rules }
    const bound: Binding = {
      apiVersion,
      kind: `${kind}Binding`,
      metadata,
      roleRef: { apiGroup, kind, name: role },
      subjects,
    }
    return [granted, bound]
  }
  return [
    ...(everywhere === undefined ? [] : granting('ClusterRole', inCluster, everywhere)),
    ...granting('Role', inNamespace, within),
  ]
}
