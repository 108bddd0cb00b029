import { describe, expect, test } from 'vitest'
import { annotations, finalizers } from '../names.ts'
import { stored } from '../../../test/build/stored.ts'
import { nodeMaintenanceSchema, type NodeMaintenance } from './node-maintenance.ts'
import {
  buildShutdownMaintenance,
  holdsForCleanUp,
  nodeOfShutdownName,
  renderAction,
  renderShutdownMark,
  shutdownMaintenanceName,
  shutdownMarkOf,
} from './shutdown-maintenance.ts'
import { validateSchema } from '../schema/validate-schema.ts'

const mark = { node: 'six', id: '2026-01-01-b', bootID: 'b' }
const going = { id: mark.id, phase: 'Signalled', action: 'reboot' } as const

describe('its name', () => {
  test.each([
    { name: 'a short node', node: 'six', expected: /^shutdown-six$/ },
    { name: 'as long as fits', node: 'n'.repeat(244), expected: /^shutdown-n{244}$/ },
    { name: 'longer', node: 'n'.repeat(253), expected: /^shutdown-n{233}-[0-9a-f]{10}$/ },
    {
      name: 'cut at a dot',
      node: `${'n'.repeat(230)}...${'n'.repeat(20)}`,
      expected: /^shutdown-n{230}-[0-9a-f]{10}$/,
    },
  ])('$name', ({ node, expected }) => {
    const name = shutdownMaintenanceName(node)
    expect(name.length).toBeLessThanOrEqual(253)
    expect(name).toMatch(expected)
  })

  test('two long nodes with the same begin have two', () => {
    expect(shutdownMaintenanceName(`${'n'.repeat(250)}-a`)).not.toBe(shutdownMaintenanceName(`${'n'.repeat(250)}-b`))
  })

  test('leads to the node', () => {
    expect(nodeOfShutdownName('shutdown-six')).toBe('six')
    expect(nodeOfShutdownName('os-upgrade')).toBeUndefined()
  })
})

test('it drains one node, says why, and holds on to what is to be cleaned up', () => {
  const built = buildShutdownMaintenance(mark, { nodeUid: 'n', going, drainPlan: [] })
  expect(built.spec).toEqual({
    nodeSelector: { nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['six'] }] }] },
    stage: 'Drain',
    reason: 'reboot of node six',
  })
  expect(validateSchema(nodeMaintenanceSchema, built)).toEqual([])
  expect(built.metadata.finalizers).toEqual([finalizers.shutdownCleanUp])
  expect(built.metadata.ownerReferences).toEqual([{ apiVersion: 'v1', kind: 'Node', name: 'six', uid: 'n' }])
  expect(holdsForCleanUp(stored<NodeMaintenance>(built))).toBe(true)
  expect(shutdownMarkOf(stored<NodeMaintenance>(built))).toEqual(mark)
})

test('a plan is taken over', () => {
  const drainPlan = [{ podPriority: 5, podType: 'Default' as const }]
  expect(buildShutdownMaintenance(mark, { nodeUid: 'n', going, drainPlan }).spec.drainPlan).toEqual(drainPlan)
})

test.each([
  { action: 'reboot', expected: 'reboot' },
  { action: 'soft-reboot', expected: 'soft-reboot' },
  { action: '', expected: 'shutdown' },
  { action: 'reboot\n<b>', expected: 'shutdown' },
])('the action "$action" is called $expected', ({ action, expected }) => {
  expect(renderAction({ action })).toBe(expected)
})

describe('whose it is', () => {
  const marked = (text: string | undefined, name = 'shutdown-six') =>
    stored<NodeMaintenance>({
      ...buildShutdownMaintenance(mark, { nodeUid: 'n', going, drainPlan: [] }),
      metadata: { name, annotations: text === undefined ? {} : { [annotations.shutdown]: text } },
    })

  test.each([
    { name: 'without the annotation', maintenance: marked(undefined) },
    { name: 'with one that is no JSON', maintenance: marked('{') },
    { name: 'with one that lacks something', maintenance: marked('{"node":"six","id":"a"}') },
    { name: 'with one for another node', maintenance: marked(renderShutdownMark({ ...mark, node: 'seven' })) },
    { name: 'under another name', maintenance: marked(renderShutdownMark(mark), 'os-upgrade') },
  ])('not of Lifeboat: $name', ({ maintenance }) => {
    expect(shutdownMarkOf(maintenance)).toBeUndefined()
  })

  test('what was cleaned up is remembered', () => {
    expect(shutdownMarkOf(marked(renderShutdownMark({ ...mark, cleaned: true })))).toEqual({ ...mark, cleaned: true })
  })
})
