import type { KubernetesObject } from '../../api/kubernetes/meta.ts'
import type { Resource } from '../../api/kubernetes/resources.ts'
import type { Quantities } from '../../api/kubernetes/scheduling.ts'
import type { Amounts } from '../../api/kubernetes/pod-requests.ts'
import { parseMilli } from '../../api/kubernetes/quantity.ts'

// metrics.k8s.io/v1beta1, which metrics-server serves, and what its numbers mean to the descheduler.

export interface NodeMetrics extends KubernetesObject {
  readonly usage?: Quantities
}

export interface PodMetrics extends KubernetesObject {
  readonly containers?: readonly { readonly name?: string; readonly usage?: Quantities }[]
}

const group = { group: 'metrics.k8s.io', version: 'v1beta1' }

export const nodeMetrics: Resource<NodeMetrics> = { ...group, plural: 'nodes', kind: 'NodeMetrics', namespaced: false }
export const podMetrics: Resource<PodMetrics> = { ...group, plural: 'pods', kind: 'PodMetrics', namespaced: true }

/** What a node uses, in the units that upstream smooths. */
export interface NodeUsage {
  readonly cpuMilli: number
  readonly memoryBytes: number
}

/** A resource that is missing counts as 0. */
export function nodeUsageOf({ usage }: NodeMetrics): NodeUsage {
  return { cpuMilli: parseMilli(usage?.['cpu']), memoryBytes: Math.ceil(parseMilli(usage?.['memory']) / 1_000) }
}

/** How much of the old value stays. */
const beta = 0.9

/** The first value as it is; afterwards the old one moves a tenth of the way, in whole units. */
export function smoothed(old: NodeUsage | undefined, measured: NodeUsage): NodeUsage {
  if (old === undefined) return measured
  return {
    cpuMilli: weightedAverage(old.cpuMilli, measured.cpuMilli),
    memoryBytes: weightedAverage(old.memoryBytes, measured.memoryBytes),
  }
}

/** Upstream computes 1 - beta, which is a little less than 0.1 in floats: halves are rounded accordingly. */
function weightedAverage(old: number, measured: number): number {
  return Math.round(beta * old + (1 - beta) * measured)
}

export function amountsOfNode({ cpuMilli, memoryBytes }: NodeUsage): Amounts {
  return new Map([
    ['cpu', cpuMilli],
    ['memory', memoryBytes * 1_000],
  ])
}

/** The sum over the containers. Undefined: a container without cpu or memory leaves the pod unmeasured. */
export function amountsOfPod({ containers = [] }: PodMetrics): Amounts | undefined {
  let cpuNano = 0
  let memoryMilli = 0
  for (const { usage } of containers) {
    const { cpu, memory } = usage ?? {}
    if (cpu === undefined || memory === undefined) return undefined
    cpuNano += parseWhole(cpu, cpuNanos) ?? parseMilli(cpu) * 1e6
    memoryMilli += parseWhole(memory, memoryMillis) ?? parseMilli(memory)
  }
  if (containers.length === 0) return undefined
  return new Map([
    ['cpu', cpuNano / 1e6],
    ['memory', memoryMilli],
  ])
}

/** metrics-server measures cpu in billionths. What a pod uses is not rounded: upstream subtracts it as it is. */
const cpuNanos: Readonly<Record<string, number>> = { n: 1, u: 1e3, m: 1e6, '': 1e9 }
const memoryMillis: Readonly<Record<string, number>> = { '': 1e3, Ki: 1e3 * 2 ** 10, Mi: 1e3 * 2 ** 20 }

/** Of what metrics-server writes: digits and a suffix. parseMilli knows every form, and takes several times as long. */
function parseWhole(quantity: string | number, factors: Readonly<Record<string, number>>): number | undefined {
  const [, digits = '', suffix = ''] = /^(\d+)([a-zA-Z]*)$/.exec(String(quantity)) ?? []
  const factor = factors[suffix]
  return digits === '' || factor === undefined ? undefined : Number(digits) * factor
}
