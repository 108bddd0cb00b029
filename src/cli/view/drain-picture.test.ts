import { describe, expect, test } from 'vitest'
import { buildDrainView, buildDrainedNode } from '../../../test/build/drain-view.ts'
import { newNodeMaintenanceStatus } from '../../api/maintenance/node-maintenance.ts'
import { drainPicture, sightOf } from './drain-picture.ts'

const budget = { kind: 'budget', budget: 'cart', healthy: 1, needed: 2 } as const
const turn = { kind: 'turn', owner: 'Deployment web', limit: 'maxSurge', allowed: 1 } as const

describe('a node', () => {
  test.each([
    {
      name: 'with blocked pods waits for the first of them',
      look: { pending: 2, evacuating: 2 },
      evacuations: [
        { pod: 'cart-7', node: 'node-1', blocker: budget },
        { pod: 'web-1', node: 'node-1', blocker: turn },
      ],
      expected: { state: 'blocked', waitsFor: 'shop/cart-7 waits for budget cart (1 healthy, 2 needed), 1 more' },
    },
    {
      name: 'whose pods wait for their turn is on its way',
      look: { evacuating: 1 },
      evacuations: [{ pod: 'web-1', node: 'node-1', blocker: turn }],
      expected: { state: 'moving', waitsFor: expect.stringContaining('waits for its turn') },
    },
    {
      name: 'that another maintenance holds up says so',
      look: { pending: 1, message: 'Waiting for maintenance-b.' },
      evacuations: [],
      expected: { state: 'waiting', waitsFor: 'Waiting for maintenance-b.' },
    },
    {
      name: 'with pods on the way counts them',
      look: { pending: 1, evacuating: 2 },
      evacuations: [{ pod: 'web-1', node: 'node-1' }],
      expected: { state: 'moving', waitsFor: '2 on the way, 1 to come' },
    },
    {
      name: 'that is drained says what stays',
      look: { message: 'Drained (1 static pod stays)' },
      evacuations: [],
      expected: { state: 'drained', waitsFor: 'drained (1 static pod stays)' },
    },
    {
      name: 'is not blocked by pods of other nodes',
      look: { evacuating: 1 },
      evacuations: [{ pod: 'cart-7', node: 'node-2', blocker: budget }],
      expected: { state: 'moving' },
    },
  ])('$name', ({ look, evacuations, expected }) => {
    const view = buildDrainView({ looks: [{ name: 'node-1', ...look }], evacuations })
    expect(drainPicture(view, 60_000).nodes[0]).toMatchObject(expected)
  })

  test('at stage Cordon is cordoned, also if an earlier drain left numbers', () => {
    const view = buildDrainView({ stage: 'Cordon', looks: [{ name: 'node-1', isCordoned: true }] })
    expect(drainPicture(view, 0).nodes[0]).toMatchObject({ state: 'cordoned', waitsFor: 'cordoned' })
  })

  test('that nobody has come to is there all the same, once', () => {
    const view = buildDrainView({
      looks: [{ name: 'node-1', pending: 1 }],
      view: { expectedNodes: ['node-1', 'node-2'] },
    })
    const { nodes, nodesTotal } = drainPicture(view, 0)
    expect(nodes.map(({ name, state }) => `${name} ${state}`)).toEqual(['node-1 waiting', 'node-2 unseen'])
    expect(nodesTotal).toBe(2)
  })

  test('that a completed maintenance has given back is not its own any more, whoever drains it now', () => {
    const { maintenance, ...view } = buildDrainView({
      stage: 'Complete',
      looks: [{ name: 'node-1', evacuating: 1 }],
      evacuations: [
        { pod: 'web-0', node: 'node-1', blocker: { kind: 'budget', budget: 'web', healthy: 1, needed: 1 } },
      ],
    })
    const completed = {
      type: 'Completed',
      status: 'True' as const,
      reason: 'Completed',
      message: '',
      lastTransitionTime: '',
    }
    const status = { ...newNodeMaintenanceStatus, ...maintenance.status, conditions: [completed] }
    const { nodes, evacuating, waiting } = drainPicture({ ...view, maintenance: { ...maintenance, status } }, 0)
    expect({ nodes, evacuating, waiting }).toEqual({ nodes: [], evacuating: 0, waiting: [] })
  })

  test('counts what has left since somebody looks', () => {
    const history = new Map([['node-1', { left: 2, gone: 3, isDrained: false, drainedAtMs: undefined }]])
    const view = buildDrainView({ looks: [{ name: 'node-1', pending: 1, evacuating: 1 }], view: { history } })
    expect(drainPicture(view, 0)).toMatchObject({ gone: 3, total: 5, nodes: [{ gone: 3, total: 5 }] })
  })
})

describe('times', () => {
  const looks = [{ name: 'node-1', evacuating: 2 }]

  test.each([
    {
      name: 'all pods know theirs: the latest counts',
      evacuations: [
        { pod: 'a', node: 'node-1', expectedAtMs: 90_000 },
        { pod: 'b', node: 'node-1', expectedAtMs: 120_000 },
      ],
      expected: { atMs: 120_000, inMs: 60_000, isAtLeast: false },
    },
    {
      name: 'one does not: it may take longer',
      evacuations: [
        { pod: 'a', node: 'node-1', expectedAtMs: 90_000 },
        { pod: 'b', node: 'node-1' },
      ],
      expected: { atMs: 90_000, inMs: 30_000, isAtLeast: true },
    },
    {
      name: 'it is over already, and that of the other pod is not known: soon at the earliest',
      evacuations: [{ pod: 'a', node: 'node-1', expectedAtMs: 10_000 }],
      expected: { atMs: 10_000, inMs: 0, isAtLeast: true },
    },
    { name: 'nobody knows: neither do we', evacuations: [{ pod: 'a', node: 'node-1' }], expected: undefined },
  ])('expected: $name', ({ evacuations, expected }) => {
    const picture = drainPicture(buildDrainView({ looks, evacuations }), 60_000)
    expect(picture.expected).toEqual(expected)
    expect(picture.nodes[0]?.expected).toEqual(expected)
  })

  test('elapsed counts from the beginning of the stage to the end of the drain', () => {
    expect(drainPicture(buildDrainView({ looks, beganMs: 10_000 }), 60_000).elapsedMs).toBe(50_000)
    expect(drainPicture(buildDrainView({ looks, beganMs: 10_000, drainedMs: 40_000 }), 60_000)).toMatchObject({
      elapsedMs: 30_000,
      isDrained: true,
    })
  })

  test.each([
    [0, false],
    [5_000, false],
    [60_000, true],
    [undefined, false],
  ])('a view that began at %s has seen only a part: %s', (sinceMs, isPartial) => {
    expect(drainPicture(buildDrainView({ looks, view: { sinceMs } }), 90_000).isPartial).toBe(isPartial)
  })

  test('a node that was drained before the view began has no time of its own', () => {
    const view = buildDrainView({ looks: [{ name: 'node-1' }] })
    expect(drainPicture(view, 60_000).nodes[0]?.elapsedMs).toBeUndefined()
  })
})

test('the worst come first: blocked, then most left, then those not begun, drained last, in the order of their numbers', () => {
  const view = buildDrainView({
    looks: [
      { name: 'node-1' },
      { name: 'node-10', pending: 1 },
      { name: 'node-9', pending: 1 },
      { name: 'node-3', evacuating: 4 },
      { name: 'node-4', evacuating: 1 },
    ],
    evacuations: [{ pod: 'cart-7', node: 'node-4', blocker: budget }],
    view: { expectedNodes: ['node-0'] },
  })
  const names = drainPicture(view, 0).nodes.map(({ name }) => name)
  expect(names).toEqual(['node-4', 'node-3', 'node-9', 'node-10', 'node-0', 'node-1'])
})

test('what the history remembers is what the status of the node says', () => {
  expect(sightOf(buildDrainedNode({ name: 'node-1', pending: 2, evacuating: 1 }))).toEqual({
    name: 'node-1',
    left: 3,
    isDrained: false,
  })
  expect(sightOf(buildDrainedNode({ name: 'node-1', isCordoned: true })).isDrained).toBe(false)
  expect(sightOf(buildDrainedNode({ name: 'node-1' })).isDrained).toBe(true)
})

test('once the whole is drained no node lags behind, though its own word comes later', () => {
  const history = new Map([['node-1', { left: 2, gone: 3, isDrained: false, drainedAtMs: undefined }]])
  const view = buildDrainView({
    looks: [{ name: 'node-1', evacuating: 2 }],
    evacuations: [{ pod: 'cart-7', node: 'node-1', blocker: budget }],
    drainedMs: 40_000,
    view: { history },
  })
  expect(drainPicture(view, 60_000)).toMatchObject({
    nodesDrained: 1,
    gone: 5,
    total: 5,
    waiting: [],
    nodes: [{ state: 'drained', waitsFor: 'drained', pending: 0, evacuating: 0, elapsedMs: 40_000 }],
  })
})

test('a reason is one line, and no order to the terminal', () => {
  const view = buildDrainView({ reason: 'one\ntwo\u001B[2J', looks: [{ name: 'node-1', message: 'a\nb', pending: 1 }] })
  expect(drainPicture(view, 0)).toMatchObject({ reason: 'one two', nodes: [{ message: 'a b' }] })
})

describe('the numbers of a node', () => {
  const target = { podPriority: 1_000_000_000, podType: 'Default' } as const
  const report = { drainTargets: [target], drainMessage: 'Evacuating', podsPendingEvacuation: 0, podsEvacuating: 1 }
  const reports = new Map([['node-1', report]])

  test.each([
    { name: 'are those of the maintenance, which are newer', look: { pending: 2, evacuating: 5 }, left: 1 },
    { name: 'are its own once it says that it is drained', look: {}, left: 0 },
  ])('$name', ({ look, left }) => {
    expect(sightOf(buildDrainedNode({ name: 'node-1', ...look }), reports).left).toBe(left)
  })

  test('are its own where the maintenance has no room for it', () => {
    expect(sightOf(buildDrainedNode({ name: 'node-2', pending: 2 }), reports).left).toBe(2)
  })

  test('are shown', () => {
    const view = buildDrainView({ looks: [{ name: 'node-1', pending: 7 }] })
    const { status = newNodeMaintenanceStatus } = view.maintenance
    const nodeStatuses = [{ nodeRef: { name: 'node-1' }, ...report }]
    const told = { ...view, maintenance: { ...view.maintenance, status: { ...status, nodeStatuses } } }
    expect(drainPicture(told, 0).nodes[0]).toMatchObject({ pending: 0, evacuating: 1, waitsFor: '1 on the way' })
  })

  test('may not be there yet', () => {
    const view = buildDrainView({ looks: [{ name: 'node-1', isCordoned: true }] })
    expect(drainPicture(view, 0).nodes[0]).toMatchObject({ waitsFor: 'its pods are being counted' })
  })
})
