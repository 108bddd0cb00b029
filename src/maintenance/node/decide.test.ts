import { describe, expect, test } from 'vitest'
import type { Node, Pod } from '../../api/kubernetes/core.ts'
import type { NodeMaintenance } from '../../api/maintenance/node-maintenance.ts'
import { noCover, type Cover } from '../plan/active.ts'
import { stored } from '../../../test/build/stored.ts'
import { decideNode, type NodeStep } from './decide.ts'
import type { NodeOutcome } from '../plan/plan.ts'
import type { Targets } from '../plan/targets.ts'

const statusKey = 'nodemaintenance.k8s.io/maintenance-status'
const cordonedKey = 'nodemaintenance.k8s.io/cordoned'
const holdKey = 'nodemaintenance.k8s.io/daemon-set-hold'
const label = 'nodemaintenance.k8s.io/under-maintenance'
const labels = { [label]: 'true' }
const targets: Targets = [{ podPriority: 5, podType: 'Default' }]

const statusText = (choices: object = {}) =>
  JSON.stringify({
    drainTargets: targets,
    drainMessage: 'Evacuating',
    podsPendingEvacuation: 3,
    podsEvacuating: 2,
    ...choices,
  })
const empty = { drainTargets: [], drainMessage: '', podsPendingEvacuation: 0, podsEvacuating: 0 }

const nodeOf = (choices: { status?: string; mark?: true; unschedulable?: true; hold?: string } = {}): Node => ({
  metadata: {
    name: 'one',
    uid: 'u',
    resourceVersion: '7',
    labels: choices.status === undefined ? {} : { [label]: 'true' },
    annotations: {
      ...(choices.status === undefined ? {} : { [statusKey]: choices.status }),
      ...(choices.mark === undefined ? {} : { [cordonedKey]: 'true' }),
      ...(choices.hold === undefined ? {} : { [holdKey]: choices.hold }),
    },
  },
  spec: choices.unschedulable === undefined ? {} : { unschedulable: true },
})

const coverOf = (stage: 'Cordon' | 'Drain', reason?: string): Cover => {
  const object = {
    metadata: { name: 'm' },
    spec: { stage, ...(reason === undefined ? {} : { reason }) },
  } as NodeMaintenance
  const planned = { name: 'm', createdMs: 0, plan: [] }
  const drains = stage === 'Drain'
  return { active: [{ object, drains, planned }], draining: drains ? [planned] : [] }
}

const outcome = {
  targets,
  message: 'Evacuating',
  isDrained: false,
  tally: { pending: 3, evacuating: 2 },
} as unknown as NodeOutcome

const held = { status: statusText(), mark: true, unschedulable: true } as const
const nowMs = 100_000

const decided = (
  node: Node,
  cover: Cover,
  choices: { readonly unknown?: true; readonly writtenAtMs?: number | undefined; readonly nodesWritten?: number } = {},
): NodeStep =>
  decideNode(
    {
      node,
      cover,
      outcome: choices.unknown ? undefined : outcome,
      writtenAtMs: choices.writtenAtMs,
      nodesWritten: choices.nodesWritten ?? 1,
    },
    nowMs,
  )

describe('since when DaemonSet pods are held', () => {
  const daemonTargets: Targets = [...targets, { podPriority: 5, podType: 'DaemonSet' }]
  const status = statusText({ drainTargets: daemonTargets })
  const owner = { apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'logs', uid: '1', controller: true }
  const pods = [
    stored<Pod>({ metadata: { namespace: 'shop', name: 'logs-1', uid: '0a1b2c3d-1', ownerReferences: [owner] } }),
  ]
  const begin = JSON.stringify({ since: '1970-01-01T00:01:40Z', pods: ['0a1b2c3d'] })
  const deciding = (
    node: Node,
    choices: { cover?: Cover; unknown?: true; drainTargets?: Targets; empty?: true } = {},
  ) => {
    const step = decideNode(
      {
        node,
        cover: choices.cover ?? coverOf('Drain'),
        outcome: choices.unknown ? undefined : { ...outcome, targets: choices.drainTargets ?? daemonTargets },
        ...(choices.empty ? {} : { pods }),
        writtenAtMs: nowMs,
        nodesWritten: 1,
      },
      nowMs,
    )
    return step.kind === 'write' ? step.patch.metadata.annotations : step.kind
  }

  test('is noted in the write that lets the first of them leave', () => {
    expect(deciding(nodeOf(held))).toEqual({ [statusKey]: status, [holdKey]: begin })
  })

  test('is noted too where none was on the node', () => {
    const since = JSON.stringify({ since: '1970-01-01T00:01:40Z', pods: [] })
    expect(deciding(nodeOf(held), { empty: true })).toEqual({ [statusKey]: status, [holdKey]: since })
  })

  test('is not noted while only other pods leave', () => {
    expect(deciding(nodeOf(held), { drainTargets: targets })).toBe('nothing')
  })

  test('stays as it was noted first', () => {
    expect(deciding(nodeOf({ ...held, status, hold: 'earlier' }))).toBe('nothing')
  })

  test('is noted at once where it lacks, as after an upgrade, but not before the pods are known', () => {
    expect(deciding(nodeOf({ ...held, status }))).toEqual({ [statusKey]: status, [holdKey]: begin })
    expect(deciding(nodeOf({ ...held, status }), { unknown: true })).toBe('nothing')
  })

  test('goes when nothing is drained any more, and with the maintenance', () => {
    const node = nodeOf({ ...held, status, hold: 'earlier' })
    expect(deciding(node, { cover: coverOf('Cordon') })).toEqual({
      [statusKey]: JSON.stringify(empty),
      [holdKey]: null,
    })
    expect(deciding(node, { cover: noCover })).toEqual({ [statusKey]: null, [cordonedKey]: null, [holdKey]: null })
  })
})

describe('a node that a maintenance holds', () => {
  test('is cordoned and marked in one write, which fails if somebody changes it meanwhile', () => {
    expect(decided(nodeOf(), coverOf('Drain'))).toEqual({
      kind: 'write',
      patch: {
        metadata: {
          uid: 'u',
          resourceVersion: '7',
          annotations: { [statusKey]: statusText(), [cordonedKey]: 'true' },
          labels,
        },
        spec: { unschedulable: true },
      },
      withdraws: false,
      cordons: 'first',
    })
  })

  test('is not marked as cordoned by us if it was unschedulable before', () => {
    expect(decided(nodeOf({ unschedulable: true }), coverOf('Drain'))).toEqual({
      kind: 'write',
      patch: { metadata: { uid: 'u', annotations: { [statusKey]: statusText() }, labels } },
      withdraws: false,
    })
  })

  test('has nothing to evacuate while it is only cordoned', () => {
    const step = decided(nodeOf(), coverOf('Cordon'))
    expect(step).toMatchObject({ patch: { metadata: { annotations: { [statusKey]: JSON.stringify(empty) } } } })
  })

  test('is cordoned at once, also while its pods are not known', () => {
    expect(decided(nodeOf(), coverOf('Drain'), { unknown: true })).toMatchObject({
      patch: { metadata: { annotations: { [statusKey]: JSON.stringify(empty) } }, spec: { unschedulable: true } },
    })
  })

  test('keeps what it has while its pods are not known', () => {
    expect(decided(nodeOf(held), coverOf('Drain'), { unknown: true })).toEqual({ kind: 'nothing' })
  })

  test('says why', () => {
    const step = decided(nodeOf(held), coverOf('Drain', 'OS upgrade'))
    expect(step).toMatchObject({
      patch: { metadata: { annotations: { [statusKey]: statusText({ reason: 'OS upgrade' }) } } },
    })
  })

  test('is left alone when all is said', () => {
    expect(decided(nodeOf(held), coverOf('Drain'))).toEqual({ kind: 'nothing' })
  })

  test('is cordoned again when somebody made it schedulable', () => {
    expect(decided(nodeOf({ status: statusText(), mark: true }), coverOf('Drain'))).toMatchObject({ cordons: 'again' })
  })

  test('is marked then, even if an admin had cordoned it before: the same hand has let it go', () => {
    expect(decided(nodeOf({ status: statusText() }), coverOf('Drain'))).toMatchObject({
      cordons: 'again',
      patch: { metadata: { annotations: { [cordonedKey]: 'true' } } },
    })
  })

  test.each([
    { name: 'at once if it was not written lately', writtenAtMs: undefined, expected: { kind: 'write' } },
    {
      name: 'a while after the last write',
      writtenAtMs: nowMs - 1_000,
      expected: { kind: 'later', atMs: nowMs + 4_000 },
    },
    { name: 'when that while is over', writtenAtMs: nowMs - 5_000, expected: { kind: 'write' } },
    {
      name: 'later where there are many nodes, so that all of them are written twice a second',
      writtenAtMs: nowMs - 5_000,
      nodesWritten: 40,
      expected: { kind: 'later', atMs: nowMs + 15_000 },
    },
    {
      name: 'within a minute of the last write, however many there are',
      writtenAtMs: nowMs - 60_000,
      nodesWritten: 5_000,
      expected: { kind: 'write' },
    },
  ])('gets new numbers $name', ({ writtenAtMs, nodesWritten = 1, expected }) => {
    const node = nodeOf({ ...held, status: statusText({ podsEvacuating: 1 }) })
    expect(decided(node, coverOf('Drain'), { writtenAtMs, nodesWritten })).toMatchObject(expected)
  })

  test('gets new targets and messages at once', () => {
    const node = nodeOf({ ...held, status: statusText({ drainMessage: 'Waiting for m.' }) })
    expect(decided(node, coverOf('Drain'), { writtenAtMs: nowMs })).toMatchObject({ kind: 'write', withdraws: false })
  })

  test('has what cannot be read written anew', () => {
    const node = nodeOf({ ...held, status: '?' })
    expect(decided(node, coverOf('Drain'), { writtenAtMs: nowMs })).toMatchObject({ kind: 'write' })
  })

  test('has its Evacuations withdrawn when nobody drains it any more, though it stays cordoned', () => {
    expect(decided(nodeOf(held), coverOf('Cordon'))).toEqual({
      kind: 'write',
      patch: { metadata: { uid: 'u', annotations: { [statusKey]: JSON.stringify(empty) }, labels } },
      withdraws: true,
    })
  })
})

describe('a node that no maintenance holds', () => {
  test.each([
    { name: 'is left alone', node: nodeOf(), expected: { kind: 'nothing' } },
    {
      name: 'is left alone if somebody else cordoned it',
      node: nodeOf({ unschedulable: true }),
      expected: { kind: 'nothing' },
    },
    {
      name: 'is made schedulable if it is marked',
      node: nodeOf(held),
      expected: {
        kind: 'write',
        patch: {
          metadata: {
            uid: 'u',
            resourceVersion: '7',
            annotations: { [statusKey]: null, [cordonedKey]: null },
            labels: { [label]: null },
          },
          spec: { unschedulable: null },
        },
        withdraws: true,
        uncordons: true,
      },
    },
    {
      name: 'stays cordoned if it was so before',
      node: nodeOf({ status: statusText(), unschedulable: true }),
      expected: {
        kind: 'write',
        patch: {
          metadata: {
            uid: 'u',
            resourceVersion: '7',
            annotations: { [statusKey]: null, [cordonedKey]: null },
            labels: { [label]: null },
          },
        },
        withdraws: true,
      },
    },
  ])('$name', ({ node, expected }) => {
    expect(decided(node, noCover)).toEqual(expected)
  })
})
