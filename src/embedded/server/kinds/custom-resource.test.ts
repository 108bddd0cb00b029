import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { applyStep, titleOf, type Row, type RowObject } from '../../../../test/real/definition-row.ts'
import { evacuationRows, maintenanceRows } from '../../../../test/real/definitions-table.ts'
import { evacuation } from '../../../../test/real/evacuation-rows.ts'
import { maintenance } from '../../../../test/real/node-maintenance-rows.ts'
import type { ResourceDefinition } from '../definition.ts'
import type { FieldFault } from '../failure.ts'
import { metaFaults } from '../object-meta.ts'
import type { AnyObject, Stored } from '../store.ts'
import { customResources } from './custom-resource.ts'

const root = join(import.meta.dirname, '../../../..')

function load(name: string): ResourceDefinition {
  const definition = parse(readFileSync(join(root, 'deploy/crds', `${name}.yaml`), 'utf8')) as Stored
  const [resource] = customResources(definition)
  if (resource === undefined) throw new Error(`${name} serves no version`)
  return resource
}

const evacuations = load('evacuations.evacuation.coordination.k8s.io')
const maintenances = load('nodemaintenances.nodemaintenance.k8s.io')

const fill = (resource: ResourceDefinition, object: AnyObject): AnyObject => {
  const pruned = resource.prune?.(object) ?? object
  return resource.fillDefaults?.(pruned) ?? pruned
}

/** A row's object as a client's JSON arrives: nothing is undefined. */
const sent = (object: RowObject): AnyObject => JSON.parse(JSON.stringify(object)) as AnyObject

/** What the verbs of the server do around a definition. */
function play(resource: ResourceDefinition, row: Row): { object: AnyObject; faults: FieldFault[] } {
  const faultsOf = (object: AnyObject, old?: AnyObject) => [
    ...metaFaults(object, resource),
    ...(resource.validate?.(object, old) ?? []),
  ]
  const created = fill(resource, sent(row.create))
  let object = resource.prepareForCreate?.(created) ?? created
  let faults = faultsOf(object)
  for (const step of row.steps ?? []) {
    expect(faults).toEqual([])
    const old = object
    const changed = fill(resource, sent(applyStep(old as never, step)))
    object = 'status' in step ? { ...old, status: changed['status'] } : { ...changed, status: old['status'] }
    faults = faultsOf(object, old)
  }
  return { object, faults }
}

function holds(resource: ResourceDefinition, row: Row): void {
  const { object, faults } = play(resource, row)
  if (row.refused === undefined) {
    expect(faults).toEqual([])
    expect(object).toMatchObject(row.reads ?? {})
    return
  }
  const { field, message } = row.refused
  expect(faults).toContainEqual(expect.objectContaining({ field, message: expect.stringContaining(message) as string }))
}

const titled = (rows: readonly Row[]) => rows.map((row) => [titleOf(row), row] as const)

// The same rows as test/real/crds.test.ts plays against the real server.
describe('an Evacuation', () => {
  test.each(titled(evacuationRows))('%s', (_title, row) => holds(evacuations, row))
})

describe('a NodeMaintenance', () => {
  test.each(titled(maintenanceRows))('%s', (_title, row) => holds(maintenances, row))
})

describe('a custom resource', () => {
  test('has the names, scope and subresources of its definition', () => {
    expect(evacuations).toMatchObject({
      group: 'evacuation.coordination.k8s.io',
      version: 'v1alpha1',
      plural: 'evacuations',
      shortNames: ['evac'],
      namespaced: true,
      countsGenerations: true,
      mayUpdateUnconditionally: false,
      subresources: [{ name: 'status', kind: 'Evacuation', verbs: ['get', 'patch', 'update'] }],
    })
    expect(maintenances.namespaced).toBe(false)
  })

  test('is found by its selectable fields', () => {
    const read = (field: string) => evacuations.selectableFields[field]?.(sent(evacuation()))
    expect(read('spec.podRef.name')).toBe('cart-7')
    expect(read('status.activeEvacuatorClass')).toBe('')
  })

  test('shows its columns', () => {
    const { object } = play(evacuations, { name: '', create: evacuation() })
    const stored = { ...object, metadata: { ...object.metadata, creationTimestamp: '2026-01-31T12:00:00Z' } }
    const nowMs = Date.parse('2026-01-31T12:03:20Z')
    expect(evacuations.columns.map(({ name }) => name)).toEqual([
      'Pod',
      'Active Evacuator',
      'Progress',
      'Failed Evictions',
      'Age',
      'Message',
    ])
    expect(evacuations.columns.map(({ cell }) => cell(stored as Stored, nowMs))).toEqual([
      'cart-7',
      null,
      null,
      0,
      '3m20s',
      '',
    ])
  })

  test('names a field of the status as the real server does: without the status in front on updates', () => {
    const steps = [{ status: { failedEvictionCounter: -1 } }]
    const { faults } = play(evacuations, { name: '', create: evacuation(), steps })
    expect(faults[0]).toEqual({
      field: 'status.failedEvictionCounter',
      kind: 'Invalid',
      message: 'Invalid value: -1: failedEvictionCounter in body should be greater than or equal to 0',
    })
  })

  test('keeps what was wrong before, as long as it is not touched', () => {
    const old = fill(maintenances, sent(maintenance({ spec: { reason: 'r'.repeat(2_000) } })))
    const relabelled = { ...old, metadata: { ...old.metadata, labels: { a: 'b' } } } as Stored
    expect(maintenances.validate?.(structuredClone(relabelled), old)).toEqual([])
    const changed = { ...relabelled, spec: { ...(old['spec'] as object), reason: 'q'.repeat(2_000) } } as Stored
    expect(maintenances.validate?.(changed, old)).toContainEqual(expect.objectContaining({ field: 'spec.reason' }))
  })

  test('is checked in well under a millisecond', () => {
    const object = fill(evacuations, sent(evacuation()))
    const check = () => expect(evacuations.validate?.(object, undefined)).toHaveLength(0)
    for (let round = 0; round < 200; round++) check()
    const startedMs = performance.now()
    for (let round = 0; round < 200; round++) check()
    // Ten times the promise: other tests run beside this one.
    expect((performance.now() - startedMs) / 200).toBeLessThan(10)
  })
})

describe('pruning and defaults', () => {
  const spec = fc.object({
    key: fc.constantFrom('podRef', 'evacuators', 'name', 'uid', 'priority', 'role', 'x'),
    maxDepth: 4,
  })
  const objects = fc.record({ metadata: fc.constant({ name: 'a' }), spec, status: spec })

  test('are done once and for all', () => {
    fc.assert(
      fc.property(objects, (generated) => {
        const object = JSON.parse(JSON.stringify(generated)) as AnyObject
        const before = structuredClone(object)
        const once = fill(evacuations, object)
        expect(object).toEqual(before)
        expect(evacuations.prune?.(once)).toBe(once)
        expect(evacuations.fillDefaults?.(once)).toBe(once)
      }),
    )
  })
})
