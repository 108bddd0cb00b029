import { createHash } from 'node:crypto'
import type { KubernetesObject } from '../../src/api/kubernetes/meta.ts'
import { ownerOf, type CaseNode, type CasePod, type ParityCase } from './case.ts'

/** What a case has in a cluster of many. */
export interface CasePlace {
  /** Prefix of node names, and name of the namespace. */
  readonly id: string
}

const label = 'parity.lifeboat.test/case'
/** Keeps a pod that is deleted. */
export const keeper = 'parity.lifeboat.test/keeper'

export const nodeName = ({ id }: CasePlace, name: string) => `${id}-${name}`
export const namespaceOf = ({ id }: CasePlace, { other }: Pick<CasePod, 'other'>) =>
  other === true ? `${id}-other` : id

export interface BuiltNode {
  readonly object: KubernetesObject & { readonly spec: object; readonly status: object }
}

export function buildCaseNode(place: CasePlace, node: CaseNode): BuiltNode['object'] {
  const { labels, taints = [], cordoned = false, ready = true, allocatable } = node
  const room = { cpu: '4', memory: '8Gi', pods: '110', ...allocatable }
  const name = nodeName(place, node.name)
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels: { [label]: place.id, 'kubernetes.io/hostname': name, ...labels } },
    spec: { taints, ...(cordoned ? { unschedulable: true } : {}) },
    status: {
      capacity: room,
      allocatable: room,
      conditions: [{ type: 'Ready', status: ready ? 'True' : 'False', reason: 'Test', message: '' }],
    },
  }
}

export function buildCasePod(place: CasePlace, pod: CasePod) {
  const { labels = {}, annotations = {}, owners = ['ReplicaSet/web'], cpu, memory, limits, images = ['web:1'] } = pod
  const namespace = namespaceOf(place, pod)
  const requests = { ...(cpu === undefined ? {} : { cpu }), ...(memory === undefined ? {} : { memory }) }
  const containers = images.map((image, index) => ({
    name: `c${index}`,
    image,
    ...(index === 0 ? { resources: { requests, ...(limits === undefined ? {} : { limits }) } } : {}),
  }))
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: pod.name,
      namespace,
      labels,
      annotations,
      ownerReferences: owners.map((text) => ({ apiVersion: 'apps/v1', ...ownerOf(text), uid: uidOf(namespace, text) })),
      ...(pod.terminating === true ? { finalizers: [keeper] } : {}),
    },
    spec: {
      nodeName: nodeName(place, pod.node),
      ...(pod.priority === undefined ? {} : { priorityClassName: classOf(pod.priority) }),
      ...(pod.tolerations === undefined ? {} : { tolerations: pod.tolerations }),
      ...pod.spec,
      containers,
    },
  }
}

export function buildCaseStatus({ phase = 'Running', status }: CasePod) {
  return { phase, startTime: new Date(0).toISOString(), ...status }
}

export const priorityClassValues = [50, 100, 1_000] as const
export const classOf = (value: number) => (value === 2_000_001_000 ? 'system-node-critical' : `parity-${value}`)

/** The policy as both read it. */
export function buildCasePolicy(place: CasePlace, { policy }: ParityCase): object {
  const { top, evictor = {}, plugin, args = {}, point } = policy
  const nodeSelector = `${label}=${place.id}`
  const inPlace = JSON.parse(JSON.stringify(args).replaceAll('NS', place.id)) as object
  return {
    apiVersion: 'descheduler/v1alpha2',
    kind: 'DeschedulerPolicy',
    nodeSelector,
    ...top,
    profiles: [
      {
        name: 'case',
        pluginConfig: [
          { name: 'DefaultEvictor', args: { nodeSelector, ...evictor } },
          { name: plugin, args: inPlace },
        ],
        plugins: { [point ?? 'deschedule']: { enabled: [plugin] } },
      },
    ],
  }
}

function uidOf(namespace: string, owner: string): string {
  const hex = createHash('sha256').update(`${namespace}/${owner}`).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
