import { closestNames } from '../../api/closest-names.ts'
import type { Node } from '../../api/kubernetes/core.ts'
import { nodes } from '../../api/kubernetes/resources.ts'
import { isCompleted, nodeMaintenances, type NodeMaintenance } from '../../api/maintenance/node-maintenance.ts'
import { matchesNodeSelector } from '../../api/kubernetes/node-selector.ts'
import type { Kube } from '../../kube/client/client.ts'
import { unlessNotFound } from '../../kube/client/errors.ts'
import { listNames } from '../../kube/auth/kubeconfig-error.ts'
import type { Selection } from '../../kube/client/call-options.ts'
import { labels } from '../../api/names.ts'
import { CommandError, exitCodes } from '../output/errors.ts'
import { drainOf, takenNames } from './start-maintenance.ts'

export async function listMaintenances(kube: Kube, signal: AbortSignal): Promise<NodeMaintenance[]> {
  const { items } = await kube.list(nodeMaintenances, { signal })
  return items
}

/** What a user calls a drain: one maintenance, or several that a label joins. */
export interface Drain {
  readonly name: string
  /** More of them may come while they are watched. */
  readonly isJoined: boolean
  readonly maintenances: readonly NodeMaintenance[]
}

/** By the name of a maintenance or of a drain, or by a node, whose maintenance alone is meant then. */
export async function findDrain(kube: Kube, wanted: string, signal: AbortSignal): Promise<Drain> {
  const all = await listMaintenances(kube, signal)
  const named = drainNamed(all, wanted)
  if (named !== undefined) return named
  const node = await unlessNotFound(kube.get(nodes, { name: wanted }, { signal }))
  return drainAlone(chooseMaintenance(wanted, node, all))
}

export function drainNamed(all: readonly NodeMaintenance[], wanted: string): Drain | undefined {
  const named = all.find(({ metadata }) => metadata.name === wanted)
  if (named !== undefined) return drainAlone(named)
  const parts = all.filter((each) => drainOf(each) === wanted)
  return parts.length === 0 ? undefined : { name: wanted, isJoined: true, maintenances: parts }
}

/** Each maintenance that stands alone, and each drain of several. */
export function drainsOf(all: readonly NodeMaintenance[]): Drain[] {
  const joined = Map.groupBy(all, drainOf)
  return Array.from(joined, ([name, maintenances]) =>
    name === undefined ? maintenances.map(drainAlone) : [{ name, isJoined: true, maintenances }],
  ).flat()
}

/** One request and one watch, however many nodes there are. */
export function selectionOf({ name, isJoined }: Pick<Drain, 'name' | 'isJoined'>): Selection {
  return isJoined ? { labelSelector: `${labels.drain}=${name}` } : { fieldSelector: `metadata.name=${name}` }
}

function drainAlone(maintenance: NodeMaintenance): Drain {
  return { name: maintenance.metadata.name, isJoined: false, maintenances: [maintenance] }
}

/** Of those that are not over: what is asked about a node is about now. */
export function chooseMaintenance(
  wanted: string,
  node: Node | undefined,
  maintenances: readonly NodeMaintenance[],
): NodeMaintenance {
  if (node === undefined) {
    const meant = closestNames(wanted, [...takenNames(maintenances)])
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
