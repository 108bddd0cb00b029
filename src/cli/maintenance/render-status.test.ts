import { expect, test } from 'vitest'
import { buildDrainView } from '../../../test/build/drain-view.ts'
import { renderStatusDetail, renderStatusTable } from './render-status.ts'
import { drainPicture } from '../view/drain-picture.ts'

const budget = { kind: 'budget', budget: 'cart', healthy: 1, needed: 2 } as const
const nowMs = 90_000

const draining = drainPicture(
  buildDrainView({
    name: 'drain-node-1-and-1-more',
    reason: 'OS upgrade',
    beganMs: 30_000,
    looks: [{ name: 'node-1', pending: 1, evacuating: 1 }, { name: 'node-2' }],
    evacuations: [{ pod: 'cart-7', node: 'node-1', blocker: budget, expectedAtMs: 130_000 }],
  }),
  nowMs,
)
const cordoned = drainPicture(
  buildDrainView({ name: 'cordon-node-3', stage: 'Cordon', looks: [{ name: 'node-3', isCordoned: true }] }),
  nowMs,
)

const agentWith = (...parked: string[]) => ({
  node: 'node-1',
  pod: { name: 'agent', uid: 'u' },
  bootID: 'b',
  staticPods: { folder: '/m', parked, superseded: [], problems: [] },
})

test('a table, oldest first, and what waits below', () => {
  expect(renderStatusTable([draining, cordoned], { wide: false, nowMs })).toEqual([
    'NAME                      STAGE    NODES   DRAINED   PENDING   EVACUATING   EXPECTED   AGE',
    'cordon-node-3             Cordon   1       -         0         0            -          1m30s',
    'drain-node-1-and-1-more   Drain    2       1         1         1            in >40s    1m',
    '',
    '1 pod waits:',
    '  shop/cart-7 waits for budget cart (1 healthy, 2 needed) (node-1)',
    '    what helps: one more healthy pod under budget cart, or a budget that asks for fewer',
  ])
})

test('a pod that two maintenances of its node wait for is listed once', () => {
  const lines = renderStatusTable([draining, { ...draining, name: 'new-disks' }], { wide: false, nowMs })
  expect(lines.filter((line) => line.includes('shop/cart-7'))).toHaveLength(1)
  expect(lines).toContain('1 pod waits:')
})

test('wide tells the reasons', () => {
  const [header, first, second] = renderStatusTable([draining, cordoned], { wide: true, nowMs })
  expect(header).toMatch(/AGE +REASON$/)
  expect(first).toMatch(/ -$/)
  expect(second).toMatch(/OS upgrade$/)
})

test('without any, how to begin one', () => {
  expect(renderStatusTable([], { wide: false, nowMs })).toEqual(['No maintenances. `lifeboat drain NODE` begins one.'])
})

test('many that wait are cut, with the way to all of them', () => {
  const evacuations = Array.from({ length: 30 }, (_, index) => ({
    pod: `cart-${index}`,
    node: 'node-1',
    blocker: budget,
  }))
  const view = buildDrainView({ looks: [{ name: 'node-1', evacuating: 30 }], evacuations })
  const lines = renderStatusTable([drainPicture(view, nowMs)], { wide: false, nowMs })
  expect(lines).toContain('30 pods wait:')
  expect(lines.at(-1)).toBe('  and 20 more; `lifeboat why NODE` tells of each')
})

test('everything about one', () => {
  expect(renderStatusDetail(draining, { targets: 'Default pods up to priority 5', nowMs })).toEqual([
    'Name:          drain-node-1-and-1-more',
    'Reason:        OS upgrade',
    'Stage:         Drain',
    'Age:           1m',
    'Nodes:         1 of 2 drained',
    'Pods:          1 pending, 1 evacuating',
    'Targets:       Default pods up to priority 5',
    'Draining for:  1m',
    'Expected:      in >40s',
    '',
    'NODE     STATE     PENDING   EVACUATING   EXPECTED   MESSAGE',
    'node-1   blocked   1         1            in >40s    Evacuating',
    'node-2   drained   0         0            -          Drained',
    '',
    '1 pod waits:',
    '  shop/cart-7 waits for budget cart (1 healthy, 2 needed) (node-1)',
    '    what helps: one more healthy pod under budget cart, or a budget that asks for fewer',
  ])
})

test.each([
  {
    name: 'no node has an agent',
    agents: [],
    expected: [
      'NODE     STATE     PENDING   EVACUATING   EXPECTED   MESSAGE',
      'node-1   blocked   1         1            in >40s    Evacuating',
      'node-2   drained   0         0            -          Drained',
    ],
  },
  {
    name: 'one of two has an agent',
    agents: [['node-1', agentWith('kube-system/etcd-node-1', 'kube-system/proxy-node-1')] as const],
    expected: [
      'NODE     STATE     PENDING   EVACUATING   EXPECTED   AGENT                   MESSAGE',
      'node-1   blocked   1         1            in >40s    static pods, 2 parked   Evacuating',
      'node-2   drained   0         0            -          no agent                Drained',
    ],
  },
])('agents of nodes: $name', ({ agents, expected }) => {
  const lines = renderStatusDetail(draining, { targets: '-', nowMs, agents: new Map(agents) })
  const at = lines.findIndex((line) => line.startsWith('NODE '))
  expect(lines.slice(at, at + expected.length)).toEqual(expected)
})

test.each([
  [{ isDrained: true }, 'Stage:   Drain (drained)'],
  [{ stage: 'Complete' as const }, 'Stage:   Complete (going on)'],
  [{ stage: 'Complete' as const, isCompleted: true }, 'Stage:   Complete (done)'],
])('%j', (look, expected) => {
  const picture = { ...draining, elapsedMs: undefined, reason: '', ...look }
  const line = renderStatusDetail(picture, { targets: '-', nowMs }).find((each) => each.startsWith('Stage:'))
  expect(line?.replaceAll(/ +/g, ' ')).toBe(expected.replaceAll(/ +/g, ' '))
})
