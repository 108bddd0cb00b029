import { evacuationName } from './evacuation-name.ts'
import { labels } from './names.ts'
import { podKey, type PodRef } from './pod-reference.ts'
import { shellCommand } from './shell-command.ts'

/** Why a pod is still there. Stays typed until it is shown; nothing reads the words back. */
export type Blocker = { readonly pod: PodRef } & (
  | { readonly kind: 'budget'; readonly budget: string; readonly healthy: number; readonly needed: number }
  /** A budget refuses and gives no numbers. */
  | { readonly kind: 'budgetUnclear'; readonly budget: string | undefined; readonly message: string }
  /** The eviction API refuses a pod that more than one budget covers. */
  | {
      readonly kind: 'manyBudgets'
      readonly budgets?: readonly { readonly name: string; readonly healthy: number; readonly needed: number }[]
    }
  | { readonly kind: 'admission'; readonly message: string }
  | { readonly kind: 'throttled' }
  /** In the words of the scheduler. */
  | { readonly kind: 'replacementUnschedulable'; readonly replacement: string; readonly message: string }
  /** Its image, its probe, whatever its containers say. */
  | { readonly kind: 'replacementNotReady'; readonly replacement: string; readonly message: string }
  /** No replacement was created: a quota, an admission webhook. */
  | { readonly kind: 'replacementRefused'; readonly owner: string; readonly message: string }
  /** As many pods of the workload are on their way as may be. */
  | { readonly kind: 'turn'; readonly owner: string; readonly limit: string; readonly allowed: number }
  /** Its controller was asked to take it away and has time left to. */
  | { readonly kind: 'controllerTakeover'; readonly waitedMs: number; readonly timeoutMs: number }
  | {
      readonly kind: 'silentEvacuator'
      readonly evacuatorClass: string
      readonly silentMs: number
      readonly deadlineMs: number
    }
  | { readonly kind: 'finalizers'; readonly finalizers: readonly string[] }
  | { readonly kind: 'terminating'; readonly elapsedMs: number; readonly graceMs: number }
  /** A DaemonSet or static pod leaves its node only for a maintenance of it. */
  | { readonly kind: 'notUnderMaintenance'; readonly node: string; readonly podType?: 'DaemonSet' | 'Static' }
  /** The maintenance has not come to pods like this one, or its plan leaves them where they are. */
  | {
      readonly kind: 'beyondDrainTargets'
      readonly node: string
      readonly podPriority: number
      readonly podType?: 'DaemonSet' | 'Static'
    }
  /** A dry run showed that the webhook would not hold the next pod of the DaemonSet: it would come back at once. */
  | { readonly kind: 'holdNotCalled'; readonly node: string; readonly owner: string }
  /** It came back although the webhook should have held it, and stays for some minutes before that is tried again. */
  | { readonly kind: 'cameBackUnheld'; readonly node: string; readonly owner: string }
  /** Only an agent on its node can take a static pod away, and there is none that runs. */
  | { readonly kind: 'noAgent'; readonly node: string }
  /** The kubelet has the static pod from a URL: there is no file to park. */
  | { readonly kind: 'staticPodFromUrl'; readonly node: string }
  /** Where the agent looks there is no manifest of the static pod. */
  | { readonly kind: 'manifestNotFound'; readonly node: string; readonly folder: string }
  /** The kubelet is given one file and not a folder: nothing can be parked beside it. */
  | { readonly kind: 'manifestPathIsFile'; readonly node: string; readonly folder: string }
  /** The agent tried, and failed. */
  | { readonly kind: 'agentFailed'; readonly node: string; readonly message: string }
  /** Without it nobody could bring it back: the last API server, or an etcd member that the others need. */
  | {
      readonly kind: 'lastControlPlane'
      readonly node: string
      readonly component: string
      readonly healthy: number
      readonly needed: number
    }
  /** DaemonSet and static pods cannot be evicted, and nobody took this one away. */
  | { readonly kind: 'notEvictable'; readonly podType: 'DaemonSet' | 'Static' }
)

export type BlockerKind = Blocker['kind']
type BlockerOf<Kind extends BlockerKind> = Extract<Blocker, { kind: Kind }>

interface Words<Kind extends BlockerKind> {
  /** The reason of a condition or an event. */
  readonly reason: string
  /** Goes on after the name of the pod. */
  says(blocker: BlockerOf<Kind>): string
  /** What somebody can do about it. */
  remedy(blocker: BlockerOf<Kind>): string
  /** To copy: they look closer, or lead to the remedy; none of them harms anything. */
  commands(blocker: BlockerOf<Kind>): readonly (string | undefined)[]
}

const words: { readonly [Kind in BlockerKind]: Words<Kind> } = {
  budget: {
    reason: 'DisruptionBudget',
    says: ({ budget, healthy, needed }) => `waits for budget ${budget} (${healthy} healthy, ${needed} needed)`,
    remedy: ({ budget }) => `one more healthy pod under budget ${budget}, or a budget that asks for fewer`,
    commands: ({ pod, budget }) => budgetCommands(pod, [budget]),
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
    says: ({ waitedMs, timeoutMs }) => `waits for its controller, ${ofDuration(waitedMs, timeoutMs)}`,
    remedy: () => 'nothing, it is evicted when the time is up',
    commands: () => [],
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
    remedy: () => 'take it out of what that URL serves (staticPodURL of the kubelet), or a drain plan without it',
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
    remedy: ({ component }) =>
      `one more healthy ${component} on another node, or a drain plan that leaves static pods alone`,
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

export const blockerKinds = Object.keys(words) as [BlockerKind, ...BlockerKind[]]

export function blockerReason({ kind }: { readonly kind: BlockerKind }): string {
  return words[kind].reason
}

export function renderBlocker(blocker: Blocker): string {
  return `${blocker.pod.namespace}/${blocker.pod.name} ${wordsFor(blocker).says(blocker)}`
}

/** The same without the name of the pod. */
export function renderWaiting(blocker: Blocker): string {
  return wordsFor(blocker).says(blocker)
}

export function renderRemedy(blocker: Blocker): string {
  return wordsFor(blocker).remedy(blocker)
}

export function blockerCommands(blocker: Blocker): string[] {
  return wordsFor(blocker)
    .commands(blocker)
    .filter((command) => command !== undefined)
}

/** The first few, sorted so that the same blockers always read the same, and how many more there are. */
export function renderBlockers(blockers: readonly Blocker[], options: { readonly podsMax: number }): string {
  const sorted = blockers.toSorted(byPodThenKind)
  const shown = sorted.slice(0, options.podsMax).map(renderBlocker)
  const more = sorted.length - shown.length
  return [...shown, ...(more > 0 ? [`${more} more`] : [])].join(', ')
}

export function byPodThenKind(a: Blocker, b: Blocker): number {
  const left = `${podKey(a.pod)} ${a.kind}`
  const right = `${podKey(b.pod)} ${b.kind}`
  if (left === right) return 0
  return left < right ? -1 : 1
}

/** The table has one entry a kind, each for that kind: the compiler checks it where the table is, not where it is read. */
function wordsFor(blocker: Blocker): Words<BlockerKind> {
  return words[blocker.kind] as unknown as Words<BlockerKind>
}

/** The evacuator of DaemonSet pods was the first to say so. */
function typeWord(podType: 'DaemonSet' | 'Static' = 'DaemonSet'): string {
  return podType === 'Static' ? 'static' : podType
}

function agentCommand(node: string): string | undefined {
  return shellCommand`kubectl get pods --all-namespaces -l ${`${labels.nodeAgent}=true`} --field-selector ${`spec.nodeName=${node}`}`
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
