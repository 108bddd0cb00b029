// Every name that others see: groups, finalizers, annotations, evacuator classes. Renaming one breaks clusters in use.

export const evacuationGroup = 'evacuation.coordination.k8s.io'
export const nodeMaintenanceGroup = 'nodemaintenance.k8s.io'
export const apiVersionOfEvacuation = `${evacuationGroup}/v1alpha1`
export const apiVersionOfNodeMaintenance = `${nodeMaintenanceGroup}/v1alpha1`

export const finalizers = {
  /** Followed by the subdomain of who wants the pod gone. */
  instigatorPrefix: `${evacuationGroup}/instigator_`,
  maintenanceCompletion: `${nodeMaintenanceGroup}/maintenance-completion`,
  /** On the NodeMaintenance of a shutdown, until what the kubelet left behind is removed. */
  shutdownCleanUp: `${nodeMaintenanceGroup}/shutdown-clean-up`,
} as const

/** Subdomains under which Lifeboat asks for evacuations; each becomes an instigator finalizer. */
export const instigators = {
  nodeMaintenance: nodeMaintenanceGroup,
  /** Stands for the client that sent an eviction request that was turned into an Evacuation. */
  evictionInterception: `eviction.${evacuationGroup}`,
  /** The name that KEP-1397 gives it. */
  descheduler: 'descheduler.sigs.k8s.io',
  /** Stands for Kubernetes, which wants pods gone whose node does not report. */
  taintEviction: `taint-eviction.${evacuationGroup}`,
} as const

export const evacuatorClasses = {
  deployment: 'deployment.apps.k8s.io',
  statefulSet: 'statefulset.apps.k8s.io',
  daemonSet: 'daemonset.apps.k8s.io',
  horizontalPodAutoscaler: 'horizontalpodautoscaler.autoscaling.k8s.io',
  /** Of static pods: the name that KEP-4212 gives it. An agent on the node does what the kubelet would. */
  kubelet: 'kubelet.k8s.io',
} as const

export const annotations = {
  /** On a pod: followed by an evacuator class, or by the hash of one; the value is PRIORITY or PRIORITY/ROLE. */
  evacuatorPriorityPrefix: `${evacuationGroup}/priority_`,
  /** On a pod: followed by a hash; the value is the evacuator class that was hashed. */
  evacuatorHashPrefix: `${evacuationGroup}/hash_`,
  /** On a pod: the classes whose priority Lifeboat itself put there, with commas between; it takes off no other. */
  registeredEvacuators: `${evacuationGroup}/registered`,
  /** On a pod that its ReplicaSet has let go, so that a replacement starts first: JSON, see released-from.ts. */
  releasedFrom: `${evacuationGroup}/released-from`,
  /** On a pod: the lower, the sooner its ReplicaSet removes it when there are too many. */
  podDeletionCost: 'controller.kubernetes.io/pod-deletion-cost',
  /** On a pod that is to leave before others: its pod-deletion-cost before that, or nothing. */
  deletionCostBefore: `${evacuationGroup}/deletion-cost-before`,
  /** On a Deployment or StatefulSet: `MaxUnavailable` lets its evacuator take pods down within that limit. */
  evacuationStrategy: `${evacuationGroup}/strategy`,
  /** On a HorizontalPodAutoscaler: opts in, and is the priority of its evacuator. */
  autoscalerPriority: `${evacuationGroup}/priority`,
  /** On a HorizontalPodAutoscaler whose minReplicas is raised for evacuations: JSON, see surge.ts of its evacuator. */
  autoscalerSurge: `${evacuationGroup}/surge`,
  /** On a pod: Default or ControllerTakeOver. */
  evictPolicy: 'kubernetes.io/evict-policy',
  /** On a pod under ControllerTakeOver: how long its controller has, as a duration. */
  evictTimeout: 'kubernetes.io/evict-timeout',
  /** On a pod under ControllerTakeOver: by how many seconds it tolerates a dead node longer than it asked for. */
  addedTolerationSeconds: `${evacuationGroup}/added-toleration-seconds`,
  /** On a pod: "true" asks its controller to take it away. */
  podEvictWanted: 'kubernetes.io/pod-evict-wanted',
  /** On a ReplicaSet: JSON with maxUnavailable, the pace at which wanted pods are deleted. */
  evictStrategy: 'kubernetes.io/evict-strategy',
  /** On a pod whose eviction request became an Evacuation: the upstream descheduler looks for it. */
  evictionInProgress: 'descheduler.alpha.kubernetes.io/eviction-in-progress',
  /** On an Evacuation: the node that its pod is to leave. */
  evacuatedFrom: `${evacuationGroup}/node`,
  /** On an Evacuation: when a client last sent an eviction request for its pod. That intent lapses without new ones. */
  evictionRequestedAt: `${evacuationGroup}/eviction-requested-at`,
  /** On an Evacuation that the descheduler asked for: JSON, see requests.ts there. */
  deschedulerRequest: `${evacuationGroup}/descheduler-request`,
  /** On an Eviction: the class of the evacuator that sends it, which lets the active one pass the interception. */
  evictingEvacuator: `${evacuationGroup}/evacuator`,
  /** On a node under maintenance: JSON, see maintenance-status.ts. */
  maintenanceStatus: `${nodeMaintenanceGroup}/maintenance-status`,
  /** On a node that Lifeboat made unschedulable: only such a node is made schedulable in the end. */
  cordoned: `${nodeMaintenanceGroup}/cordoned`,
  /** On a node from which DaemonSet pods are held: JSON, see hold-begin.ts. */
  daemonSetHold: `${nodeMaintenanceGroup}/daemon-set-hold`,
  /** On a node that does not report: since when, as Kubernetes counts; JSON, see unhealthy-note.ts. */
  unhealthy: `${evacuationGroup}/unhealthy`,
  /** On the mailbox of a node: what Lifeboat wants of the agent there; JSON, see agent-mailbox.ts. */
  agentWanted: `${nodeMaintenanceGroup}/agent-wanted`,
  /** On the mailbox of a node: the id of the shutdown that nothing holds any more. */
  agentShutdown: `${nodeMaintenanceGroup}/agent-shutdown`,
  /** On the NodeMaintenance that Lifeboat made for a shutdown: JSON, see shutdown-maintenance.ts. */
  shutdown: `${nodeMaintenanceGroup}/shutdown`,
  /** On the mailbox of a node: what its agent says; JSON, see agent-mailbox.ts. */
  agentReport: `${nodeMaintenanceGroup}/agent-report`,
  /** The kubelet puts it on the mirror of a static pod. */
  mirrorPod: 'kubernetes.io/config.mirror',
  /** The kubelet puts it on the mirror of a static pod: `file`, or `http` for one that it has from a URL. */
  podSource: 'kubernetes.io/config.source',
  /** A CRD in a k8s.io group is refused without it. */
  apiApproved: 'api-approved.kubernetes.io',
} as const

export const labels = {
  /** On a node beside its annotation, which cannot be selected by. */
  underMaintenance: `${nodeMaintenanceGroup}/under-maintenance`,
  /** On a DaemonSet pod that is held off a node under maintenance: finds those that have the gate. */
  heldForMaintenance: `${nodeMaintenanceGroup}/held`,
  /** On a pod beside the annotation released-from, which cannot be selected by: finds the pods that are released. */
  released: `${evacuationGroup}/released`,
  /** On an Evacuation whose pod is gone, with the patch that takes its finalizers off: those are deleted together. */
  finished: `${evacuationGroup}/finished`,
  /** On a HorizontalPodAutoscaler beside the annotation of the same name, which cannot be selected by. */
  autoscalerSurge: `${evacuationGroup}/surge`,
  /** On a node beside the annotation of the same name, which cannot be selected by. */
  unhealthy: `${evacuationGroup}/unhealthy`,
  /** On the NodeMaintenances of one drain of several nodes, one for each node: the name of the drain. */
  drain: `${nodeMaintenanceGroup}/drain`,
  /** On the pods of the node agent and on its mailboxes. */
  nodeAgent: `${nodeMaintenanceGroup}/agent`,
} as const

export const nodeConditions = {
  /** KEP-5683: the machine is going down. From 1.38 on kubelets are to write it themselves. */
  shutdown: 'GracefulNodeShutdownInProgress',
} as const

export const schedulingGates = {
  /** On a DaemonSet pod for a node under maintenance: it is not scheduled before that is over. */
  maintenance: `${nodeMaintenanceGroup}/maintenance`,
} as const

/** The descheduler looks for the annotation alone. The value tells whose it is: that of others is not ours to take off. */
export const evictionInProgressValue = 'lifeboat'

/** All that Lifeboat puts into a cluster bears it. */
export const managedByLifeboat = { 'app.kubernetes.io/managed-by': 'lifeboat' } as const
