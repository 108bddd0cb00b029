import { renderBlocker, type Blocker } from '../../api/blocker/blocker.ts'
import { renderTable } from '../output/table.ts'
import type { Application } from './applications.ts'
import type { EvictionTally } from './eviction-tally.ts'

// Everything that the demo says, made of what it measured.

/** What one way to drain came to. */
export interface Outcome {
  readonly nodes: readonly string[]
  readonly elapsedMs: number
  readonly evictions: Readonly<EvictionTally>
  /** Pods that left these nodes, by application. */
  readonly moved: ReadonlyMap<string, number>
  /** How long each application had fewer ready pods than wanted. */
  readonly belowMs: ReadonlyMap<string, number>
}

export interface Figures {
  readonly today: Outcome
  readonly lifeboat: Outcome
  /** Ready pods of each DaemonSet in the end, and how many there should be. */
  readonly daemonSets: readonly { readonly name: string; readonly ready: number; readonly wanted: number }[]
}

export const introduction: readonly string[] = [
  'Lifeboat takes nodes out of a Kubernetes cluster without hurting the applications on them.',
  'This is no recording: the controllers are the real ones, and every figure is measured while you look.',
]

export interface ClusterCounts {
  readonly nodes: number
  readonly zones: number
  readonly pods: number
}

export function renderCluster(counts: ClusterCounts, tookMs: number): string {
  return `A cluster of ${counts.nodes} nodes in ${counts.zones} zones with ${counts.pods} pods is up in this process, after ${seconds(tookMs)}.`
}

export const acts = {
  today: '1. What drains do today',
  lifeboat: '2. The same with Lifeboat',
  complete: '3. The nodes come back',
  figures: 'What it came to',
  next: 'What to try next',
} as const

export function renderAttempt(
  nodes: readonly string[],
  { evicted, stuck, rounds }: { readonly evicted: number; readonly stuck: readonly Blocker[]; readonly rounds: number },
): string[] {
  return [
    `${evicted} pods of ${nodes.join(' and ')} are evicted at once; their replacements start only now.`,
    ...stuck.map((blocker) => `refused ${rounds} times: ${renderBlocker(blocker)}`),
    ...(stuck.length === 0
      ? []
      : ['kubectl drain would ask like this forever. So people force it: --disable-eviction.']),
  ]
}

/** How long each application had fewer ready pods than wanted; one line says so where none had. */
export function renderDamage(applications: readonly Application[], belowMs: ReadonlyMap<string, number>): string[] {
  const hurt = applications.filter(({ name }) => (belowMs.get(name) ?? 0) > 0)
  if (hurt.length === 0) return ['No application had fewer ready pods than wanted.']
  return hurt.map(({ name, wanted, replicas }) => {
    const short = replicas === 1 ? 'was down' : `had fewer than ${wanted} ready pods`
    return `${name} ${short} for ${seconds(belowMs.get(name) ?? 0)}`
  })
}

export function renderTrouble(app: string, node: string, programName: string): string[] {
  return [
    `The image of ${app} is not in the registry any more, so its replacement does not start. The old pod serves on.`,
    `$ ${programName} why ${node}`,
  ]
}

/** Set off from the rest. */
export function quoted(lines: readonly string[]): string[] {
  return lines.map((line) => (line === '' ? '' : `  ${line}`))
}

export function renderMended(app: string): string {
  return `The image of ${app} is pushed again. Lifeboat continues on its own.`
}

export function renderReturn(nodes: readonly string[], { daemonSets }: Pick<Figures, 'daemonSets'>): string[] {
  const back = daemonSets.map(({ name, ready, wanted }) => `${ready} of ${wanted} ${name}`).join(', ')
  return [`${nodes.join(', ')} are schedulable again, and their DaemonSet pods are back: ${back}.`]
}

export function renderFigures(
  applications: readonly Application[],
  { today, lifeboat, daemonSets }: Figures,
): string[] {
  const header = ['APPLICATION', 'WANTED', 'TODAY', 'LIFEBOAT', 'MOVED', 'ABOUT']
  const rows = applications.map(({ name, wanted, replicas, about }) => [
    name,
    wanted === replicas ? String(wanted) : `${wanted} of ${replicas}`,
    seconds(today.belowMs.get(name) ?? 0),
    seconds(lifeboat.belowMs.get(name) ?? 0),
    String(lifeboat.moved.get(name) ?? 0),
    about,
  ])
  const ofDaemonSets = ({ moved }: Outcome) => daemonSets.reduce((sum, { name }) => sum + (moved.get(name) ?? 0), 0)
  const others = [
    ['nodes drained', String(today.nodes.length), String(lifeboat.nodes.length)],
    ['pods moved', ...[today, lifeboat].map((outcome) => String(total(outcome.moved) - ofDaemonSets(outcome)))],
    ['DaemonSet pods away and back', ...[today, lifeboat].map((outcome) => String(ofDaemonSets(outcome)))],
    // Without force it would not have ended.
    ['time', ...[today, lifeboat].map((outcome) => timeOf(applications, outcome))],
    ['eviction calls', String(today.evictions.asked), String(lifeboat.evictions.asked)],
    ['of these refused', String(today.evictions.refused), String(lifeboat.evictions.refused)],
    ['pods deleted without asking', ...[today, lifeboat].map((outcome) => String(deletedOf(applications, outcome)))],
  ]
  return [
    'How long each application had fewer ready pods than wanted, and how many of its pods Lifeboat moved:',
    '',
    ...renderTable(header, rows),
    '',
    ...renderTable(['', 'TODAY', 'LIFEBOAT'], others),
  ]
}

function timeOf(applications: readonly Application[], outcome: Outcome): string {
  return `${seconds(outcome.elapsedMs)}${deletedOf(applications, outcome) > 0 ? ', forced' : ''}`
}

/** Pods of DaemonSets are always deleted: they cannot be evicted. */
function deletedOf(applications: readonly Application[], { evictions }: Outcome): number {
  return evictions.deleted.filter((pod) => applications.some(({ name }) => pod.startsWith(`${name}-`))).length
}

/** What Lifeboat promises and did not keep here; empty if all went well. */
export function brokenPromises(applications: readonly Application[], figures: Figures): string[] {
  const { lifeboat, daemonSets } = figures
  const below = applications.filter(({ name }) => (lifeboat.belowMs.get(name) ?? 0) > 0)
  const deleted = deletedOf(applications, lifeboat)
  const missing = daemonSets.filter(({ ready, wanted }) => ready < wanted)
  return [
    ...below.map(({ name }) => `${name} was below wanted for ${seconds(lifeboat.belowMs.get(name) ?? 0)}`),
    ...(lifeboat.evictions.refused === 0 ? [] : [`${lifeboat.evictions.refused} evictions were refused`]),
    ...(deleted === 0 ? [] : [`${deleted} pods were deleted without asking their budgets`]),
    ...missing.map(({ name, ready, wanted }) => `DaemonSet ${name} has ${ready} of ${wanted} pods back`),
  ]
}

export function renderNext(programName: string): string[] {
  return [
    ...renderTable(
      [`${programName} cluster`, 'a cluster like this one, for your kubectl'],
      [
        [`${programName} run`, 'Lifeboat for the cluster of your kubeconfig'],
        [`${programName} drain NODE`, 'drain a node of it, live'],
        [`${programName} why NODE`, 'what keeps a pod, and what helps'],
      ],
    ).map((line) => `  ${line}`),
    'In a checkout the command is bin/lifeboat. README.md shows how to install it.',
  ]
}

function total(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((sum, count) => sum + count, 0)
}

/** To a tenth, and never rounded down to nothing: what was there is seen. */
export function seconds(ms: number): string {
  if (ms <= 0) return '0 s'
  return `${Math.max(0.1, Math.round(ms / 100) / 10).toFixed(1)} s`
}
