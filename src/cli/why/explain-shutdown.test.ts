import { expect, test } from 'vitest'
import { maintenanceOf, nodeOf } from '../../../test/build/why-view.ts'
import type { Lease } from '../../api/kubernetes/coordination.ts'
import { buildMailbox } from '../../api/maintenance/agent-mailbox.ts'
import type { GoingShutdown, ShutdownReport } from '../../api/maintenance/agent-shutdown.ts'
import { annotations } from '../../api/names.ts'
import type { NodeMaintenance } from '../../api/maintenance/node-maintenance.ts'
import { buildShutdownMaintenance } from '../../api/maintenance/shutdown-maintenance.ts'
import { stored } from '../../../test/build/stored.ts'
import { explainShutdown } from './explain-shutdown.ts'
import type { ShutdownState, WhyView } from './report.ts'

const nowMs = Date.parse('2026-08-01T12:00:00Z')
const going: GoingShutdown = { id: 'a', phase: 'Signalled', action: 'reboot' }
const own = stored<NodeMaintenance>(
  buildShutdownMaintenance({ node: 'six', id: 'a', bootID: 'b' }, { nodeUid: 'n', going, drainPlan: [] }),
)
const budget: ShutdownReport = { mode: 'Prefer', budgetSeconds: 1_800, problems: [] }
const since = (lastTransitionTime: string) => ({
  ...nodeOf(),
  status: {
    conditions: [{ type: 'GracefulNodeShutdownInProgress', status: 'True' as const, reason: 'R', lastTransitionTime }],
  },
})

interface Row {
  readonly name: string
  readonly shutdown?: Partial<ShutdownReport>
  readonly bootID?: string
  readonly mayGo?: string
  readonly node?: NonNullable<WhyView['node']>
  readonly maintenances?: readonly NodeMaintenance[]
  readonly state?: ShutdownState
  readonly message?: string
  readonly next?: string
  readonly until?: string
  readonly commands?: readonly string[]
}

const rows: readonly Row[] = [
  { name: 'nothing goes down' },
  {
    name: 'a maintenance that is not for a shutdown is none of this',
    maintenances: [maintenanceOf()],
  },
  {
    name: 'one that nobody has come to',
    shutdown: { going },
    state: 'Unseen',
    message: 'the reboot of six is on its way, and Lifeboat has not begun to drain the node for it',
    next: 'shutdown-six is made within seconds, if Lifeboat is running; logind waits at most 30m from its signal',
    commands: ['lifeboat version'],
  },
  {
    name: 'one that waits for the drain: how long logind waits at most',
    shutdown: { going },
    node: since('2026-08-01T11:48:00Z'),
    maintenances: [own],
    state: 'Draining',
    message: 'the reboot of six waits until shutdown-six has drained the node',
    next: 'it continues when the node is drained, or when that maintenance is completed; logind waits at most 18m longer',
    until: '2026-08-01T12:18:00Z',
    commands: ['lifeboat status shutdown-six'],
  },
  {
    name: 'one that has waited too long',
    shutdown: { going },
    node: since('2026-08-01T11:00:00Z'),
    maintenances: [own],
    state: 'Draining',
    next: 'it continues when the node is drained, or when that maintenance is completed; the 30m that logind waits are over',
  },
  {
    name: 'one that is planned',
    shutdown: { going: { ...going, phase: 'Scheduled', at: '2026-08-01T12:15:00Z' } },
    maintenances: [own],
    state: 'Draining',
    next: 'it continues when the node is drained, or when that maintenance is completed; it begins in 15m, and logind then waits at most 30m',
    until: '2026-08-01T12:45:00Z',
  },
  {
    name: 'one that nothing makes wait',
    shutdown: { going, problems: [{ kind: 'noLock', message: '' }] },
    maintenances: [own],
    state: 'Draining',
    next: 'it continues when the node is drained, or when that maintenance is completed; the agent holds no lock, so the machine does not wait for it',
  },
  {
    name: 'one whose name is taken',
    shutdown: { going },
    maintenances: [maintenanceOf({ name: 'shutdown-six' })],
    state: 'NameTaken',
    message: 'nothing drains six before it goes down: NodeMaintenance shutdown-six was not made by Lifeboat',
    commands: ['kubectl get nodemaintenance shutdown-six -o yaml'],
  },
  {
    name: 'one that may continue',
    shutdown: { going },
    mayGo: 'a',
    maintenances: [own],
    state: 'Released',
    message: 'the reboot of six may continue',
    next: 'the machine goes down',
  },
  {
    name: 'one that is over',
    bootID: 'after',
    maintenances: [own],
    state: 'Over',
    message: 'the machine of six has been down since shutdown-six began',
    next: 'if the node is well, give it back:',
    commands: ['lifeboat complete shutdown-six'],
  },
  {
    name: 'one of which nobody knows',
    shutdown: { mode: 'Unknown' },
    maintenances: [own],
    state: 'Unknown',
    message: 'whether six still goes down is not known: logind does not answer its agent',
  },
]

test.each(rows)(
  '$name',
  ({ name: _, shutdown, bootID = 'b', mayGo, node = nodeOf(), maintenances = [], ...expected }) => {
    const report = { node: 'six', pod: { name: 'agent', uid: 'u' }, bootID, shutdown: { ...budget, ...shutdown } }
    const { metadata, ...rest } = stored<Lease>(buildMailbox('lifeboat-system', report))
    const answer = mayGo === undefined ? {} : { [annotations.agentShutdown]: mayGo }
    const mailbox = { ...rest, metadata: { ...metadata, annotations: { ...metadata.annotations, ...answer } } }
    const explained = explainShutdown({ about: 'node', node, pods: [], evacuations: [], maintenances, mailbox }, nowMs)
    if (expected.state === undefined) expect(explained).toBeUndefined()
    else expect(explained).toMatchObject(expected)
  },
)

test('without an agent that looks after shutdowns nothing is said', () => {
  const view = { about: 'node', node: nodeOf(), pods: [], evacuations: [], maintenances: [own] } as const
  expect(explainShutdown(view, nowMs)).toBeUndefined()
  const report = { node: 'six', pod: { name: 'agent', uid: 'u' }, bootID: 'b' }
  const mailbox = stored<Lease>(buildMailbox('lifeboat-system', report))
  expect(explainShutdown({ ...view, mailbox }, nowMs)).toBeUndefined()
})
