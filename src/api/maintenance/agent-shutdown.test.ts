import { expect, test } from 'vitest'
import { stored } from '../../../test/build/stored.ts'
import type { Lease } from '../kubernetes/coordination.ts'
import { buildMailbox, reportOf, shutdownThatMayGo, type AgentReport } from './agent-mailbox.ts'
import { renderShutdown, type ShutdownReport } from './agent-shutdown.ts'

const shutdown: ShutdownReport = {
  mode: 'Prefer',
  budgetSeconds: 1_800,
  going: { id: 'one', phase: 'Scheduled', action: 'reboot', at: '2026-01-01T00:00:00Z' },
  problems: [],
}
const report: AgentReport = { node: 'node-1', pod: { name: 'agent-x', uid: 'u' }, bootID: 'b', shutdown }
const mailboxWith = (said: AgentReport) => stored<Lease>(buildMailbox('here', said))

test('what an agent says of a shutdown reads back', () => {
  expect(reportOf(mailboxWith(report))).toEqual(report)
})

test('problems are written in one order, and cut where they would be too long', () => {
  const problems = [
    { kind: 'shortBudget', message: 'b'.repeat(2_000) },
    { kind: 'noLock', message: 'a' },
  ] as const
  const rendered = renderShutdown({ ...shutdown, problems })
  expect(rendered).toEqual(renderShutdown({ ...shutdown, problems: problems.toReversed() }))
  expect(rendered.problems.map(({ kind, message }) => [kind, message.length])).toEqual([
    ['noLock', 1],
    ['shortBudget', 512],
  ])
})

test.each([
  { name: 'a budget below zero', broken: { ...shutdown, budgetSeconds: -1 } },
  { name: 'a mode that is none', broken: { ...shutdown, mode: 'Hope' } },
  { name: 'a shutdown without a name', broken: { ...shutdown, going: { phase: 'Scheduled', action: '' } } },
])('a report with $name is none', ({ broken }) => {
  expect(reportOf(mailboxWith({ ...report, shutdown: broken as ShutdownReport }))).toBeUndefined()
})

test('a mailbox says which shutdown may continue', () => {
  expect(shutdownThatMayGo(mailboxWith(report))).toBeUndefined()
  const annotations = { 'nodemaintenance.k8s.io/agent-shutdown': 'one' }
  expect(shutdownThatMayGo(stored<Lease>({ metadata: { namespace: 'here', annotations } }))).toBe('one')
})
