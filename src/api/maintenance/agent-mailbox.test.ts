import { expect, test } from 'vitest'
import { stored } from '../../../test/build/stored.ts'
import type { Lease } from '../kubernetes/coordination.ts'
import type { Pod } from '../kubernetes/core.ts'
import {
  buildMailbox,
  isNodeAgent,
  looksAfterStaticPods,
  mailboxNameOf,
  nodeOfMailbox,
  renderReport,
  renderWanted,
  reportOf,
  wantedOf,
  type AgentReport,
} from './agent-mailbox.ts'
import { annotations } from '../names.ts'

const since = '2026-01-01T00:00:00Z'
const report: AgentReport = {
  node: 'node-1',
  pod: { name: 'agent-x', uid: 'u' },
  bootID: 'b',
  staticPods: { folder: '/manifests', parked: ['a/b'], superseded: [], problems: [] },
}
const mailbox = (texts: Readonly<Record<string, string>>) =>
  stored<Lease>({ metadata: { namespace: 'here', name: 'm', annotations: texts } })

test('the name of a mailbox leads to its node and back', () => {
  expect(mailboxNameOf('node-1')).toBe('lifeboat-agent-node-1')
  expect(nodeOfMailbox(stored<Lease>(buildMailbox('here', report)))).toBe('node-1')
  expect(nodeOfMailbox(stored<Lease>({ metadata: { namespace: 'here', name: 'lifeboat' } }))).toBeUndefined()
})

test('a new mailbox is found by its label and says what its agent says', () => {
  const built = stored<Lease>(buildMailbox('here', report))
  expect(built.metadata.labels).toEqual({ 'nodemaintenance.k8s.io/agent': 'true' })
  expect(reportOf(built)).toEqual(report)
  expect(wantedOf(built)).toBeUndefined()
})

test('what is wanted reads back, and is written in one order', () => {
  const park = [
    { pod: 'b/b', since },
    { pod: 'a/a', since },
  ]
  const text = renderWanted({ park })
  expect(text).toBe(renderWanted({ park: park.toReversed() }))
  expect(wantedOf(mailbox({ [annotations.agentWanted]: text }))).toEqual({ park: park.toReversed() })
})

test('a report is written in one order, and cut where it would be too long', () => {
  const problem = (pod: string) => ({ pod, kind: 'failed' as const, message: 'x'.repeat(2_000) })
  const staticPods = {
    folder: '/m',
    parked: ['b/b', 'a/a'],
    superseded: [],
    problems: [problem('b/b'), problem('a/a')],
  }
  const read = reportOf(mailbox({ [annotations.agentReport]: renderReport({ ...report, staticPods }) }))
  expect(read?.staticPods?.parked).toEqual(['a/a', 'b/b'])
  expect(read?.staticPods?.problems.map(({ pod, message }) => [pod, message.length])).toEqual([
    ['a/a', 512],
    ['b/b', 512],
  ])
})

test.each([
  { name: 'nothing', text: undefined },
  { name: 'no JSON', text: '{' },
  { name: 'something else', text: '{"park":["a/b"]}' },
  { name: 'no list', text: '{}' },
])('$name is not taken for what is wanted', ({ text }) => {
  expect(wantedOf(mailbox(text === undefined ? {} : { [annotations.agentWanted]: text }))).toBeUndefined()
})

test('only an agent that has a folder looks after static pods', () => {
  const { staticPods: _staticPods, ...without } = report
  expect(looksAfterStaticPods(stored<Lease>(buildMailbox('here', report)))).toBe(true)
  expect(looksAfterStaticPods(stored<Lease>(buildMailbox('here', without)))).toBe(false)
  expect(looksAfterStaticPods(undefined)).toBe(false)
})

test.each([
  { name: 'labelled, at home', namespace: 'home', label: 'true', expected: true },
  { name: 'labelled, elsewhere', namespace: 'away', label: 'true', expected: false },
  { name: 'not labelled', namespace: 'home', label: undefined, expected: false },
])('a pod $name is the agent: $expected', ({ namespace, label, expected }) => {
  const labels = label === undefined ? {} : { 'nodemaintenance.k8s.io/agent': label }
  expect(isNodeAgent(stored<Pod>({ metadata: { namespace, labels } }), 'home')).toBe(expected)
})
