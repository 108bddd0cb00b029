import { describe, expect, test } from 'vitest'
import type { ShutdownReport } from '../../api/maintenance/agent-shutdown.ts'
import type { Condition } from '../../api/kubernetes/meta.ts'
import { annotations, finalizers } from '../../api/names.ts'
import { newNodeMaintenanceStatus, type NodeMaintenance } from '../../api/maintenance/node-maintenance.ts'
import { buildShutdownMaintenance, type ShutdownMark } from '../../api/maintenance/shutdown-maintenance.ts'
import { storedMeta } from '../../../test/build/stored.ts'
import { decideShutdown, inProgressOf, type ShutdownView } from './decide-shutdown.ts'

const going = { id: 'first', phase: 'Signalled', action: 'reboot' } as const
const mark: ShutdownMark = { node: 'six', id: 'first', bootID: 'boot-1' }

function reportWith(shutdown: Partial<ShutdownReport> | undefined, bootID = 'boot-1') {
  const report = { node: 'six', pod: { name: 'agent', uid: 'u' }, bootID }
  if (shutdown === undefined) return report
  return { ...report, shutdown: { mode: 'Prefer' as const, budgetSeconds: 1_800, problems: [], ...shutdown } }
}

const isGoing = reportWith({ going })
const atRest = reportWith({})
const rebooted = reportWith({}, 'boot-2')

interface Own extends Partial<ShutdownMark> {
  readonly stage?: NodeMaintenance['spec']['stage']
  readonly isTrue?: string
  readonly isDeleted?: true
  readonly isHeld?: false
}

function own({ stage = 'Drain', isTrue, isDeleted, isHeld, ...marked }: Own = {}): NodeMaintenance {
  const built = buildShutdownMaintenance({ ...mark, ...marked }, { nodeUid: 'n', going, drainPlan: [] })
  const met: Condition[] =
    isTrue === undefined ? [] : [{ type: isTrue, status: 'True', reason: 'R', message: '', lastTransitionTime: '' }]
  return {
    metadata: storedMeta({
      ...built.metadata,
      ...(isDeleted === undefined ? {} : { deletionTimestamp: '2026-01-01T00:00:00Z' }),
      ...(isHeld === undefined ? {} : { finalizers: [] }),
    }),
    spec: { ...built.spec, stage },
    status: { ...newNodeMaintenanceStatus, conditions: met },
  }
}

const ended = own({ stage: 'Complete', isTrue: 'Completed' })
const stillHeld: NodeMaintenance = {
  ...ended,
  metadata: {
    ...ended.metadata,
    finalizers: [...(ended.metadata.finalizers ?? []), finalizers.maintenanceCompletion],
  },
}
const foreign: NodeMaintenance = { ...own(), metadata: storedMeta({ name: 'shutdown-six' }) }
const unmarked: NodeMaintenance = {
  ...own(),
  metadata: storedMeta({ name: 'shutdown-six', annotations: { [annotations.shutdown]: '{' } }),
}

const viewOf = (view: Partial<ShutdownView>): ShutdownView => ({
  node: 'six',
  report: atRest,
  mayGo: undefined,
  maintenance: undefined,
  machine: undefined,
  completeAfterReboot: false,
  isOn: true,
  ...view,
})

interface Row {
  readonly name: string
  readonly view: Partial<ShutdownView>
  readonly expected: object
}

const nothing = { kind: 'nothing' }
const wait = (reason: string) => ({ kind: 'wait', reason })
const letGo = (why: string) => ({ kind: 'letGo', going, why })
const clean = (more: Partial<ShutdownMark> = {}) => ({ kind: 'clean', mark: { ...mark, ...more, cleaned: true } })
const completed = { stage: 'Complete', isTrue: 'Completed' } as const

describe('on its way down', () => {
  const rows: readonly Row[] = [
    { name: 'no maintenance: made', view: {}, expected: { kind: 'create', mark, going } },
    { name: 'one that drains: waits', view: { maintenance: own() }, expected: wait('draining') },
    { name: 'drained: goes on', view: { maintenance: own({ isTrue: 'Drained' }) }, expected: letGo('drained') },
    {
      name: 'completed by an admin: goes on',
      view: { maintenance: own({ stage: 'Complete' }) },
      expected: letGo('ended'),
    },
    { name: 'deleted by an admin: goes on', view: { maintenance: own({ isDeleted: true }) }, expected: letGo('ended') },
    {
      name: 'told already: nothing',
      view: { mayGo: 'first', maintenance: own({ isTrue: 'Drained' }) },
      expected: nothing,
    },
    { name: 'told already, and the maintenance gone: nothing', view: { mayGo: 'first' }, expected: nothing },
    {
      name: 'told already, and completed: what the kubelet leaves behind is still to come',
      view: { mayGo: 'first', maintenance: own(completed) },
      expected: nothing,
    },
    {
      name: 'told already, and deleted: it may go',
      view: { mayGo: 'first', maintenance: own({ ...completed, isDeleted: true }) },
      expected: clean(),
    },
    {
      name: 'an earlier one was told: this one is not',
      view: { mayGo: 'before', maintenance: own() },
      expected: wait('draining'),
    },
    {
      name: 'one of an earlier shutdown that nobody completed: taken over',
      view: { maintenance: own({ id: 'before', bootID: 'boot-0', isTrue: 'Drained' }) },
      expected: { kind: 'takeOver', mark, going },
    },
    {
      name: 'one of an earlier shutdown that is complete: makes room',
      view: { maintenance: own({ id: 'before', bootID: 'boot-0', ...completed }) },
      expected: { kind: 'remove' },
    },
    {
      name: 'one of an earlier shutdown that goes: waited for',
      view: { maintenance: own({ id: 'before', stage: 'Complete', isDeleted: true }) },
      expected: wait('predecessorEnds'),
    },
    {
      name: 'one of an earlier shutdown that goes, given back: cleaned up, so that it can',
      view: { maintenance: own({ id: 'before', ...completed, isDeleted: true }) },
      expected: clean({ id: 'before' }),
    },
    { name: 'one of somebody else: left alone', view: { maintenance: foreign }, expected: wait('nameTaken') },
    { name: 'one whose mark cannot be read: the same', view: { maintenance: unmarked }, expected: wait('nameTaken') },
    { name: 'with the gate off: goes on', view: { isOn: false }, expected: letGo('gateOff') },
    { name: 'with the gate off, told already: nothing', view: { isOn: false, mayGo: 'first' }, expected: nothing },
  ]

  test.each(rows)('$name', ({ view, expected }) => {
    expect(decideShutdown(viewOf({ report: isGoing, ...view }))).toEqual(expected)
  })
})

describe('not going down', () => {
  const back = { isReady: true, bootID: 'boot-2' }
  const rows: readonly Row[] = [
    { name: 'nothing was: nothing', view: {}, expected: nothing },
    { name: 'a maintenance of somebody else: nothing', view: { maintenance: foreign }, expected: nothing },
    {
      name: 'the word to go on is taken back first',
      view: { mayGo: 'first', maintenance: own() },
      expected: { kind: 'withdraw' },
    },
    {
      name: 'cancelled or forgotten: completed',
      view: { maintenance: own({ isTrue: 'Drained' }) },
      expected: { kind: 'complete', why: 'cancelled' },
    },
    {
      name: 'logind does not answer: unknown is not cancelled',
      view: { report: reportWith({ mode: 'Unknown' }), maintenance: own() },
      expected: wait('unknown'),
    },
    { name: 'rebooted: left to the admin', view: { report: rebooted, maintenance: own() }, expected: wait('admin') },
    {
      name: 'rebooted, and the agent still repeats what it knew: the same',
      view: { report: reportWith({ going, mode: 'Unknown' }, 'boot-2'), maintenance: own() },
      expected: wait('admin'),
    },
    {
      name: 'rebooted, to be completed: not before anybody has looked at the node',
      view: { report: rebooted, maintenance: own(), completeAfterReboot: true },
      expected: wait('machineReturns'),
    },
    {
      name: 'rebooted, to be completed: not before the node is Ready',
      view: { report: rebooted, maintenance: own(), completeAfterReboot: true, machine: { ...back, isReady: false } },
      expected: wait('machineReturns'),
    },
    {
      name: 'rebooted, to be completed: not while Ready is that of the time before',
      view: { report: rebooted, maintenance: own(), completeAfterReboot: true, machine: { ...back, bootID: 'boot-1' } },
      expected: wait('machineReturns'),
    },
    {
      name: 'rebooted and Ready: completed',
      view: { report: rebooted, maintenance: own(), completeAfterReboot: true, machine: back },
      expected: { kind: 'complete', why: 'rebooted' },
    },
    { name: 'being completed: nothing yet', view: { maintenance: own({ stage: 'Complete' }) }, expected: nothing },
    {
      name: 'completed, and still held by the controller of maintenances: nothing yet',
      view: { maintenance: stillHeld },
      expected: nothing,
    },
    { name: 'completed: cleaned up', view: { maintenance: own(completed) }, expected: clean() },
    {
      name: 'cleaned up: nothing',
      view: { maintenance: own({ ...completed, cleaned: true, isHeld: false }) },
      expected: nothing,
    },
    {
      name: 'deleted, and not given back yet: nothing yet',
      view: { maintenance: own({ isDeleted: true }) },
      expected: nothing,
    },
    {
      name: 'deleted after the reboot: cleaned up',
      view: { report: rebooted, maintenance: own({ ...completed, isDeleted: true }) },
      expected: clean(),
    },
    {
      name: 'with the gate off, told: taken back',
      view: { isOn: false, mayGo: 'first' },
      expected: { kind: 'withdraw' },
    },
    { name: 'with the gate off: nothing', view: { isOn: false }, expected: nothing },
  ]

  test.each(rows)('$name', ({ view, expected }) => {
    expect(decideShutdown(viewOf(view))).toEqual(expected)
  })
})

describe.each([
  { name: 'no mailbox, or no report that can be read', report: undefined },
  { name: 'an agent that does not look after shutdowns', report: reportWith(undefined) },
])('$name', ({ report }) => {
  test.each([
    { name: 'nothing', view: {}, expected: nothing },
    { name: 'a drain goes on', view: { maintenance: own() }, expected: nothing },
    { name: 'what it was told stays', view: { mayGo: 'first', maintenance: own() }, expected: nothing },
    { name: 'what an admin completed is cleaned up', view: { maintenance: own(completed) }, expected: clean() },
  ])('$name', ({ view, expected }) => {
    expect(decideShutdown(viewOf({ report, ...view }))).toEqual(expected)
  })
})

describe('what the node says of it', () => {
  const scheduled = reportWith({ going: { ...going, phase: 'Scheduled' } })
  test.each([
    { name: 'not before the maintenance is there', view: { report: isGoing }, expected: undefined },
    { name: 'true from the signal on', view: { report: isGoing, maintenance: own() }, expected: true },
    { name: 'still true when it was told to go on', view: { report: isGoing, mayGo: 'first' }, expected: true },
    {
      name: 'nothing new while a maintenance of an earlier one is in the way',
      view: { report: isGoing, maintenance: own({ id: 'before' }) },
      expected: undefined,
    },
    { name: 'not while it is only planned', view: { report: scheduled, maintenance: own() }, expected: false },
    { name: 'false when it is cancelled', view: { maintenance: own() }, expected: false },
    { name: 'false after the reboot', view: { report: rebooted, maintenance: own() }, expected: false },
    { name: 'false as long as the agent is not told otherwise', view: { mayGo: 'first' }, expected: false },
    { name: 'nothing where nothing was', view: {}, expected: undefined },
    {
      name: 'nothing more once all is cleaned up',
      view: { maintenance: own({ ...completed, cleaned: true }) },
      expected: undefined,
    },
    { name: 'nothing for a maintenance of somebody else', view: { maintenance: foreign }, expected: undefined },
    { name: 'nothing while nobody reports', view: { report: undefined, maintenance: own() }, expected: undefined },
    {
      name: 'false when an admin ends it without a report',
      view: { report: undefined, maintenance: own(completed) },
      expected: false,
    },
    { name: 'false with the gate off', view: { report: isGoing, mayGo: 'first', isOn: false }, expected: false },
  ])('$name', ({ view, expected }) => {
    expect(inProgressOf(viewOf(view))).toBe(expected)
  })
})
