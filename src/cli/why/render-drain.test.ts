import { expect, test } from 'vitest'
import { renderDrain } from './render-drain.ts'
import type { NodeReport, NodeState, PodReport } from './report.ts'

const nowMs = Date.parse('2026-08-01T12:00:00Z')

const nodeOf = (name: string, state: NodeState): NodeReport => ({
  name,
  state,
  message: `${name} is ${state}`,
  maintenances: [],
  next: 'nothing',
  commands: [],
})
const podOf = (name: string, nodeName: string): PodReport => ({
  namespace: 'shop',
  name,
  uid: `uid-of-${name}`,
  nodeName,
  phase: 'Blocked',
  reason: 'Throttled',
  message: 'waits',
  next: 'nothing',
  commands: [],
})

test('it says how far the drain is, then what each node waits for that is not drained, blocked ones first', () => {
  const nodes = [nodeOf('one', 'Draining'), nodeOf('two', 'Drained'), nodeOf('three', 'Draining')]
  expect(renderDrain({ about: 'drain', name: 'rack', nodes, pods: [podOf('web-0', 'three')] }, nowMs)).toEqual([
    'rack: 3 nodes, 2 Draining, 1 Drained',
    '',
    'three is Draining',
    '  pods: 1 Blocked',
    '  next: nothing',
    '',
    'shop/web-0 waits',
    '  Blocked, Throttled',
    '  what helps: nothing',
    '',
    'one is Draining',
    '  next: nothing',
  ])
})

test('of many nodes the first are shown and the others counted', () => {
  const nodes = Array.from({ length: 13 }, (_, index) => nodeOf(`node-${index}`, 'Draining'))
  const lines = renderDrain({ about: 'drain', name: 'rack', nodes, pods: [] }, nowMs)
  expect(lines.filter((line) => line.endsWith('is Draining'))).toHaveLength(10)
  expect(lines.at(-1)).toBe('3 more nodes are not drained; `lifeboat why NODE` asks about one')
})

test('a drain that is over says so', () => {
  expect(renderDrain({ about: 'drain', name: 'rack', nodes: [], pods: [] }, nowMs)).toEqual([
    'rack drains no node: it is over, or selects none',
  ])
})
