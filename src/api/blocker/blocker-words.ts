import type { BlockerKind, BlockerOf } from './blocker.ts'
import { evacuationName } from '../evacuation/evacuation-name.ts'
import { labels } from '../names.ts'
import type { PodRef } from '../evacuation/pod-reference.ts'
import { shellCommand } from '../shell-command.ts'
import { allowUnreadyCommand, unreadyRemedy } from './unready-pod.ts'

// What is said of each kind of blocker, and what helps.

export interface Words<Kind extends BlockerKind> {
  /** The reason of a condition or an event. */
  readonly reason: string
  /** Continues the sentence after the name of the pod. */
  says(blocker: BlockerOf<Kind>): string
  /** What the user can do about it. */
  remedy(blocker: BlockerOf<Kind>): string
  /** To copy: they look closer, or are the remedy; none of them harms what is healthy. */
  commands(blocker: BlockerOf<Kind>): readonly (string | undefined)[]
}

export const words: { readonly [Kind in BlockerKind]: Words<Kind> } = {
  budget: {
    reason: 'DisruptionBudget',
    says: ({ budget, healthy, needed, unhealthyPodEvictionPolicy: policy }) =>
      `${policy === undefined ? '' : 'is not ready and '}waits for budget ${budget} (${healthy} healthy, ${needed} needed)`,
    remedy: ({ budget, needed, unhealthyPodEvictionPolicy: policy }) =>
      policy === undefined
        ? `one more healthy pod under budget ${budget}, or a budget that asks for fewer`
        : unreadyRemedy(budget, needed),
    commands: ({ pod, budget, unhealthyPodEvictionPolicy: policy }) => [
      ...budgetCommands(pod, [budget]),
      ...(policy === undefined ? [] : [allowUnreadyCommand(pod.namespace, budget)]),
    ],
  },
  budgetUnclear: {
    reason: 'DisruptionBudget',
    says: ({ budget, message }) =>
      `waits for ${budget === undefined ? 'its budget' : `budget ${budget}`} (${cut(message)})`,
    remedy: ({ budget }) => `look at the status of ${budget === undefined ? 'its budget' : `budget ${budget}`}`,
    commands: ({ pod, budget }) => budgetCommands(pod, budget === undefined ? [] : [budget]),
  },
  manyBudgets: {
    reason: 'SeveralDisruptionBudgets',
    says: ({ budgets = [] }) => {
      const named = budgets.map(({ name, healthy, needed }) => `${name}: ${healthy} healthy, ${needed} needed`)
      return `is covered by more than one budget${named.length > 0 ? ` (${named.join('; ')})` : ''}`
    },
    remedy: () => 'let only one budget select the pod: Kubernetes evicts no pod that two budgets cover',
    commands: ({ pod, budgets = [] }) => [
      shellCommand`kubectl -n ${pod.namespace} get pod ${pod.name} --show-labels`,
      ...budgetCommands(
        pod,
        budgets.map(({ name }) => name),
      ),
    ],
  },
  admission: {
    reason: 'EvictionDenied',
    says: ({ message }) => `may not be evicted (${cut(message)})`,
    remedy: () => 'change the webhook or policy that denies it, or what it asks for',
    commands: () => ['kubectl get validatingwebhookconfigurations,validatingadmissionpolicies'],
  },
  throttled: {
    reason: 'Throttled',
    says: () => 'waits for the API server, which has too much to do',
    remedy: () => 'nothing, it is tried again',
    commands: () => [],
  },
  evictionFailed: {
    reason: 'EvictionFailed',
    says: ({ webhook, message }) =>
      webhook === undefined
        ? `cannot be evicted, the API server fails (${cut(message)})`
        : `cannot be evicted while admission webhook ${webhook} does not answer (${cut(message)})`,
    remedy: ({ webhook }) =>
      webhook === undefined
        ? 'see what ails the API server; it is tried again, after 15 minutes at most'
        : `bring the service behind webhook ${webhook} back, or take its configuration away if it is a leftover; it is tried again, after 15 minutes at most`,
    commands: ({ webhook }) => [
      webhook === undefined
        ? "kubectl get --raw '/readyz?verbose'"
        : 'kubectl get validatingwebhookconfigurations,mutatingwebhookconfigurations -o yaml',
    ],
  },
  evictionForbidden: {
    reason: 'EvictionForbidden',
    says: ({ message }) => `cannot be evicted, a right is missing (${cut(message)})`,
    remedy: () =>
      'let the account in that message create pods/eviction; Lifeboat gets its own rights back from its installation: lifeboat install, or helm upgrade',
    commands: ({ pod }) => [
      'kubectl get clusterrolebindings -o wide',
      shellCommand`kubectl -n ${pod.namespace} get rolebindings -o wide`,
    ],
  },
  replacementUnschedulable: {
    reason: 'ReplacementUnschedulable',
    says: ({ replacement, message }) =>
      `waits for its replacement ${replacement}, which does not fit (${cut(message)})`,
    remedy: () => 'room for one more pod on the other nodes',
    commands: ({ pod, replacement }) => [
      shellCommand`kubectl -n ${pod.namespace} describe pod ${replacement}`,
      'kubectl get nodes',
    ],
  },
  replacementNotReady: {
    reason: 'ReplacementNotReady',
    says: ({ replacement, message }) =>
      `waits for its replacement ${replacement}, which is not ready (${cut(message)})`,
    remedy: ({ replacement }) => `make ${replacement} ready: its image, its probes, what it depends on`,
    commands: ({ pod, replacement }) => [
      shellCommand`kubectl -n ${pod.namespace} describe pod ${replacement}`,
      shellCommand`kubectl -n ${pod.namespace} logs ${replacement} --all-containers`,
    ],
  },
  replacementRefused: {
    reason: 'ReplacementRefused',
    says: ({ owner, message }) => `waits for ${owner}, which cannot create a replacement (${cut(message)})`,
    remedy: () => 'a quota or policy that admits one more pod',
    commands: ({ pod }) => [
      shellCommand`kubectl -n ${pod.namespace} get resourcequotas`,
      shellCommand`kubectl -n ${pod.namespace} get events --field-selector reason=FailedCreate`,
    ],
  },
  turn: {
    reason: 'WaitingForTurn',
    says: ({ owner, limit, allowed }) => `waits for its turn (${owner} allows ${allowed} at once, ${limit})`,
    remedy: ({ limit }) => `nothing, or a higher ${limit}`,
    commands: ({ pod }) => [shellCommand`kubectl -n ${pod.namespace} get evacuations`],
  },
  controllerTakeover: {
    reason: 'ControllerTakeOver',
    says: ({ owner = 'its controller', waitedMs, timeoutMs }) =>
      `waits for ${owner} to take it away, ${ofDuration(waitedMs, timeoutMs)}`,
    remedy: ({ node }) =>
      node === undefined
        ? 'nothing, it is evicted when the time is up'
        : `nothing: Kubernetes deletes it when the time is up, because node ${node} is not ready; if the node is ready again before that, the pod stays`,
    commands: ({ node }) => (node === undefined ? [] : [shellCommand`kubectl describe node ${node}`]),
  },
  silentEvacuator: {
    reason: 'EvacuatorSilent',
    says: ({ evacuatorClass, silentMs, deadlineMs }) =>
      `waits for evacuator ${evacuatorClass}, silent for ${ofDuration(silentMs, deadlineMs)}`,
    remedy: ({ evacuatorClass }) => `see whether ${evacuatorClass} is running; the next one follows at the deadline`,
    commands: ({ pod }) => [shellCommand`kubectl -n ${pod.namespace} describe evacuation ${evacuationName(pod)}`],
  },
  finalizers: {
    reason: 'FinalizersLeft',
    says: ({ finalizers }) => `is deleted and held by ${finalizers.toSorted().join(', ')}`,
    remedy: () => 'see whether the owner of the finalizer is running',
    commands: ({ pod }) => [shellCommand`kubectl -n ${pod.namespace} get pod ${pod.name} -o yaml`],
  },
  terminating: {
    reason: 'Terminating',
    says: ({ elapsedMs, graceMs }) => `has been terminating for ${ofDuration(elapsedMs, graceMs)} grace`,
    remedy: ({ elapsedMs, graceMs }) =>
      elapsedMs > graceMs ? 'see whether its node and kubelet are running' : 'nothing, its grace period is not over',
    commands: ({ pod, elapsedMs, graceMs }) =>
      elapsedMs > graceMs
        ? [shellCommand`kubectl -n ${pod.namespace} describe pod ${pod.name}`, 'kubectl get nodes']
        : [],
  },
  silentNode: {
    reason: 'NodeSilent',
    says: ({ node, nodeReady, since }) =>
      nodeReady === 'Unknown'
        ? `waits for its node ${node}, which has been silent since ${since}`
        : `waits for its node ${node}, which has reported since ${since} that it is not ready`,
    remedy: ({ node, nodeReady }) =>
      `nothing if ${node} ${nodeReady === 'Unknown' ? 'comes back' : 'gets ready again'}, the pod then ends; if its machine is off, and only then: ${outOfServiceCommand(node)}`,
    commands: ({ node }) => [shellCommand`kubectl describe node ${node}`],
  },
  notUnderMaintenance: {
    reason: 'NotUnderMaintenance',
    says: ({ node, podType }) => `is a ${typeWord(podType)} pod, and its node ${node} is not under maintenance`,
    remedy: ({ node, podType }) =>
      `a NodeMaintenance that drains ${node}: ${typeWord(podType)} pods leave their node only then`,
    commands: ({ node }) => [shellCommand`lifeboat drain ${node}`],
  },
  beyondDrainTargets: {
    reason: 'BeyondDrainTargets',
    says: ({ node, podPriority, podType }) =>
      `is a ${typeWord(podType)} pod of priority ${podPriority}, beyond what is drained from ${node} at the moment`,
    remedy: ({ node }) => `nothing, if the drain plan of the maintenance of ${node} covers it: its turn comes`,
    commands: ({ node }) => [shellCommand`lifeboat status ${node}`],
  },
  holdNotCalled: {
    reason: 'HoldNotCalled',
    says: ({ node, owner }) => `would be back on ${node} at once: a new pod of ${owner} is not held off it`,
    remedy: ({ pod }) =>
      `webhook configuration ${holdConfiguration} must exist and must not exclude namespace ${pod.namespace}, and the API server must reach Lifeboat; the drain then continues within a minute`,
    commands: ({ pod }) => holdCommands(pod),
  },
  cameBackUnheld: {
    reason: 'CameBackUnheld',
    says: ({ node, owner }) =>
      `came back to ${node} although new pods of ${owner} are to be held off it; it is deleted again after some minutes`,
    remedy: () =>
      `nothing, if Lifeboat was down when it came back; otherwise see whether webhook configuration ${holdConfiguration} excludes the DaemonSet controller or its pods`,
    commands: ({ pod }) => holdCommands(pod),
  },
  noAgent: {
    reason: 'NoAgent',
    says: ({ node }) => `is a static pod, and no agent is running on ${node}, which alone could take it away`,
    remedy: ({ node }) => `see what keeps the node agent on ${node} from running; parked manifests stay where they are`,
    commands: ({ node }) => [agentCommand(node), shellCommand`kubectl describe node ${node}`],
  },
  staticPodFromUrl: {
    reason: 'StaticPodFromUrl',
    says: ({ node }) => `is a static pod that the kubelet of ${node} has from a URL`,
    remedy: () =>
      'take it out of what that URL serves (staticPodURL of the kubelet), or complete the maintenance as it is',
    commands: ({ pod }) => [shellCommand`kubectl -n ${pod.namespace} get pod ${pod.name} -o yaml`],
  },
  manifestNotFound: {
    reason: 'ManifestNotFound',
    says: ({ node, folder }) => `is a static pod, and the agent on ${node} finds no manifest of it in ${folder}`,
    remedy: () => 'let agent.manifests of the chart be the staticPodPath of the kubelet on that node',
    commands: ({ node }) => [agentCommand(node)],
  },
  manifestPathIsFile: {
    reason: 'ManifestPathIsFile',
    says: ({ node, folder }) => `is a static pod, and ${folder} on ${node} is one file and not a folder`,
    remedy: () => 'let staticPodPath of the kubelet be a folder: nothing can be parked beside a single file',
    commands: ({ node }) => [agentCommand(node)],
  },
  agentFailed: {
    reason: 'AgentFailed',
    says: ({ node, message }) => `is a static pod, and the agent on ${node} cannot park its manifest (${cut(message)})`,
    remedy: () => 'see what the agent says; it tries again every 20 seconds',
    commands: ({ node }) => [agentCommand(node)],
  },
  lastControlPlane: {
    reason: 'LastControlPlane',
    says: ({ node, component, healthy, needed }) =>
      `must stay on ${node}: without it there would be ${healthy} healthy of ${component}, and ${needed} are needed`,
    remedy: ({ component }) => `one more healthy ${component} on another node, or complete the maintenance as it is`,
    commands: ({ pod, component }) => [
      shellCommand`kubectl -n ${pod.namespace} get pods -l ${`component=${component}`} -o wide`,
    ],
  },
  notEvictable: {
    reason: 'NotEvictable',
    says: ({ podType }) => `is a ${podType} pod, which cannot be evicted`,
    remedy: ({ podType }) =>
      podType === 'Static' ? 'take its manifest off the node' : 'an evacuator for its DaemonSet, or delete it by hand',
    commands: ({ pod }) => [shellCommand`kubectl -n ${pod.namespace} describe pod ${pod.name}`],
  },
}

/** The evacuator of DaemonSet pods was the first to say so. */
function typeWord(podType: 'DaemonSet' | 'Static' = 'DaemonSet'): string {
  return podType === 'Static' ? 'static' : podType
}

function agentCommand(node: string): string | undefined {
  return shellCommand`kubectl get pods --all-namespaces -l ${`${labels.nodeAgent}=true`} --field-selector ${`spec.nodeName=${node}`}`
}

/** Not among the commands to copy: on a machine that runs it would start pods a second time. */
function outOfServiceCommand(node: string): string {
  return shellCommand`kubectl taint nodes ${node} node.kubernetes.io/out-of-service=nodeshutdown:NoExecute` ?? ''
}

const holdConfiguration = 'lifeboat-admission-daemon-set-pods'

/** They work too where the configuration is gone. */
function holdCommands({ namespace }: PodRef): (string | undefined)[] {
  return [
    'kubectl get mutatingwebhookconfigurations -o yaml',
    shellCommand`kubectl get namespace ${namespace} --show-labels`,
  ]
}

function budgetCommands({ namespace }: PodRef, budgets: readonly string[]): (string | undefined)[] {
  return budgets.length === 0
    ? [shellCommand`kubectl -n ${namespace} get poddisruptionbudgets`]
    : [shellCommand`kubectl -n ${namespace} describe poddisruptionbudget ${budgets}`]
}

const quoteLengthMax = 200

function cut(message: string): string {
  const line = message.replaceAll(/\s+/g, ' ').trim()
  return line.length > quoteLengthMax ? `${line.slice(0, quoteLengthMax)}…` : line
}

/** `12 of 30 min`; in the unit of the longer, so that a message changes no more often than it has to. */
function ofDuration(passedMs: number, wholeMs: number): string {
  const unit = wholeMs >= 120_000 ? { ms: 60_000, name: 'min' } : { ms: 1_000, name: 's' }
  return `${Math.floor(passedMs / unit.ms)} of ${Math.floor(wholeMs / unit.ms)} ${unit.name}`
}
