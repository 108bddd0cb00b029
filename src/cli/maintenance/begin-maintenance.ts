import { nodeMaintenances, type NodeMaintenance } from '../../api/maintenance/node-maintenance.ts'
import { isKubeError } from '../../kube/client/errors.ts'
import { listMaintenances } from './find-maintenance.ts'
import type { ReachedCluster } from '../connect/reached-cluster.ts'
import { decideStart, type Start, type WantedMaintenance } from './start-maintenance.ts'

export interface Begun {
  readonly how: 'created' | 'movedOn' | 'attached'
  /** As the API server has it now. */
  readonly maintenance: NodeMaintenance
  readonly before: NodeMaintenance | undefined
}

/** Others may begin one for the same nodes, or take the name, at the same moment. */
const attemptsMax = 3

export async function beginMaintenance(
  cluster: ReachedCluster,
  wanted: WantedMaintenance,
  { isDry }: { readonly isDry: boolean },
): Promise<Begun> {
  for (let attempts = 1; ; attempts++) {
    const start = decideStart(wanted, await listMaintenances(cluster.kube, cluster.signal))
    try {
      return await carryOut(cluster, start, isDry)
    } catch (error) {
      if (!isKubeError(error, 'alreadyExists', 'conflict', 'notFound') || attempts >= attemptsMax) throw error
    }
  }
}

async function carryOut({ kube, signal }: ReachedCluster, start: Start, isDry: boolean): Promise<Begun> {
  const options = { signal, dryRun: isDry }
  if (start.kind === 'create') {
    return {
      how: 'created',
      maintenance: await kube.create(nodeMaintenances, start.object, options),
      before: undefined,
    }
  }
  const { maintenance: before, changes } = start
  if (Object.keys(changes).length === 0) return { how: 'attached', maintenance: before, before }
  const { name, uid } = before.metadata
  // Of that one, and of no later one with its name.
  const body = { metadata: { uid }, spec: changes }
  const maintenance = await kube.patch(nodeMaintenances, { name }, { type: 'merge', body }, options)
  return { how: changes.stage === undefined ? 'attached' : 'movedOn', maintenance, before }
}

export function renderBegun({ how, maintenance, before }: Begun, isDry: boolean): string {
  const { name } = maintenance.metadata
  const { stage } = maintenance.spec
  const dry = isDry ? ' (server dry run)' : ''
  switch (how) {
    case 'created':
      return `nodemaintenance ${name} created at stage ${stage}${dry}`
    case 'movedOn':
      return `nodemaintenance ${name} is there for the same nodes: moved on from ${before?.spec.stage} to ${stage}${dry}`
    case 'attached':
      return `nodemaintenance ${name} is there for the same nodes, at stage ${stage}${dry}`
  }
}
