import { closestNames } from '../../api/closest-names.ts'
import type { Node } from '../../api/kubernetes/core.ts'
import { nodes } from '../../api/kubernetes/resources.ts'
import { isCompleted, nodeMaintenances, type NodeMaintenance } from '../../api/maintenance/node-maintenance.ts'
import { matchesNodeSelector } from '../../api/kubernetes/node-selector.ts'
import type { Kube } from '../../kube/client/client.ts'
import { unlessNotFound } from '../../kube/client/errors.ts'
import { listNames } from '../../kube/auth/kubeconfig-error.ts'
import { CommandError, exitCodes } from '../output/errors.ts'

export async function listMaintenances(kube: Kube, signal: AbortSignal): Promise<NodeMaintenance[]> {
  const { items } = await kube.list(nodeMaintenances, { signal })
  return items
}

/** By its name, or by a node that it selects. */
export async function findMaintenance(kube: Kube, wanted: string, signal: AbortSignal): Promise<NodeMaintenance> {
  const maintenances = await listMaintenances(kube, signal)
  const named = maintenances.find(({ metadata }) => metadata.name === wanted)
  if (named !== undefined) return named
  const node = await unlessNotFound(kube.get(nodes, { name: wanted }, { signal }))
  return chooseMaintenance(wanted, node, maintenances)
}

/** Of those that are not over: what is asked about a node is about now. */
export function chooseMaintenance(
  wanted: string,
  node: Node | undefined,
  maintenances: readonly NodeMaintenance[],
): NodeMaintenance {
  if (node === undefined) {
    const meant = closestNames(
      wanted,
      maintenances.map(({ metadata }) => metadata.name),
    )
    throw new CommandError(`no maintenance and no node is called ${wanted}`, {
      advice: meant.length > 0 ? `Close to it: ${listNames(meant)}.` : '`lifeboat status` lists the maintenances.',
    })
  }
  const selecting = maintenances.filter(
    (maintenance) => !isCompleted(maintenance) && matchesNodeSelector(maintenance.spec.nodeSelector, node),
  )
  const [only, ...others] = selecting
  if (only === undefined) {
    throw new CommandError(`node ${wanted} is under no maintenance`, {
      advice: `\`lifeboat drain ${wanted}\` would begin one.`,
    })
  }
  if (others.length === 0) return only
  const names = selecting.map(({ metadata }) => metadata.name)
  throw new CommandError(`node ${wanted} is under several maintenances: ${listNames(names)}`, {
    advice: 'Say which by its name.',
    exitCode: exitCodes.usage,
  })
}
