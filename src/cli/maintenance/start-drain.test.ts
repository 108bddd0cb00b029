import { describe, expect, test } from 'vitest'
import { buildMaintenance } from '../../../test/build/drain-view.ts'
import { validateNodeMaintenance } from '../../api/schema/validate-node-maintenance.ts'
import { parseLabelSelector, selectByName } from './selector.ts'
import { decideDrain, type DrainStart, type WantedDrain } from './start-drain.ts'

const drain = (nodes: readonly string[], more: Partial<WantedDrain> = {}): WantedDrain => ({
  stage: 'Drain',
  nodeSelector: selectByName(nodes),
  nodes,
  isTogether: false,
  ...more,
})

const byLabels = (text: string, ...nodes: readonly string[]) =>
  drain(nodes, { nodeSelector: parseLabelSelector(text), selectorText: text })

const part = (name: string, node: string, more: { stage?: 'Cordon' | 'Complete' } = {}) =>
  buildMaintenance({ name: `${name}-${node}`, nodes: [node], drain: name, ...more })

const summary = ({ starts }: DrainStart) =>
  starts.map((start) =>
    start.kind === 'create'
      ? `create ${start.object.metadata.name}`
      : `attach ${start.maintenance.metadata.name} ${JSON.stringify(start.changes)}`,
  )

test('one maintenance for each node, joined by a label, and each is valid', () => {
  const start = decideDrain(drain(['a', 'b'], { name: 'rack', reason: 'disks' }), [])
  expect(start).toMatchObject({ name: 'rack', isJoined: true })
  expect(summary(start)).toEqual(['create rack-a', 'create rack-b'])
  for (const each of start.starts) {
    if (each.kind !== 'create') throw new Error('all are new')
    expect(each.object.metadata.labels).toEqual({ 'nodemaintenance.k8s.io/drain': 'rack' })
    expect(each.object.spec.reason).toBe('disks')
    expect(each.object.spec.nodeSelector.nodeSelectorTerms).toHaveLength(1)
    expect(validateNodeMaintenance(each.object)).toEqual([])
  }
})

describe('its name', () => {
  test('is that of the same nodes in any order, and of no others', () => {
    const { name } = decideDrain(drain(['a', 'b', 'c']), [])
    expect(name).toMatch(/^drain-3-nodes-[0-9a-f]{6}$/)
    expect(decideDrain(drain(['c', 'a', 'b']), []).name).toBe(name)
    expect(decideDrain(drain(['a', 'b', 'd']), []).name).not.toBe(name)
  })

  test('is that of the labels, whichever nodes have them', () => {
    const { name } = decideDrain(byLabels('topology.kubernetes.io/zone=a', 'a', 'b'), [])
    expect(name).toMatch(/^drain-zone-a-[0-9a-f]{6}$/)
    expect(decideDrain(byLabels('topology.kubernetes.io/zone=a', 'b', 'c', 'd'), []).name).toBe(name)
    expect(decideDrain(byLabels('topology.kubernetes.io/zone!=a', 'a', 'b'), []).name).not.toBe(name)
  })

  test('and those of the nodes fit, and stay apart', () => {
    const long = 'n'.repeat(250)
    const { name, starts } = decideDrain(drain([`${long}aaa`, `${long}bbb`]), [])
    expect(name.length).toBeLessThanOrEqual(63)
    const names = starts.map((start) => (start.kind === 'create' ? start.object.metadata.name : ''))
    expect(new Set(names).size).toBe(2)
    for (const each of names) expect(each).toMatch(/^[a-z0-9][a-z0-9-]{0,251}[a-z0-9]$/)
  })

  test.each(['Not_A_Name', 'x'.repeat(64), 'ends-'])('given as %s is refused before anything is written', (name) => {
    expect(() => decideDrain(drain(['a', 'b'], { name }), [])).toThrow('cannot be the name of a drain')
  })

  test('is never that of a maintenance, nor of a drain that is over', () => {
    const existing = [buildMaintenance({ name: 'rack', nodes: ['z'] }), part('rack-2', 'a', { stage: 'Complete' })]
    expect(decideDrain(drain(['a', 'b'], { name: 'rack' }), existing).name).toBe('rack-3')
    expect(decideDrain(drain(['a'], { name: 'rack-2' }), existing)).toMatchObject({ name: 'rack-2-2', isJoined: false })
  })
})

describe('the same command again', () => {
  test('creates what is missing, whatever failed before', () => {
    const { name } = decideDrain(drain(['a', 'b', 'c']), [])
    expect(summary(decideDrain(drain(['c', 'b', 'a']), [part(name, 'b')]))).toEqual([
      `create ${name}-c`,
      `attach ${name}-b {}`,
      `create ${name}-a`,
    ])
  })

  test('by labels: adds nodes that have them by now', () => {
    const { name } = decideDrain(byLabels('zone=a', 'a'), [])
    expect(summary(decideDrain(byLabels('zone=a', 'a', 'b'), [part(name, 'a')]))).toEqual([
      `attach ${name}-a {}`,
      `create ${name}-b`,
    ])
  })

  test('after a node of it was completed begins that one again', () => {
    const existing = [part('rack', 'a', { stage: 'Complete' }), part('rack', 'b')]
    expect(summary(decideDrain(drain(['a', 'b'], { name: 'rack' }), existing))).toEqual([
      'create rack-a-2',
      'attach rack-b {}',
    ])
  })

  test('with its name, and other nodes, adds these', () => {
    const start = decideDrain(drain(['c'], { name: 'rack' }), [part('rack', 'a')])
    expect(start).toMatchObject({ name: 'rack', isJoined: true })
    expect(summary(start)).toEqual(['create rack-c'])
  })
})

test('a drain continues what a cordon of the same nodes began', () => {
  const { name } = decideDrain(drain(['a', 'b'], { stage: 'Cordon' }), [])
  const existing = ['a', 'b'].map((node) => part(name, node, { stage: 'Cordon' }))
  expect(summary(decideDrain(drain(['b', 'a']), existing))).toEqual([
    `attach ${name}-b {"stage":"Drain"}`,
    `attach ${name}-a {"stage":"Drain"}`,
  ])
})

test('others that drain some of the nodes keep their maintenances', () => {
  const { name, starts } = decideDrain(drain(['a', 'b']), [part('rack', 'a'), buildMaintenance({ nodes: ['b'] })])
  expect(name).not.toBe('rack')
  expect(starts.map(({ kind }) => kind)).toEqual(['create', 'create'])
})

describe('one maintenance', () => {
  test('for a single node that is named', () => {
    expect(decideDrain(drain(['a']), [])).toMatchObject({ name: 'drain-a', isJoined: false })
  })

  test('for all, where that is asked for', () => {
    const start = decideDrain(drain(['a', 'b'], { isTogether: true }), [])
    expect(start).toMatchObject({ name: 'drain-a-and-1-more', isJoined: false })
    expect(start.starts).toHaveLength(1)
  })

  test('that is there for all of these nodes continues', () => {
    const existing = [buildMaintenance({ name: 'drain-a-and-1-more', nodes: ['a', 'b'] })]
    expect(summary(decideDrain(drain(['b', 'a']), existing))).toEqual(['attach drain-a-and-1-more {}'])
  })
})
