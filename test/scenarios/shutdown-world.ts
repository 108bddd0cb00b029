import { renderReport } from '../../src/api/maintenance/agent-mailbox.ts'
import type { GoingShutdown, ShutdownReport } from '../../src/api/maintenance/agent-shutdown.ts'
import { podsPath } from './lifeboat-world.ts'
import {
  held,
  maintenanceLine,
  maintenancesPath,
  nodePath,
  podIs,
  put,
  shows,
  type MaintenanceSeen,
} from './maintenance-world.ts'
import type { World } from './scenario.ts'
import { merge } from './workload-world.ts'

// What stories about machines that go down share. The agent on a node is played: the story writes what it would report,
// and reads what it is told.

const leasesPath = '/apis/coordination.k8s.io/v1/namespaces/lifeboat-system/leases'
const mailboxPath = (node: string) => `${leasesPath}/lifeboat-agent-NS-${node}`
export const shutdownPath = (node: string) => `${maintenancesPath}/shutdown-NS-${node}`
const reportAnnotation = 'nodemaintenance.k8s.io/agent-report'
const mayGoAnnotation = 'nodemaintenance.k8s.io/agent-shutdown'
const condition = 'GracefulNodeShutdownInProgress'

export interface Said extends Partial<Omit<ShutdownReport, 'going'>> {
  /** Undefined: the machine does not go down. */
  readonly going?: Partial<GoingShutdown> & { readonly id: string }
  readonly bootID?: string
}

/** As the agent of a node. */
export async function say(world: World, node: string, { going, bootID = 'boot-1', ...said }: Said): Promise<void> {
  const shutdown: ShutdownReport = {
    mode: 'Prefer',
    budgetSeconds: 1_800,
    problems: [],
    ...said,
    ...(going === undefined ? {} : { going: { phase: 'Signalled', action: 'reboot', ...going } }),
  }
  const report = renderReport({ node: `NS-${node}`, pod: { name: 'agent', uid: 'u' }, bootID, shutdown })
  const metadata = { annotations: { [reportAnnotation]: report } }
  const { status } = await world.attempt('PATCH', mailboxPath(node), { metadata }, merge)
  if (status !== 404) return
  const labels = { 'nodemaintenance.k8s.io/agent': 'true' }
  await world.arrange('POST', leasesPath, {
    metadata: { name: `lifeboat-agent-NS-${node}`, namespace: 'lifeboat-system', labels, ...metadata },
  })
}

/** What the machine of a node is after a boot, as its kubelet says. */
export async function boots(world: World, node: string, bootID: string): Promise<void> {
  await world.arrange('PATCH', `${nodePath(node)}/status`, { status: { nodeInfo: { bootID } } }, merge)
}

async function mayGo(world: World, node: string): Promise<string> {
  const { body } = await world.read(mailboxPath(node))
  const { annotations } = body['metadata'] as { annotations?: Readonly<Record<string, string>> }
  return annotations?.[mayGoAnnotation] ?? 'nothing'
}

/** Waits until the agent is told that this shutdown may continue, or `nothing`. */
export async function isTold(world: World, what: string, node: string, id: string): Promise<void> {
  await shows(world, what, () => mayGo(world, node), id)
}

export async function isNotTold(world: World, node: string): Promise<void> {
  const told = await mayGo(world, node)
  if (told !== 'nothing') throw new Error(`the agent was told that ${told} may continue`)
  world.observe('the agent is told', told)
}

export async function lookAtShutdown(world: World, node: string): Promise<MaintenanceSeen | undefined> {
  const { status, body } = await world.read(shutdownPath(node))
  return status === 404 ? undefined : (body as unknown as MaintenanceSeen)
}

export async function shutdownIs(world: World, what: string, node: string, line: string): Promise<void> {
  await shows(world, what, async () => maintenanceLine(await lookAtShutdown(world, node)), line)
}

interface ConditionSeen {
  readonly type: string
  readonly status: string
  readonly reason: string
  readonly lastTransitionTime: string
}

async function conditionsOf(world: World, node: string): Promise<readonly ConditionSeen[]> {
  const { body } = await world.read(nodePath(node))
  return (body['status'] as { conditions?: ConditionSeen[] } | undefined)?.conditions ?? []
}

/** Waits until the node says so of its shutdown: True, False, or nothing. */
export async function nodeSays(world: World, what: string, node: string, expected: string): Promise<void> {
  const look = async () => (await conditionsOf(world, node)).find(({ type }) => type === condition)?.status ?? 'nothing'
  await shows(world, what, look, expected)
}

/** All that the node says, without the shutdown: nobody but its kubelet writes that. */
export async function otherConditions(world: World, node: string): Promise<string> {
  const others = (await conditionsOf(world, node)).filter(({ type }) => type !== condition)
  const lines = others.map(({ type, status, reason, lastTransitionTime }) =>
    [type, status, reason, lastTransitionTime].join(' '),
  )
  return lines.toSorted().join(', ')
}

/** Pods with a controller, of a kind that does nothing about them. They stay until somebody deletes them. */
export async function putOwned(world: World, node: string, names: readonly string[]): Promise<void> {
  const metadata = { name: 'controller', namespace: 'NS' }
  const { body } = await world.arrange('POST', '/api/v1/namespaces/NS/configmaps', { metadata })
  const { uid } = body['metadata'] as { uid: string }
  const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'controller', uid, controller: true }]
  for (const name of names) {
    await put(world, node, name, { annotations: held })
    await world.arrange('PATCH', `${podsPath}/${name}`, { metadata: { ownerReferences } }, merge)
  }
}

/** As a kubelet that shuts down, or evicts. */
export async function fail(world: World, name: string, reason: string): Promise<void> {
  await podIs(world, `${name} runs`, name, ({ status }) => status?.phase === 'Running')
  await world.arrange('PATCH', `${podsPath}/${name}/status`, { status: { phase: 'Failed', reason } }, merge)
}

/** Lifeboat has done all that it does for a shutdown. */
export function isCleanedUp(world: World, node: string): Promise<void> {
  return shows(
    world,
    'nothing is left to do',
    async () => (await lookAtShutdown(world, node))?.metadata.finalizers ?? [],
    [],
  )
}
