import { createHash } from 'node:crypto'
import type { StoredObject } from './etcd.ts'
import { ownerOf, type CaseNode, type CasePod, type ParityCase } from './case.ts'

/** What a case has in a cluster of many. */
export interface CasePlace {
  /** Prefix of node names, and name of the namespace. */
  readonly id: string
  readonly nowMs: number
}

const nodeLabel = 'parity.lifeboat.test/case'
/** On every node of the case, whether the policy selects it or not. */
const placeLabel = 'parity.lifeboat.test/place'

const namespaceOf = ({ id }: CasePlace, { other }: Pick<CasePod, 'other'>) => (other === true ? `${id}-other` : id)

/** Everything of a case, as it is in etcd. */
export function buildCaseObjects(place: CasePlace, parityCase: ParityCase): StoredObject[] {
  const { nodes, pods, budgets = [], claims = [], namespaceLabels = {} } = parityCase
  const here = { namespace: place.id }
  return [
    buildNamespace(place, place.id, namespaceLabels),
    buildNamespace(place, `${place.id}-other`, {}),
    ...nodes.map((node) => buildNode(place, node)),
    ...budgets.map(({ name, matchLabels }) =>
      stored(place, 'policy/v1', 'PodDisruptionBudget', {
        metadata: { name, ...here },
        spec: { minAvailable: 0, selector: { matchLabels } },
      }),
    ),
    ...claims.map(({ name, storageClass }) =>
      stored(place, 'v1', 'PersistentVolumeClaim', {
        metadata: { name, ...here },
        spec: {
          accessModes: ['ReadWriteOnce'],
          resources: { requests: { storage: '1Gi' } },
          ...(storageClass === undefined ? {} : { storageClassName: storageClass }),
        },
      }),
    ),
    ...pods.map((pod) => buildPod(place, pod)),
  ]
}

function buildNamespace(place: CasePlace, name: string, labels: object): StoredObject {
  return stored(place, 'v1', 'Namespace', {
    metadata: { name, labels },
    spec: { finalizers: ['kubernetes'] },
    status: { phase: 'Active' },
  })
}

function buildNode(place: CasePlace, node: CaseNode): StoredObject {
  const { labels, taints = [], cordoned = false, ready = true, allocatable, unselected = false } = node
  const room = { cpu: '4', memory: '8Gi', pods: '110', ...allocatable }
  const name = `${place.id}-${node.name}`
  const own = { [placeLabel]: place.id, ...(unselected ? {} : { [nodeLabel]: place.id }) }
  const status = ready === true ? 'True' : 'False'
  return stored(place, 'v1', 'Node', {
    metadata: { name, labels: { ...own, 'kubernetes.io/hostname': name, ...labels } },
    spec: { taints, ...(cordoned ? { unschedulable: true } : {}) },
    status: {
      capacity: room,
      allocatable: room,
      conditions: ready === 'unknown' ? [] : [{ type: 'Ready', status, reason: 'Test', message: '' }],
    },
  })
}

function buildPod(place: CasePlace, pod: CasePod): StoredObject {
  const { labels = {}, annotations = {}, owners = ['ReplicaSet/web'], cpu, memory, limits, images = ['web:1'] } = pod
  const namespace = namespaceOf(place, pod)
  const requests = { ...(cpu === undefined ? {} : { cpu }), ...(memory === undefined ? {} : { memory }) }
  const resources = { requests, ...(limits === undefined ? {} : { limits }) }
  const containers = images.map((image, index) => ({
    name: `c${index}`,
    image,
    resources: index === 0 ? resources : {},
  }))
  const created = timeText(place.nowMs - (pod.ageSeconds ?? 86_400) * 1_000)
  const terminating = { deletionTimestamp: created, deletionGracePeriodSeconds: 30 }
  return stored(place, 'v1', 'Pod', {
    metadata: {
      name: pod.name,
      namespace,
      labels,
      annotations,
      creationTimestamp: created,
      ownerReferences: owners.map((text) => {
        const { kind, name } = ownerOf(text)
        return { apiVersion: 'apps/v1', kind, name, uid: uidOf(namespace, text) }
      }),
      ...(pod.terminating === true ? terminating : {}),
    },
    spec: {
      nodeName: `${place.id}-${pod.node}`,
      ...(pod.priority === undefined ? {} : { priority: pod.priority }),
      ...(pod.tolerations === undefined ? {} : { tolerations: pod.tolerations }),
      containers,
      ...inPlace(place, pod.spec ?? {}),
    },
    status: { phase: pod.phase ?? 'Running', startTime: created, ...inPlace(place, pod.status ?? {}) },
  })
}

const folders = {
  Namespace: 'namespaces',
  Node: 'minions',
  Pod: 'pods',
  PodDisruptionBudget: 'poddisruptionbudgets',
  PersistentVolumeClaim: 'persistentvolumeclaims',
  PriorityClass: 'priorityclasses',
} as const

/** Where everything of a case is, and nothing else. */
export function prefixesOf({ id }: CasePlace): string[] {
  return Object.values(folders).flatMap((folder) => [`/registry/${folder}/${id}/`, `/registry/${folder}/${id}-`])
}

interface Named {
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly [more: string]: unknown }
  readonly [more: string]: unknown
}

function stored(place: CasePlace, apiVersion: string, kind: keyof typeof folders, parts: Named): StoredObject {
  const { name, namespace } = parts.metadata
  const path = namespace === undefined ? name : `${namespace}/${name}`
  const uid = uidOf(place.id, `${kind}/${path}`)
  const creationTimestamp = timeText(place.nowMs)
  const metadata = { uid, creationTimestamp, ...parts.metadata }
  return { key: `/registry/${folders[kind]}/${path}`, object: { apiVersion, kind, ...parts, metadata } }
}

/** Those that a policy may name. */
export const priorityClasses = new Map([50, 100, 1_000].map((value) => [`parity-${value}`, value]))

export function buildPriorityClasses(place: CasePlace): StoredObject[] {
  return Array.from(priorityClasses, ([name, value]) => {
    const built = stored(place, 'scheduling.k8s.io/v1', 'PriorityClass', { metadata: { name } })
    return { ...built, object: { ...built.object, value } }
  })
}

/** The policy as both read it. */
export function buildCasePolicy(place: CasePlace, { policy }: ParityCase): object {
  const { top, evictor = {}, plugin, args = {}, point = 'deschedule' } = policy
  return inPlace(place, {
    apiVersion: 'descheduler/v1alpha2',
    kind: 'DeschedulerPolicy',
    nodeSelector: `${nodeLabel}=NS`,
    ...top,
    profiles: [
      {
        name: 'case',
        pluginConfig: [
          { name: 'DefaultEvictor', args: { nodeSelector: `${placeLabel}=NS`, ...evictor } },
          { name: plugin, args },
        ],
        plugins: { [point]: { enabled: [plugin] } },
      },
    ],
  })
}

/** `NS` becomes the namespace of the case, and `@-60` the time of a minute ago. */
function inPlace({ id, nowMs }: CasePlace, value: object): object {
  const text = JSON.stringify(value)
    .replaceAll(/\bNS\b/g, id)
    .replaceAll(/"@-(\d+)"/g, (_, seconds: string) => `"${timeText(nowMs - Number(seconds) * 1_000)}"`)
  return JSON.parse(text) as object
}

/** Without fractions of a second, as Kubernetes has it. */
const timeText = (timeMs: number) => new Date(timeMs).toISOString().replace(/\.\d+Z$/, 'Z')

function uidOf(namespace: string, owner: string): string {
  const hex = createHash('sha256').update(`${namespace}/${owner}`).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
