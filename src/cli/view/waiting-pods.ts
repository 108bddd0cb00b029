import { blockerOf } from '../../api/blocker/blocked-by.ts'
import { renderBlocker, renderRemedy, type BlockerKind } from '../../api/blocker/blocker.ts'
import { nodeOfEvacuation } from '../../api/evacuation/evacuated-from.ts'
import { evacuationConditions, type Evacuation } from '../../api/evacuation/evacuation.ts'
import { foreignFinalizersOf } from '../../api/evacuation/instigator-finalizers.ts'
import { withoutBreaks } from '../../kube/auth/kubeconfig-error.ts'

/** A pod that waits, in words: one line each, without anything that a terminal would obey, whatever its source. */
export interface WaitingPod {
  readonly namespace: string
  readonly pod: string
  readonly node: string
  readonly reason: string
  readonly text: string
  /** Empty where none is known. */
  readonly remedy: string
  /** It will not continue on its own. */
  readonly needsSomebody: boolean
}

/** The user has to do nothing about these; they are over when others are done. */
const goesOnByItself: Readonly<Record<BlockerKind, boolean>> = {
  budget: false,
  budgetUnclear: false,
  manyBudgets: false,
  admission: false,
  throttled: true,
  evictionFailed: false,
  evictionForbidden: false,
  replacementUnschedulable: false,
  replacementNotReady: false,
  replacementRefused: false,
  turn: true,
  controllerTakeover: true,
  silentEvacuator: false,
  finalizers: false,
  terminating: true,
  silentNode: false,
  notUnderMaintenance: false,
  beyondDrainTargets: true,
  holdNotCalled: false,
  cameBackUnheld: false,
  noAgent: false,
  staticPodFromUrl: false,
  manifestNotFound: false,
  manifestPathIsFile: false,
  agentFailed: false,
  lastControlPlane: false,
  notEvictable: false,
}

/** Those that need manual action first. */
export function waitingPods(evacuations: readonly Evacuation[]): WaitingPod[] {
  return eachOnce(evacuations.flatMap(knownWaitingPod))
}

/** Two maintenances of one node wait for the same pod, and a pod that came back under its name may have two Evacuations. */
export function eachOnce(waiting: readonly WaitingPod[]): WaitingPod[] {
  const byPod = Map.groupBy(waiting.toSorted(byUrgency), ({ namespace, pod }) => `${namespace}/${pod}`)
  return [...byPod.values()].flatMap(([first]) => first ?? [])
}

/** A picture is drawn some times a second, and an Evacuation seldom changes. */
const known = new WeakMap<Evacuation, readonly WaitingPod[]>()

function knownWaitingPod(evacuation: Evacuation): readonly WaitingPod[] {
  const before = known.get(evacuation)
  if (before !== undefined) return before
  const now = waitingPod(evacuation)
  known.set(evacuation, now)
  return now
}

function waitingPod(evacuation: Evacuation): WaitingPod[] {
  const { namespace, deletionTimestamp } = evacuation.metadata
  if (deletionTimestamp !== undefined) return endingPod(evacuation)
  const condition = evacuation.status?.conditions?.find(({ type }) => type === evacuationConditions.blocked)
  if (condition?.status !== 'True') return []
  const pod = evacuation.spec.podRef.name
  const about = { namespace, pod, node: nodeOfEvacuation(evacuation) ?? '', reason: condition.reason }
  const blocker = blockerOf(evacuation)
  if (blocker === undefined) {
    return [
      { ...about, text: withoutBreaks(`${namespace}/${pod}: ${condition.message}`), remedy: '', needsSomebody: true },
    ]
  }
  const text = withoutBreaks(renderBlocker(blocker))
  return [
    { ...about, text, remedy: withoutBreaks(renderRemedy(blocker)), needsSomebody: !goesOnByItself[blocker.kind] },
  ]
}

/** What its status says is about an evacuation that is being undone. It waits for nothing, or for these finalizers. */
function endingPod(evacuation: Evacuation): WaitingPod[] {
  const holders = foreignFinalizersOf(evacuation)
  if (holders.length === 0) return []
  const { namespace } = evacuation.metadata
  const pod = evacuation.spec.podRef.name
  return [
    {
      namespace,
      pod,
      node: nodeOfEvacuation(evacuation) ?? '',
      reason: 'EvacuationDeleted',
      text: withoutBreaks(`${namespace}/${pod} waits: its deleted Evacuation is held by ${holders.join(', ')}`),
      remedy: 'the owners of these finalizers take them off; then a drain asks again',
      needsSomebody: true,
    },
  ]
}

function byUrgency(a: WaitingPod, b: WaitingPod): number {
  return Number(b.needsSomebody) - Number(a.needsSomebody) || (a.text < b.text ? -1 : 1)
}
