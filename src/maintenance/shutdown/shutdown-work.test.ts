import { describe, expect, test, vi } from 'vitest'
import { buildServer } from '../../../test/build/embedded-server.ts'
import { buildKube } from '../../../test/build/kube.ts'
import { ownKinds } from '../../../test/build/own-kinds.ts'
import { buildMailbox, shutdownThatMayGo } from '../../api/maintenance/agent-mailbox.ts'
import { leases, nodes } from '../../api/kubernetes/resources.ts'
import { nodeMaintenances } from '../../api/maintenance/node-maintenance.ts'
import { buildShutdownMaintenance } from '../../api/maintenance/shutdown-maintenance.ts'
import type { ClusterEvent } from '../../kube/events/cluster-event.ts'
import { KubeError } from '../../kube/client/errors.ts'
import { silentLog } from '../../runtime/log.ts'
import type { ShutdownStep, ShutdownView } from './decide-shutdown.ts'
import { defaultShutdownSettings } from './shutdown-settings.ts'
import { ShutdownWork, type Decided } from './shutdown-work.ts'

const { signal } = new AbortController()
const going = { id: 'a', phase: 'Signalled', action: 'reboot' } as const
const mark = { node: 'six', id: 'a', bootID: 'b' }
const report = {
  node: 'six',
  pod: { name: 'agent', uid: 'u' },
  bootID: 'b',
  shutdown: { mode: 'Prefer' as const, budgetSeconds: 30, going, problems: [] },
}
const view: ShutdownView = {
  node: 'six',
  report,
  mayGo: undefined,
  maintenance: undefined,
  machine: undefined,
  completeAfterReboot: false,
  isOn: true,
}

async function open() {
  const { transport, clock } = buildServer({ definitions: ownKinds() })
  const kube = buildKube(transport, clock)
  await kube.create(nodes, { metadata: { name: 'six' } })
  const mailbox = await kube.create(leases, buildMailbox('shop', report))
  const maintenance = await kube.create(
    nodeMaintenances,
    buildShutdownMaintenance(mark, { nodeUid: 'n', going, drainPlan: [] }),
  )
  const events: ClusterEvent[] = []
  const outcomes: string[] = []
  const work = new ShutdownWork({
    kube,
    clock,
    log: silentLog,
    events: { record: (event) => void events.push(event) },
    shutdownMetrics: { noted: (outcome) => void outcomes.push(outcome) },
    settings: defaultShutdownSettings,
  })
  const apply = (step: ShutdownStep, more: Partial<Decided> = {}) =>
    work.apply({ view: { ...view, maintenance }, mailbox, step, isInProgress: undefined, ...more }, signal)
  return { kube, mailbox, maintenance, events, outcomes, apply }
}

describe('what is told', () => {
  test.each([
    { step: { kind: 'takeOver', mark: { ...mark, id: 'z' }, going }, reason: ['ShutdownHeld'], outcome: ['held'] },
    { step: { kind: 'letGo', going, why: 'drained' }, reason: ['ShutdownLetGo'], outcome: ['letGo'] },
    { step: { kind: 'complete', why: 'cancelled' }, reason: ['ShutdownCancelled'], outcome: ['cancelled'] },
    { step: { kind: 'complete', why: 'rebooted' }, reason: ['ShutdownOver'], outcome: ['rebooted'] },
    // It is there already: whoever made it has told.
    { step: { kind: 'create', mark, going }, reason: [], outcome: [] },
    { step: { kind: 'clean', mark: { ...mark, cleaned: true } }, reason: [], outcome: [] },
    { step: { kind: 'withdraw' }, reason: [], outcome: [] },
    { step: { kind: 'remove' }, reason: [], outcome: [] },
    { step: { kind: 'wait', reason: 'draining' }, reason: [], outcome: [] },
    { step: { kind: 'nothing' }, reason: [], outcome: [] },
  ] as const satisfies readonly { step: ShutdownStep; reason: readonly string[]; outcome: readonly string[] }[])(
    '$step.kind: $reason',
    async ({ step, reason, outcome }) => {
      const { events, outcomes, apply } = await open()
      await apply(step)
      expect(events.map((event) => event.reason)).toEqual(reason)
      expect(outcomes).toEqual(outcome)
    },
  )

  test('a name that somebody else has: once for each shutdown', async () => {
    const { events, apply } = await open()
    const taken = { kind: 'wait', reason: 'nameTaken' } as const
    await apply(taken)
    await apply(taken)
    expect(events.map(({ type, reason }) => `${type} ${reason}`)).toEqual(['Warning ShutdownNotDrained'])
    const second = { ...report, shutdown: { ...report.shutdown, going: { ...going, id: 'z' } } }
    await apply(taken, { view: { ...view, report: second } })
    expect(events).toHaveLength(2)
  })
})

test('the agent is told, and told that it is over', async () => {
  const { kube, mailbox, apply } = await open()
  const mayGo = async () => shutdownThatMayGo(await kube.get(leases, { namespace: 'shop', name: 'lifeboat-agent-six' }))
  await apply({ kind: 'letGo', going, why: 'drained' })
  expect(await mayGo()).toBe('a')
  await apply({ kind: 'withdraw' }, { mailbox })
  expect(await mayGo()).toBeUndefined()
})

test('the node says so before the step, and is asked once for each change', async () => {
  const { kube, apply } = await open()
  const get = vi.spyOn(kube, 'get')
  const patch = vi.spyOn(kube, 'patch')
  const waiting = { kind: 'wait', reason: 'draining' } as const
  for (let looks = 0; looks < 3; looks++) await apply(waiting, { isInProgress: true })
  expect([get.mock.calls.length, patch.mock.calls.length]).toEqual([1, 1])
  await apply({ kind: 'complete', why: 'cancelled' }, { isInProgress: false })
  const written = patch.mock.calls.map(([{ plural }]) => plural)
  expect(written).toEqual(['nodes', 'nodes', 'nodemaintenances'])
  const { status } = await kube.get(nodes, { name: 'six' })
  expect(status?.conditions).toMatchObject([{ type: 'GracefulNodeShutdownInProgress', status: 'False' }])
})

test.each([
  { kind: 'forbidden', mayGo: 'a', says: 'done' },
  { kind: 'serverError', mayGo: undefined, says: 'no' },
] as const)('a condition that fails as $kind', async ({ kind, mayGo, says }) => {
  const { kube, apply } = await open()
  vi.spyOn(kube, 'patch').mockRejectedValueOnce(new KubeError('no', { kind }))
  const applied = apply({ kind: 'letGo', going, why: 'drained' }, { isInProgress: true })
  expect(await applied.then(() => 'done').catch((error: unknown) => (error as Error).message)).toBe(says)
  const key = { namespace: 'shop', name: 'lifeboat-agent-six' }
  expect(shutdownThatMayGo(await kube.get(leases, key))).toBe(mayGo)
})

test('a node that is gone is no trouble', async () => {
  const { kube, events, apply } = await open()
  await kube.delete(nodes, { name: 'six' })
  await apply({ kind: 'letGo', going, why: 'drained' }, { isInProgress: true })
  expect(events).toEqual([])
})
