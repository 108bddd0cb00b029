import { describe, expect, test } from 'vitest'
import { buildMaintenance } from '../../../test/build/drain-view.ts'
import { withDefaultDrainPlan, type DrainPlanEntry } from '../../api/maintenance/drain-plan.ts'
import { validateNodeMaintenance } from '../../api/schema/validate-node-maintenance.ts'
import { parseLabelSelector, selectByName } from './selector.ts'
import { decideStart, isOver, maintenanceName, type WantedMaintenance } from './start-maintenance.ts'

const drain = (nodes: readonly string[], more: Partial<WantedMaintenance> = {}): WantedMaintenance => ({
  stage: 'Drain',
  nodeSelector: selectByName(nodes),
  nodes,
  ...more,
})

describe('a name', () => {
  test.each([
    { nodes: ['node-1'], existing: [], expected: 'drain-node-1' },
    { nodes: ['node-1', 'node-2', 'node-3'], existing: [], expected: 'drain-node-1-and-2-more' },
    { nodes: ['node-1'], existing: [{ name: 'drain-node-1', stage: 'Complete' }], expected: 'drain-node-1-2' },
    {
      nodes: ['node-1'],
      existing: [
        { name: 'drain-node-1', stage: 'Complete' },
        { name: 'drain-node-1-2', stage: 'Complete' },
      ],
      expected: 'drain-node-1-3',
    },
    { nodes: ['node-1'], existing: [{ name: 'drain-node-1', nodes: ['node-7'] }], expected: 'drain-node-1-2' },
    { nodes: [`${'a'.repeat(246)}.bcdef`], existing: [], expected: `drain-${'a'.repeat(246)}` },
    {
      nodes: ['b'.repeat(253)],
      existing: [{ name: `drain-${'b'.repeat(247)}`, stage: 'Complete' }],
      expected: `drain-${'b'.repeat(245)}-2`,
    },
  ] as const)('for $nodes.length nodes beside $existing is $expected', ({ nodes, existing, expected }) => {
    const start = decideStart(
      drain(nodes),
      existing.map((look) => buildMaintenance(look)),
    )
    expect(start).toMatchObject({ kind: 'create', object: { metadata: { name: expected }, spec: { stage: 'Drain' } } })
    expect(expected.length).toBeLessThanOrEqual(253)
  })

  test('of a cordon begins with it', () => expect(maintenanceName('Cordon', ['a'])).toBe('cordon-a'))

  test('may be given, and is numbered too', () => {
    const existing = [buildMaintenance({ name: 'os-upgrade', nodes: ['node-7'] })]
    expect(decideStart(drain(['node-1'], { name: 'os-upgrade' }), existing)).toMatchObject({
      kind: 'create',
      object: { metadata: { name: 'os-upgrade-2' } },
    })
  })
})

test('what is created is valid, with reason and plan', () => {
  const plan = [{ podPriority: 100, podType: 'Default' as const }]
  const start = decideStart(drain(['node-1'], { reason: 'OS upgrade', plan }), [])
  expect(start.kind).toBe('create')
  if (start.kind !== 'create') return
  expect(start.object.spec).toMatchObject({ reason: 'OS upgrade', drainPlan: plan })
  expect(validateNodeMaintenance(start.object)).toEqual([])
})

describe('one that is there for the same nodes', () => {
  test.each([
    { name: 'at stage Drain is attached to', look: { name: 'drain-node-1' }, changes: {} },
    { name: 'with a number, too', look: { name: 'drain-node-1-4' }, changes: {} },
    { name: 'at stage Cordon moves on', look: { name: 'cordon-node-1', stage: 'Cordon' }, changes: { stage: 'Drain' } },
    { name: 'at stage Idle moves on', look: { name: 'drain-node-1', stage: 'Idle' }, changes: { stage: 'Drain' } },
  ] as const)('$name', ({ look, changes }) => {
    const existing = buildMaintenance(look)
    expect(decideStart(drain(['node-1']), [existing])).toEqual({ kind: 'attach', maintenance: existing, changes })
  })

  test.each([
    { name: 'that is over', look: { name: 'drain-node-1', stage: 'Complete' } },
    { name: 'of a name that somebody else chose', look: { name: 'os-upgrade' } },
    { name: 'for more nodes', look: { name: 'drain-node-1', nodes: ['node-1', 'node-2'] } },
  ] as const)('but not one $name', ({ look }) => {
    expect(decideStart(drain(['node-1']), [buildMaintenance(look)]).kind).toBe('create')
  })

  test('nor one that is being deleted', () => {
    const { metadata, ...rest } = buildMaintenance({ name: 'drain-node-1' })
    const existing = { ...rest, metadata: { ...metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } }
    expect(isOver(existing)).toBe(true)
    expect(decideStart(drain(['node-1']), [existing]).kind).toBe('create')
  })

  test('is found by labels, whatever their order', () => {
    const { spec, ...rest } = buildMaintenance({ name: 'drain-node-1-and-1-more' })
    const existing = { ...rest, spec: { ...spec, nodeSelector: parseLabelSelector('gpu,zone=a') } }
    const wanted = drain(['node-1', 'node-2'], { nodeSelector: parseLabelSelector('zone=a,gpu') })
    expect(decideStart(wanted, [existing]).kind).toBe('attach')
  })

  test('gets the new reason', () => {
    const existing = buildMaintenance({ name: 'drain-node-1', reason: 'old' })
    expect(decideStart(drain(['node-1'], { reason: 'new' }), [existing])).toMatchObject({ changes: { reason: 'new' } })
    expect(decideStart(drain(['node-1'], { reason: 'old' }), [existing])).toMatchObject({ changes: {} })
  })

  test('is not moved back by a cordon', () => {
    const existing = buildMaintenance({ name: 'drain-node-1' })
    expect(decideStart(drain(['node-1'], { stage: 'Cordon' }), [existing])).toMatchObject({
      kind: 'attach',
      changes: {},
    })
  })

  test('has its plan for good: the same is fine, another is refused', () => {
    const plan: DrainPlanEntry[] = [{ podPriority: 100, podType: 'Default' }]
    const { spec, ...rest } = buildMaintenance({ name: 'drain-node-1' })
    const existing = { ...rest, spec: { ...spec, drainPlan: withDefaultDrainPlan(plan) } }
    expect(decideStart(drain(['node-1'], { plan }), [existing]).kind).toBe('attach')
    expect(() => decideStart(drain(['node-1'], { plan: [] }), [existing])).toThrow(
      'drain-node-1 is there for the same nodes with another drain plan, which cannot change',
    )
  })
})
