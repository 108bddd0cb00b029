import type { Pod } from '../objects.ts'
import { conditionOf, isActive, isReady, timeOf } from '../pod-status.ts'

const phaseOrder: Readonly<Record<string, number>> = { Pending: 0, Unknown: 1, Running: 2 }
const costAnnotation = 'controller.kubernetes.io/pod-deletion-cost'

interface Ranked {
  readonly pod: Pod
  readonly neighbours: number
}

type Comparison = (one: Ranked, other: Ranked, nowMs: number) => number

/** Upstream's order: below 0 means that the one goes before the other. The first that tells them apart decides. */
const comparisons: readonly Comparison[] = [
  (one, other) => Number(isAssigned(one.pod)) - Number(isAssigned(other.pod)),
  (one, other) => phaseOf(one.pod) - phaseOf(other.pod),
  (one, other) => Number(isReady(one.pod)) - Number(isReady(other.pod)),
  (one, other) => deletionCost(one.pod) - deletionCost(other.pod),
  (one, other) => other.neighbours - one.neighbours,
  (one, other, nowMs) => compareAges(readyTime(one.pod), readyTime(other.pod), nowMs, one, other),
  (one, other) => restartsOf(other.pod) - restartsOf(one.pod),
  (one, other, nowMs) => compareAges(createdTime(one.pod), createdTime(other.pod), nowMs, one, other),
  (one, other) => compareText(one.pod.metadata.uid, other.pod.metadata.uid),
]

/** The pods that go first when there are too many. `related` are all pods of the same Deployment. */
export function chooseVictims(pods: readonly Pod[], related: readonly Pod[], count: number, nowMs: number): Pod[] {
  const onNode = new Map<string, number>()
  for (const pod of related) {
    if (isActive(pod)) onNode.set(nodeOf(pod), (onNode.get(nodeOf(pod)) ?? 0) + 1)
  }
  const ranked = pods.map((pod) => ({ pod, neighbours: onNode.get(nodeOf(pod)) ?? 0 }))
  const sorted = ranked.toSorted((one, other) => {
    for (const compare of comparisons) {
      const order = compare(one, other, nowMs)
      if (order !== 0) return order
    }
    return 0
  })
  return sorted.slice(0, count).map(({ pod }) => pod)
}

/**
 * The younger goes first, but only when their ages differ by a power of two: so that a bad version that came up
 * together with a good one is not always the one that stays. Within a step the UID decides.
 */
function compareAges(oneMs: number, otherMs: number, nowMs: number, one: Ranked, other: Ranked): number {
  if (oneMs === otherMs) return 0
  if (oneMs === 0 || otherMs === 0) return oneMs === 0 ? -1 : 1
  const difference = ageStep(nowMs - oneMs) - ageStep(nowMs - otherMs)
  return difference === 0 ? compareText(one.pod.metadata.uid, other.pod.metadata.uid) : difference
}

function ageStep(ageMs: number): number {
  return ageMs <= 0 ? -1 : Math.floor(Math.log2(ageMs * 1_000_000))
}

function nodeOf({ spec }: Pod): string {
  return spec?.nodeName ?? ''
}

function isAssigned(pod: Pod): boolean {
  return nodeOf(pod) !== ''
}

function phaseOf({ status }: Pod): number {
  return phaseOrder[status?.phase ?? ''] ?? 0
}

function deletionCost({ metadata }: Pod): number {
  const text = metadata.annotations?.[costAnnotation] ?? ''
  const isNumber = /^-?(0|[1-9][0-9]*)$/.test(text)
  // Upstream parses 32 bits, and what does not fit counts as none.
  return isNumber && Math.abs(Number(text) + 0.5) < 2 ** 31 ? Number(text) : 0
}

/** 0 for one that is not Ready: the comparison before this one has told those apart. */
function readyTime(pod: Pod): number {
  return isReady(pod) ? timeOf(conditionOf(pod, 'Ready')?.lastTransitionTime) : 0
}

function createdTime({ metadata }: Pod): number {
  return timeOf(metadata.creationTimestamp)
}

function restartsOf({ status }: Pod): number {
  return Math.max(0, ...(status?.containerStatuses ?? []).map(({ restartCount = 0 }) => restartCount))
}

function compareText(one = '', other = ''): number {
  return one === other ? 0 : one < other ? -1 : 1
}
