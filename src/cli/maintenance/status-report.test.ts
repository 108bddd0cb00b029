import { expect, test } from 'vitest'
import { buildDrainView } from '../../../test/build/drain-view.ts'
import { reportOf } from './status-report.ts'
import { drainPicture } from '../view/drain-picture.ts'

test('the shape that scripts rely on', () => {
  const view = buildDrainView({
    name: 'drain-node-1',
    reason: 'OS upgrade',
    looks: [{ name: 'node-1', pending: 1, evacuating: 2 }],
    evacuations: [
      {
        pod: 'cart-7',
        node: 'node-1',
        blocker: { kind: 'budget', budget: 'cart', healthy: 1, needed: 2 },
        expectedAtMs: 90_000,
      },
    ],
  })
  expect(reportOf(drainPicture(view, 60_000), [view.maintenance], new Map())).toEqual({
    name: 'drain-node-1',
    maintenances: ['drain-node-1'],
    stage: 'Drain',
    reason: 'OS upgrade',
    createdAt: '1970-01-01T00:00:00Z',
    drained: false,
    completed: false,
    message: '',
    nodesTotal: 1,
    nodesDrained: 0,
    podsPending: 1,
    podsEvacuating: 2,
    expectedFinishAt: '1970-01-01T00:01:30Z',
    nodes: [
      {
        name: 'node-1',
        state: 'blocked',
        podsPending: 1,
        podsEvacuating: 2,
        message: 'Evacuating',
        expectedFinishAt: '1970-01-01T00:01:30Z',
        agent: { installed: false, staticPods: null, shutdown: null },
      },
    ],
    blockers: [
      {
        namespace: 'shop',
        pod: 'cart-7',
        node: 'node-1',
        reason: 'DisruptionBudget',
        message: 'shop/cart-7 waits for budget cart (1 healthy, 2 needed)',
        remedy: 'one more healthy pod under budget cart, or a budget that asks for fewer',
        needsSomebody: true,
      },
    ],
  })
})

test('what nobody knows is null', () => {
  const report = reportOf(drainPicture(buildDrainView({ looks: [{ name: 'node-1' }] }), 0), [], undefined)
  expect(report).toMatchObject({
    expectedFinishAt: null,
    nodes: [{ expectedFinishAt: null, agent: null }],
    blockers: [],
  })
})
