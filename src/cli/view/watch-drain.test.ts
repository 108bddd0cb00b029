import { describe, expect, test } from 'vitest'
import { openArrangedCluster } from '../../../test/build/arranged-cluster.ts'
import { buildDrainView } from '../../../test/build/drain-view.ts'
import { commandWorld } from '../../../test/build/served-cluster.ts'
import { reachCluster } from '../connect/reached-cluster.ts'
import { drainPicture } from './drain-picture.ts'
import { endError, nextSteps, renderDrained, renderHint, renderWaits, watchDrain } from './watch-drain.ts'

const history = new Map([['node-1', { left: 0, gone: 12, isDrained: true, drainedAtMs: undefined }]])
const drained = { name: 'drain-node-1', looks: [{ name: 'node-1' }], drainedMs: 80_000 }
const picture = drainPicture(buildDrainView({ ...drained, view: { history } }), 90_000)

test('how to go on, to be copied', () => {
  expect(nextSteps('kubectl lifeboat', 'drain-node-1')).toEqual([
    'watch:    kubectl lifeboat status -w drain-node-1',
    'complete: kubectl lifeboat complete drain-node-1',
    'undo:     kubectl lifeboat cancel drain-node-1',
  ])
})

test('what was done, and how long it took', () => {
  expect(renderDrained('lifeboat', picture)).toEqual([
    'drain-node-1: 1 node drained, 12 pods moved in 1m20s',
    'When the work on it is done: lifeboat complete drain-node-1',
  ])
})

test('who came late does not say how many pods moved', () => {
  expect(renderDrained('lifeboat', { ...picture, isPartial: true })[0]).toBe('drain-node-1: 1 node drained in 1m20s')
})

describe('an end that was not wanted', () => {
  test.each([
    {
      kind: 'timeout',
      exitCode: 3,
      message: 'drain-node-1 is not drained after 5m and continues: nothing is left to move',
    },
    { kind: 'interrupted', exitCode: 130, message: 'drain-node-1 continues without you' },
    { kind: 'deleted', exitCode: 1, message: 'drain-node-1 was deleted before it was drained' },
    { kind: 'completed', exitCode: 1, message: 'drain-node-1 was completed before it was drained' },
  ] as const)('$kind', ({ kind, exitCode, message }) => {
    const error = endError('lifeboat', { kind, picture }, 300_000)
    expect(error).toMatchObject({ exitCode, message })
    expect(error.advice).toContain(kind === 'timeout' || kind === 'interrupted' ? 'lifeboat cancel' : 'lifeboat status')
  })
})

test.each([
  { name: 'pods on their way', looks: [{ name: 'node-1', evacuating: 3 }], expected: '3 pods left' },
  { name: 'nobody has come', looks: [], expected: 'Lifeboat has not come to its nodes yet' },
])('what it waits for: $name', ({ looks, expected }) => {
  const view = buildDrainView({ looks, view: { expectedNodes: ['node-1'] } })
  expect(renderWaits(drainPicture(view, 0))).toBe(expected)
})

test('what it waits for: the first pod that needs somebody, and how many more', () => {
  const blocker = { kind: 'manyBudgets' } as const
  const evacuations = ['b', 'a'].map((pod) => ({ pod, node: 'node-1', blocker }))
  const view = buildDrainView({ looks: [{ name: 'node-1', evacuating: 2 }], evacuations })
  expect(renderWaits(drainPicture(view, 0))).toBe('shop/a is covered by more than one budget, and 1 more wait')
})

test('one that is not there cannot be watched', async () => {
  await using cluster = await openArrangedCluster({ nodes: 0 })
  const world = commandWorld()
  await using reached = await reachCluster(world, { kubeconfig: cluster.kubeconfig })
  const options = { name: 'drain-x', isJoined: false, expectedNodes: [], timeoutMs: 0, isQuiet: false }
  await expect(watchDrain(world, reached, options)).rejects.toThrow('drain-x is gone')
})

test('what the last line of the view says', () => {
  const looks = [{ name: 'node-1', evacuating: 2 }]
  expect(renderHint('lifeboat', drainPicture(buildDrainView({ looks }), 0))).toBe('Ctrl-C leaves it running.')
  const evacuations = [{ pod: 'a', node: 'node-1', blocker: { kind: 'manyBudgets' } as const }]
  expect(renderHint('lifeboat', drainPicture(buildDrainView({ looks, evacuations }), 0))).toBe(
    'Ctrl-C leaves it running; lifeboat why node-1 tells more.',
  )
})
