import type { Node } from '../../src/api/kubernetes/core.ts'
import { nodes } from '../../src/api/kubernetes/resources.ts'
import {
  nodeMaintenances,
  type NodeMaintenance,
  type NodeMaintenanceSpec,
} from '../../src/api/maintenance/node-maintenance.ts'
import type { Transport, TransportRequest } from '../../src/kube/client/transport.ts'
import type { LifeboatGround } from './lifeboat.ts'

type NodeSelector = NodeMaintenanceSpec['nodeSelector']

export function selectNodes(...names: readonly string[]): NodeSelector {
  return {
    nodeSelectorTerms: names.map((name) => ({
      matchFields: [{ key: 'metadata.name', operator: 'In', values: [name] }],
    })),
  }
}

export async function maintain(
  ground: LifeboatGround,
  name: string,
  nodeSelector: NodeSelector,
  spec: Partial<NodeMaintenanceSpec> = {},
): Promise<void> {
  const object = { metadata: { name }, spec: { nodeSelector, stage: 'Drain' as const, ...spec } }
  await ground.until(ground.admin.create(nodeMaintenances, object))
}

export async function setStage(
  ground: LifeboatGround,
  name: string,
  stage: NodeMaintenanceSpec['stage'],
): Promise<void> {
  await ground.until(ground.admin.patch(nodeMaintenances, { name }, { type: 'merge', body: { spec: { stage } } }))
}

export function getMaintenance(ground: LifeboatGround, name: string): Promise<NodeMaintenance> {
  return ground.until(ground.admin.get(nodeMaintenances, { name }))
}

export async function patchNode(ground: LifeboatGround, name: string, body: object): Promise<void> {
  await ground.until(ground.admin.patch(nodes, { name }, { type: 'merge', body }))
}

/** `cordoned` or `schedulable`, and the marks of Lifeboat without their prefix. */
export async function nodeState(ground: LifeboatGround, name: string): Promise<string> {
  const { metadata, spec }: Node = await ground.until(ground.admin.get(nodes, { name }))
  const prefix = 'nodemaintenance.k8s.io/'
  const marks = Object.keys(metadata.annotations ?? {}).filter((key) => key.startsWith(prefix))
  const state = spec?.unschedulable === true ? 'cordoned' : 'schedulable'
  return [state, ...marks.map((mark) => mark.slice(prefix.length)).toSorted()].join(' ')
}

export interface EventSeen {
  readonly about: string
  readonly reason: string
  readonly note: string
  readonly count: number
}

export function eventsOf(ground: LifeboatGround): EventSeen[] {
  const events = ground.cluster.store.list('events') as unknown as readonly {
    readonly involvedObject: { readonly kind: string; readonly name: string }
    readonly reason: string
    readonly message: string
    readonly count?: number
  }[]
  return events.map(({ involvedObject, reason, message, count = 1 }) => ({
    about: `${involvedObject.kind} ${involvedObject.name}`,
    reason,
    note: message,
    count,
  }))
}

/** Notes every request on its way. */
export function noting(requests: TransportRequest[]): (transport: Transport) => Transport {
  return (transport) => ({
    request: (request) => {
      requests.push(request)
      return transport.request(request)
    },
    watch: (request) => {
      requests.push(request)
      return transport.watch(request)
    },
    close: () => transport.close(),
  })
}
