import { renderTable } from '../output/table.ts'
import { seconds } from './script.ts'

// Everything that `lifeboat demo --static-pods` says, made of what it measured.

export interface StaticPodsFigures {
  /** How long each component had fewer ready pods than the cluster needs. */
  readonly belowMs: ReadonlyMap<string, number>
  /** Static pods that left and came back. */
  readonly moved: number
  /** Of all static pods: those that are not back, or not by the same manifest. */
  readonly changed: readonly string[]
}

export const introduction: readonly string[] = [
  'Static pods are started by the kubelet of their node, from manifests in a folder. `kubectl drain` leaves them alone.',
  'Lifeboat drains them too, where its node agent runs. The controllers and the agents here are the real ones.',
]

export const acts = {
  drain: '1. A node of the control plane is drained',
  guard: '2. A second one, at the same time',
  complete: '3. The first one comes back',
  figures: 'What it came to',
} as const

export function renderControlPlane(nodes: readonly string[], components: readonly string[]): string {
  return `The control plane is on ${nodes.join(', ')}, each with ${components.length} static pods: ${components.join(', ')}.`
}

/** What is in the folder, as an administrator sees it. */
export function renderFolder(node: string, path: string, names: readonly string[]): string[] {
  return [`${node}$ ls -A ${path}`, ...names.map((name) => `  ${name}`)]
}

export const parkedMeaning =
  'The kubelet passes over names that begin with a dot. Nothing was copied or deleted, and a reboot changes nothing.'

export function renderGuard(node: string, programName: string): string[] {
  return [
    `All of ${node} could leave but etcd: without a majority of it nothing could be brought back.`,
    `$ ${programName} why ${node}`,
  ]
}

export function renderReturn(first: string, second: string): string[] {
  return [`The static pods of ${first} run again, so etcd of ${second} may leave. Its drain continues on its own.`, '']
}

export function renderStaticPodsFigures(
  needed: ReadonlyMap<string, number>,
  { belowMs, moved, changed }: StaticPodsFigures,
): string[] {
  const rows = [...needed].map(([name, count]) => [name, String(count), seconds(belowMs.get(name) ?? 0)])
  return [
    ...renderTable(['COMPONENT', 'NEEDED', 'TIME WITH FEWER'], rows),
    '',
    `${moved} static pods left and came back; ${changed.length === 0 ? 'all run' : `${changed.length} do not run`} by the manifests that they had.`,
  ]
}

/** What Lifeboat promises and did not keep here; empty if all went well. */
export function brokenPromises({ belowMs, moved, changed }: StaticPodsFigures, wanted: number): string[] {
  return [
    ...[...belowMs].flatMap(([name, ms]) => (ms > 0 ? [`too few of ${name} for ${seconds(ms)}`] : [])),
    ...(moved === wanted ? [] : [`${moved} of ${wanted} static pods left`]),
    ...changed.map((name) => `${name} is not as it was`),
  ]
}
