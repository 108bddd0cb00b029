import { describe, expect, test } from 'vitest'
import { buildDrainedNode, buildEvacuation, buildMaintenance, type NodeLook } from '../../../test/build/drain-view.ts'
import { parseLabelSelector } from '../maintenance/selector.ts'
import { noHistory } from './drain-history.ts'
import { drainPictures, namedNodes, type Sights } from './join-pictures.ts'

const blocker = { kind: 'budget', budget: 'cart', healthy: 1, needed: 2 } as const

function sights(looks: readonly NodeLook[], evacuations: Sights['evacuations'] = []): Sights {
  const nodes = looks.map(buildDrainedNode)
  return { nodes, expectedNodes: namedNodes, evacuations, history: noHistory, sinceMs: undefined }
}

const rack = (...parts: readonly (Parameters<typeof buildMaintenance>[0] & object)[]) => ({
  name: 'rack',
  isJoined: true,
  maintenances: parts.map((part) => buildMaintenance({ drain: 'rack', ...part })),
})

describe('a drain of several nodes is shown as one', () => {
  const looks = [{ name: 'node-1', pending: 2, evacuating: 1 }, { name: 'node-2' }]
  const waits = [buildEvacuation({ pod: 'cart-7', node: 'node-1', blocker })]
  const parts = [
    { name: 'rack-1', nodes: ['node-1'], reason: 'disks' },
    { name: 'rack-2', nodes: ['node-2'], reason: 'disks', beganMs: 2_000, drainedMs: 9_000 },
    { name: 'rack-3', nodes: ['node-3'], reason: 'disks' },
  ]
  const [picture] = drainPictures([rack(...parts)], sights(looks, waits), 60_000)

  test('with totals, and the node that is blocked first', () => {
    expect(picture).toMatchObject({
      name: 'rack',
      stage: 'Drain',
      reason: 'disks',
      isDrained: false,
      nodesTotal: 3,
      nodesDrained: 1,
      pending: 2,
      evacuating: 1,
      elapsedMs: 60_000,
      createdAtMs: 0,
    })
    expect(picture?.nodes.map(({ name, state }) => `${name} ${state}`)).toEqual([
      'node-1 blocked',
      'node-3 unseen',
      'node-2 drained',
    ])
    expect(picture?.waiting.map(({ pod }) => pod)).toEqual(['cart-7'])
  })

  test('drained when all that are left are', () => {
    const drained = ['node-1', 'node-2', 'node-3'].map((node) => ({ name: node, nodes: [node], drainedMs: 9_000 }))
    const over = { name: 'rack-4', nodes: ['node-4'], stage: 'Complete' as const }
    const [all] = drainPictures([rack(...drained, over)], sights([]), 60_000)
    expect(all).toMatchObject({ isDrained: true, stage: 'Drain', nodesTotal: 3, elapsedMs: 9_000 })
  })

  test('completed when all are', () => {
    const over = rack({ name: 'rack-1', stage: 'Complete' }, { name: 'rack-2', stage: 'Complete' })
    expect(drainPictures([over], sights([]), 0)[0]).toMatchObject({ stage: 'Complete', isCompleted: false })
  })
})

test('a pod is listed once, though two maintenances of its node wait for it', () => {
  const twice = rack({ name: 'a', nodes: ['node-1'] }, { name: 'b', nodes: ['node-1'] })
  const waits = [buildEvacuation({ pod: 'cart-7', node: 'node-1', blocker })]
  const [picture] = drainPictures([twice], sights([{ name: 'node-1', evacuating: 1 }], waits), 0)
  expect(picture?.waiting).toHaveLength(1)
})

test('maintenances by labels have the nodes that have them', () => {
  const { spec, ...rest } = buildMaintenance({ name: 'zone' })
  const maintenance = { ...rest, spec: { ...spec, nodeSelector: parseLabelSelector('zone=a') } }
  const node = buildDrainedNode({ name: 'node-1', pending: 1 })
  const labelled = { ...node, metadata: { ...node.metadata, labels: { ...node.metadata.labels, zone: 'a' } } }
  const seen = { ...sights([{ name: 'node-2' }]), nodes: [labelled, buildDrainedNode({ name: 'node-2' })] }
  const [picture] = drainPictures([{ name: 'zone', isJoined: false, maintenances: [maintenance] }], seen, 0)
  expect(picture?.nodes.map(({ name }) => name)).toEqual(['node-1'])
})

test('an Evacuation is looked at a few times, however many maintenances the drain has', () => {
  const names = Array.from({ length: 100 }, (_, index) => `node-${index}`)
  let looks = 0
  const moving = names.map((node) => {
    const { metadata, ...rest } = buildEvacuation({ pod: 'p', node })
    const watched = { ...rest, metadata }
    return Object.defineProperty(watched, 'metadata', { get: () => (looks++, metadata) })
  })
  const drain = rack(...names.map((name) => ({ name: `rack-${name}`, nodes: [name] })))
  const nodes = names.map((name) => ({ name, evacuating: 1 }))
  const [picture] = drainPictures([drain], sights(nodes, moving), 0)
  expect(picture).toMatchObject({ nodesTotal: 100, evacuating: 100 })
  expect(looks).toBeLessThan(10 * names.length)
})
