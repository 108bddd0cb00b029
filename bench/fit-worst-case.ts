import type { Cycle } from '../src/descheduler/cycle/cycle.ts'
import { CycleState } from '../src/descheduler/cycle/cycle-state.ts'
import { driveCycle } from '../src/descheduler/cycle/drive-cycle.ts'
import { onlyReporting } from '../src/descheduler/asking.ts'
import { mayGoElsewhere } from '../src/descheduler/cycle/pods-listed.ts'
import type { NodeView, PodTemplateView, PodView } from '../src/descheduler/view.ts'
import { systemClock, systemTurn } from '../src/runtime/system.ts'
import { defaultEvictor } from '../test/build/descheduler-evictor.ts'
import { nodeView, podView, type PodChoices } from '../test/build/descheduler-view.ts'

export interface FitSize {
  readonly nodes: number
  readonly podsPerNode: number
  /** So many pods are asked about, each of a kind of its own. */
  readonly asked: number
}

export interface FitFigures {
  /** Milliseconds of a core. */
  readonly processorMs: number
  /** The longest while nothing else could run; also of a core, so that a busy machine does not count. */
  readonly blockMs: number
  /** It is to be 0: each search has to look everywhere. */
  readonly fitting: number
}

type Kind = Omit<PodChoices, 'name'>
const hostname = 'kubernetes.io/hostname'
const port = { protocol: 'TCP', port: 80, ip: '0.0.0.0' }

/** Pods of many kinds that fit no node but their own, by what keeps them away. Of the kind of a number. */
export const worstCases: Readonly<Record<string, (kind: number) => Kind>> = {
  'too little room': (kind) => ({ requests: { cpu: `${20_000 + kind}m`, memory: '4Gi' } }),
  'a node selector': (kind) => ({ requests: { cpu: '100m' }, nodeSelector: { machine: `machine-${kind}` } }),
  'host ports': (kind) => ({ requests: { cpu: `${100 + kind}m` }, hostPorts: [port] }),
  'pod affinity': (kind) => ({
    labels: { app: `app-${kind}` },
    podAffinity: [{ topologyKey: 'zone', labelSelector: { matchLabels: { app: `missing-${kind}` } } }],
  }),
  'anti-affinity to everybody else': (kind) => ({
    labels: { app: `app-${kind}` },
    antiAffinity: [
      {
        topologyKey: hostname,
        labelSelector: { matchExpressions: [{ key: 'app', operator: 'NotIn', values: [`app-${kind}`] }] },
      },
    ],
  }),
  'two spread constraints': (kind) => ({
    labels: { app: `app-${kind}` },
    spreadConstraints: ['zone', 'rack'].map((topologyKey) => ({
      topologyKey,
      maxSkew: 1,
      minDomains: 300,
      whenUnsatisfiable: 'DoNotSchedule',
      labelSelector: { matchLabels: { app: `app-${kind}` } },
    })),
  }),
}

/** Asks about one pod of each kind, as a cycle does: with breaths. */
export async function measureFit(kindOf: (kind: number) => Kind, size: FitSize): Promise<FitFigures> {
  const nodes = buildNodes(size)
  const pods = buildPods(nodes, kindOf, size)
  const state = new CycleState({ pods })
  const evictor = defaultEvictor({ nodeFit: true }, { nodeFitAsScheduler: true })(state, nodes)
  let fitting = 0
  const ask = function* (): Cycle {
    yield* evictor.prepare?.() ?? []
    for (const pod of pods.slice(0, size.asked)) if (yield* mayGoElsewhere(pod, evictor)) fitting++
    return { strategies: [] }
  }
  const turns = new Turns()
  const beganMs = processorMs()
  const { signal } = new AbortController()
  await driveCycle(ask(), { asking: onlyReporting, clock: systemClock, turn: () => turns.take(), signal })
  turns.note()
  return { processorMs: processorMs() - beganMs, blockMs: turns.longestMs, fitting }
}

/** That this thread has had so far. */
function processorMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}

class Turns {
  longestMs = 0
  #sinceMs = processorMs()

  note(): void {
    this.longestMs = Math.max(this.longestMs, processorMs() - this.#sinceMs)
  }

  async take(): Promise<void> {
    this.note()
    await systemTurn()
    this.#sinceMs = processorMs()
  }
}

function buildNodes({ nodes }: FitSize): NodeView[] {
  return Array.from({ length: nodes }, (_, at) => {
    const name = `node-${at}`
    const labels = { [hostname]: name, zone: `zone-${at % 3}`, rack: `rack-${at % 200}` }
    return nodeView({ name, labels, allocatable: { cpu: 32, memory: '128Gi' } })
  })
}

/** One pod of each kind to begin with; those of one kind share their template. */
function buildPods(nodes: readonly NodeView[], kindOf: (kind: number) => Kind, size: FitSize): PodView[] {
  const templates = new Map<number, PodTemplateView>()
  return Array.from({ length: size.nodes * size.podsPerNode }, (_, at) => {
    const kind = at % size.asked
    const choices = { name: `pod-${at}`, nodeName: nodes[at % nodes.length]?.name ?? '' }
    const template = templates.get(kind) ?? podView({ ...choices, ...kindOf(kind) }).template
    templates.set(kind, template)
    return Object.assign(podView(choices), { template })
  })
}
