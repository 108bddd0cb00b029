import { amountsOf } from '../../src/api/kubernetes/pod-requests.ts'
import { CycleState } from '../../src/descheduler/cycle/cycle-state.ts'
import { breath, type Evictor, type Outcome, type Plugin, type PluginWorld } from '../../src/descheduler/plugin.ts'
import type { PluginArgs, PluginName } from '../../src/descheduler/policy/policy.ts'
import type {
  ContainerView,
  MetricsView,
  NodeView,
  PodMarks,
  PodTemplateView,
  PodView,
} from '../../src/descheduler/view.ts'

export const nowMs = Date.parse('2026-06-01T12:00:00Z')

type Quantities = Readonly<Record<string, string | number>>

export interface NodeChoices extends Partial<Omit<NodeView, 'allocatable' | 'capacity'>> {
  readonly name: string
  /** 4 cpu, 8Gi and 110 pods if left out; the capacity is the same. */
  readonly allocatable?: Quantities
}

export function nodeView({ name, allocatable, ...rest }: NodeChoices): NodeView {
  const room = amountsOf({ cpu: 4, memory: '8Gi', pods: 110, ...allocatable })
  return {
    name,
    labels: { 'kubernetes.io/hostname': name },
    taints: [],
    isCordoned: false,
    isReady: true,
    allocatable: room,
    capacity: room,
    ...rest,
  }
}

type OwnParts = Omit<PodView, 'template' | 'marks' | 'containers' | 'initContainers' | 'ephemeralContainers'>

export interface PodChoices extends Partial<OwnParts>, Partial<Omit<PodTemplateView, 'requests'>> {
  readonly name: string
  readonly requests?: Quantities
  readonly marks?: Partial<PodMarks>
  readonly containers?: readonly Partial<ContainerView>[]
  readonly initContainers?: readonly Partial<ContainerView>[]
  readonly ephemeralContainers?: readonly Partial<ContainerView>[]
}

/** A running pod of a ReplicaSet on node n1, an hour old, unless said otherwise. */
export function podView(choices: PodChoices): PodView {
  const { name, marks, containers = [{}], initContainers = [], ephemeralContainers = [], ...parts } = choices
  return {
    namespace: 'default',
    name,
    uid: `${name}-uid`,
    nodeName: 'n1',
    createdMs: nowMs - 3_600_000,
    startedMs: nowMs - 3_600_000,
    isTerminating: false,
    phase: 'Running',
    reason: undefined,
    conditions: [],
    claims: [],
    ...parts,
    marks: { ...noMarks, ...marks },
    containers: containers.map(containerView),
    initContainers: initContainers.map(containerView),
    ephemeralContainers: ephemeralContainers.map(containerView),
    template: templateView(choices),
  }
}

const noMarks: PodMarks = {
  evict: false,
  preferNoEviction: false,
  requestEvictOnly: false,
  evictionInProgress: false,
  mirror: false,
  foreignSource: false,
}

const containerView = (choices: Partial<ContainerView>): ContainerView => ({
  restartCount: 0,
  waitingReason: undefined,
  terminatedReason: undefined,
  exitCode: undefined,
  ...choices,
})

function templateView({ requests = {}, ...choices }: PodChoices): PodTemplateView {
  return {
    labels: choices.labels ?? {},
    owners: choices.owners ?? [{ kind: 'ReplicaSet', name: 'web', uid: 'web-uid' }],
    priority: choices.priority,
    images: choices.images ?? ['web:1'],
    requests: amountsOf(requests),
    requestedByContainers: choices.requestedByContainers ?? new Set(Object.keys(requests)),
    qosClass: choices.qosClass ?? (Object.keys(requests).length === 0 ? 'BestEffort' : 'Burstable'),
    tolerations: choices.tolerations ?? [],
    nodeSelector: choices.nodeSelector ?? {},
    hasNodeAffinity:
      choices.hasNodeAffinity ??
      (choices.requiredNodeAffinity !== undefined || choices.preferredNodeAffinity !== undefined),
    requiredNodeAffinity: choices.requiredNodeAffinity,
    preferredNodeAffinity: choices.preferredNodeAffinity ?? [],
    podAffinity: choices.podAffinity ?? [],
    antiAffinity: choices.antiAffinity ?? [],
    spreadConstraints: choices.spreadConstraints ?? [],
    hostPorts: choices.hostPorts ?? [],
    hasLocalStorage: choices.hasLocalStorage ?? false,
    hasResourceClaims: choices.hasResourceClaims ?? false,
  }
}

/** Lets everybody go. */
export const openEvictor: Evictor = { filter: () => undefined, preEvictionFilter: () => undefined }
export const noMetrics: MetricsView = { nodes: new Map(), pods: new Map(), prometheus: new Map() }

export interface WorldChoices extends Partial<Omit<PluginWorld, 'nodes' | 'podsOn' | 'usedOn' | 'evictor'>> {
  /** Or a function that makes one that sees pods leave. */
  readonly evictor?: Evictor | ((state: CycleState, nodes: readonly NodeView[]) => Evictor)
  readonly nodes: readonly NodeView[]
  readonly pods: readonly PodView[]
  /** What becomes of a pod that the plugin names; it leaves if this says nothing. */
  readonly outcomeOf?: (pod: PodView, named: readonly PodView[]) => Outcome | undefined
}

/** Runs one plugin as a cycle does, and returns the names of those that left, in that order. */
export function runPlugin<Name extends PluginName>(
  plugin: Plugin<Name>,
  args: PluginArgs[Name],
  { nodes, pods, outcomeOf = () => undefined, evictor = openEvictor, ...rest }: WorldChoices,
): string[] {
  const state = new CycleState({ pods })
  const world: PluginWorld = {
    nowMs,
    nodes,
    podsOn: (node) => state.podsOn(node),
    usedOn: (node) => state.usedOn(node),
    namespaces: new Map(),
    metrics: noMetrics,
    evictor: typeof evictor === 'function' ? evictor(state, nodes) : evictor,
    rankOf: () => 1,
    ...rest,
  }
  const named: PodView[] = []
  const left: string[] = []
  const nominations = plugin.nominate(world, args)
  for (let next = nominations.next(); next.done !== true;) {
    const pod = next.value
    if (pod === breath) {
      next = nominations.next('refused')
      continue
    }
    const outcome = outcomeOf(pod, named) ?? 'leaves'
    named.push(pod)
    if (outcome === 'leaves') {
      left.push(pod.name)
      state.sendAway(pod)
    }
    next = nominations.next(outcome)
  }
  return left
}
