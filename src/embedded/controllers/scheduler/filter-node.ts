import type { Node, Pod } from '../objects.ts'
import { findUntolerated, toleratesCordon } from '../../../api/kubernetes/taints.ts'
import type { Ledger, NodeAccount } from './ledger.ts'
import { matchesNode } from './node-match.ts'
import { affinityCheck, type AffinityVerdict, type NamespaceLabels } from './pod-affinity.ts'
import { requestsOf, type Amounts } from '../../../api/kubernetes/pod-requests.ts'
import { spreadCheck, type SpreadVerdict } from './topology-spread.ts'

/** Why a pod cannot go to a node, in the words of the real scheduler, which people search for. */
export interface Refusal {
  readonly reasons: readonly string[]
  /** Whether the node would do if other pods made room. */
  readonly helpedByPreemption: boolean
}

export interface PodView {
  readonly pod: Pod
  readonly requests: Amounts
  readonly hostPorts: readonly string[]
  readonly affinity: (node: Node) => AffinityVerdict
  readonly spread: (node: Node) => SpreadVerdict
}

export function viewPod(pod: Pod, ledger: Ledger, namespaceLabels: NamespaceLabels): PodView {
  return {
    pod,
    requests: requestsOf(pod),
    hostPorts: hostPortsOf(pod),
    affinity: affinityCheck(pod, ledger, namespaceLabels),
    spread: spreadCheck(pod, ledger),
  }
}

type Filter = (view: PodView, account: NodeAccount) => Refusal | undefined

const never = (reason: string): Refusal => ({ reasons: [reason], helpedByPreemption: false })
const forNow = (reason: string): Refusal => ({ reasons: [reason], helpedByPreemption: true })

const cordoned = never('node(s) were unschedulable')
const tainted = never('node(s) had untolerated taint(s)')
const notSelected = never("node(s) didn't match Pod's node affinity/selector")
const portsTaken = forNow("node(s) didn't have free ports for the requested pod ports")

const spreadRefusals: Readonly<Record<SpreadVerdict, Refusal | undefined>> = {
  fits: undefined,
  skew: forNow("node(s) didn't match pod topology spread constraints"),
  missingLabel: never("node(s) didn't match pod topology spread constraints (missing required label)"),
}

const affinityRefusals: Readonly<Record<AffinityVerdict, Refusal | undefined>> = {
  fits: undefined,
  affinity: never("node(s) didn't match pod affinity rules"),
  antiAffinity: forNow("node(s) didn't match pod anti-affinity rules"),
  antiAffinityOfOthers: forNow("node(s) didn't satisfy existing pods anti-affinity rules"),
}

/** In the order of the real scheduler: the first that refuses names the reason. */
const filters: readonly Filter[] = [
  ({ pod }, { node }) =>
    node.spec?.unschedulable === true && !toleratesCordon(pod.spec?.tolerations) ? cordoned : undefined,
  ({ pod }, { node }) =>
    findUntolerated(node.spec?.taints, pod.spec?.tolerations, ['NoSchedule', 'NoExecute']) === undefined
      ? undefined
      : tainted,
  ({ pod }, { node }) => (matchesNode(pod, node) ? undefined : notSelected),
  hostPortsFree,
  resourcesFit,
  ({ spread }, { node }) => spreadRefusals[spread(node)],
  ({ affinity }, { node }) => affinityRefusals[affinity(node)],
]

export function filterNode(view: PodView, account: NodeAccount): Refusal | undefined {
  for (const filter of filters) {
    const refusal = filter(view, account)
    if (refusal !== undefined) return refusal
  }
  return undefined
}

function hostPortsFree({ hostPorts }: PodView, { pods }: NodeAccount): Refusal | undefined {
  if (hostPorts.length === 0) return undefined
  for (const { pod } of pods) {
    if (hostPortsOf(pod).some((port) => hostPorts.includes(port))) return portsTaken
  }
  return undefined
}

function hostPortsOf({ spec }: Pod): string[] {
  const ports = (spec?.containers ?? []).flatMap(({ ports: declared = [] }) => declared)
  return ports
    .filter(({ hostPort = 0 }) => hostPort > 0)
    .map(({ hostPort, protocol = 'TCP' }) => `${protocol}/${hostPort}`)
}

function resourcesFit({ requests }: PodView, { allocatable, podsMax, used, pods }: NodeAccount): Refusal | undefined {
  let reasons: string[] | undefined
  let helpedByPreemption = true
  if (pods.size + 1 > podsMax) reasons = ['Too many pods']
  for (const [name, amount] of requests) {
    const there = allocatable.get(name) ?? 0
    if (amount === 0 || amount <= there - (used.get(name) ?? 0)) continue
    ;(reasons ??= []).push(`Insufficient ${name}`)
    // Even empty the node would be too small.
    if (amount > there) helpedByPreemption = false
  }
  return reasons === undefined ? undefined : { reasons, helpedByPreemption }
}
