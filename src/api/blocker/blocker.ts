import { words, type Words } from './blocker-words.ts'
import type { NodeSilence } from '../maintenance/node-silence.ts'
import { podKey, type PodRef } from '../evacuation/pod-reference.ts'
import type { UnreadyPod } from './unready-pod.ts'

/** Why a pod is still there. Stays typed until it is shown; nothing reads the words back. */
export type Blocker = { readonly pod: PodRef } & (
  | ({
      readonly kind: 'budget'
      readonly budget: string
      readonly healthy: number
      readonly needed: number
    } & UnreadyPod)
  /** A budget refuses and gives no numbers. */
  | { readonly kind: 'budgetUnclear'; readonly budget: string | undefined; readonly message: string }
  /** The eviction API refuses a pod that more than one budget covers. */
  | {
      readonly kind: 'manyBudgets'
      readonly budgets?: readonly { readonly name: string; readonly healthy: number; readonly needed: number }[]
    }
  | { readonly kind: 'admission'; readonly message: string }
  | { readonly kind: 'throttled' }
  /** In the words of the API server; of a webhook that does not answer it gives the name. */
  | { readonly kind: 'evictionFailed'; readonly webhook?: string; readonly message: string }
  /** Who asked for the eviction has no right to it. */
  | { readonly kind: 'evictionForbidden'; readonly message: string }
  /** In the words of the scheduler. */
  | { readonly kind: 'replacementUnschedulable'; readonly replacement: string; readonly message: string }
  /** Its image, its probe, whatever its containers say. */
  | { readonly kind: 'replacementNotReady'; readonly replacement: string; readonly message: string }
  /** No replacement was created: a quota, an admission webhook. */
  | { readonly kind: 'replacementRefused'; readonly owner: string; readonly message: string }
  /** As many pods of the workload are on their way as may be. */
  | { readonly kind: 'turn'; readonly owner: string; readonly limit: string; readonly allowed: number }
  /** Its controller was asked to take it away and has time left to. */
  | {
      readonly kind: 'controllerTakeover'
      /** The controller. */
      readonly owner?: string
      /** Where the pod is wanted gone because this node does not report: then it is Kubernetes that does not wait longer. */
      readonly node?: string
      readonly waitedMs: number
      readonly timeoutMs: number
    }
  | {
      readonly kind: 'silentEvacuator'
      readonly evacuatorClass: string
      readonly silentMs: number
      readonly deadlineMs: number
    }
  | { readonly kind: 'finalizers'; readonly finalizers: readonly string[] }
  | { readonly kind: 'terminating'; readonly elapsedMs: number; readonly graceMs: number }
  /** Nothing ends on its node, or is taken off it, until that reports again. */
  | ({ readonly kind: 'silentNode' } & NodeSilence)
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
  /** Once down, it could not be brought back: the last API server, or an etcd member that the others need. */
  | {
      readonly kind: 'lastControlPlane'
      readonly node: string
      readonly component: string
      readonly healthy: number
      readonly needed: number
    }
  /** DaemonSet and static pods cannot be evicted, and no evacuator took this one away. */
  | { readonly kind: 'notEvictable'; readonly podType: 'DaemonSet' | 'Static' }
)

export type BlockerKind = Blocker['kind']
export type BlockerOf<Kind extends BlockerKind> = Extract<Blocker, { kind: Kind }>

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
