import { expect, test } from 'vitest'
import type { GoingShutdown, ShutdownReport } from '../../api/maintenance/agent-shutdown.ts'
import { decideShutdown, type LogindAnswer, type ShutdownView } from './decide-shutdown.ts'
import type { LogindState } from './logind-state.ts'

const nowMs = Date.parse('2026-11-17T12:00:00.000Z')
const minuteMs = 60_000
const ours = { what: 'shutdown', who: 'Lifeboat', mode: 'delay' }
const kubelets = { what: 'shutdown', who: 'kubelet', mode: 'delay' }
const freshId = '20261117T120000000Z-0123abcd'

const known = (more: Partial<LogindState> = {}): LogindAnswer => ({
  kind: 'known',
  state: { preparing: false, scheduled: undefined, budgetMs: 1_800_000, locks: [ours], ...more },
})
const unknown: LogindAnswer = { kind: 'unknown', why: 'the bus is away' }
const reported = (going?: GoingShutdown, more: Partial<ShutdownReport> = {}): ShutdownReport => ({
  mode: 'Prefer',
  budgetSeconds: 1_800,
  ...(going === undefined ? {} : { going }),
  problems: [],
  ...more,
})
const viewOf = (more: Partial<ShutdownView>): ShutdownView => ({
  logind: known(),
  previous: undefined,
  mayGo: undefined,
  bootID: '0123abcd-0000-0000-0000-000000000000',
  settings: { leadTimeMs: 60 * minuteMs, budgetWantedMs: 1_800_000 },
  ...more,
})
const inMinutes = (minutes: number) => ({ action: 'reboot', atMs: nowMs + minutes * minuteMs })
const scheduled: GoingShutdown = { id: 'a', phase: 'Scheduled', action: 'reboot', at: '2026-11-17T12:10:00.000Z' }
const signalled: GoingShutdown = { id: 'a', phase: 'Signalled', action: 'reboot' }

test.each([
  { name: 'nothing happens', view: {}, going: undefined, release: false },
  {
    name: 'a shutdown is signalled: it gets an id, and nobody says what it does',
    view: { logind: known({ preparing: true }) },
    going: { id: freshId, phase: 'Signalled', action: '' },
    release: false,
  },
  {
    name: 'an agent that starts during a shutdown, and knows nothing of it',
    view: { logind: known({ preparing: true }), previous: undefined },
    going: { id: freshId, phase: 'Signalled', action: '' },
    release: false,
  },
  {
    name: 'an agent that starts again during a shutdown keeps its id',
    view: { logind: known({ preparing: true }), previous: reported(signalled) },
    going: signalled,
    release: false,
  },
  {
    name: 'a shutdown is scheduled within the lead time',
    view: { logind: known({ scheduled: inMinutes(10) }) },
    going: { ...scheduled, id: freshId },
    release: false,
  },
  {
    name: 'a shutdown is scheduled beyond the lead time',
    view: { logind: known({ scheduled: inMinutes(61) }) },
    going: undefined,
    release: false,
  },
  {
    name: 'a shutdown is scheduled at the very beginning of the lead time',
    view: { logind: known({ scheduled: inMinutes(60) }) },
    going: { ...scheduled, id: freshId, at: '2026-11-17T13:00:00.000Z' },
    release: false,
  },
  {
    name: 'a scheduled one stays the same',
    view: { logind: known({ scheduled: inMinutes(10) }), previous: reported(scheduled) },
    going: scheduled,
    release: false,
  },
  {
    name: 'a scheduled one is moved: it stays the same shutdown',
    view: { logind: known({ scheduled: inMinutes(20) }), previous: reported(scheduled) },
    going: { ...scheduled, at: '2026-11-17T12:20:00.000Z' },
    release: false,
  },
  {
    name: 'a scheduled one is moved beyond the lead time: it is off for now',
    view: { logind: known({ scheduled: inMinutes(90) }), previous: reported(scheduled) },
    going: undefined,
    release: false,
  },
  {
    name: 'a scheduled one whose time has come, before the signal',
    view: { logind: known({ scheduled: { action: 'reboot', atMs: nowMs - 1 } }), previous: reported(scheduled) },
    going: { ...scheduled, at: '2026-11-17T11:59:59.999Z' },
    release: false,
  },
  {
    name: 'a scheduled one is signalled: the same id, and what it does',
    view: { logind: known({ preparing: true }), previous: reported(scheduled) },
    going: signalled,
    release: false,
  },
  {
    name: 'a scheduled one is cancelled',
    view: { previous: reported(scheduled), mayGo: 'a' },
    going: undefined,
    release: false,
  },
  {
    name: 'a drained one that is still scheduled keeps the lock',
    view: { logind: known({ scheduled: inMinutes(10) }), previous: reported(scheduled), mayGo: 'a' },
    going: scheduled,
    release: false,
  },
  {
    name: 'a scheduled one that was drained before goes at the signal',
    view: { logind: known({ preparing: true }), previous: reported(scheduled), mayGo: 'a' },
    going: signalled,
    release: true,
  },
  {
    name: 'a signalled one that is drained goes',
    view: { logind: known({ preparing: true }), previous: reported(signalled), mayGo: 'a' },
    going: signalled,
    release: true,
  },
  {
    name: 'a signalled one does not go because another may',
    view: { logind: known({ preparing: true }), previous: reported(signalled), mayGo: 'b' },
    going: signalled,
    release: false,
  },
  {
    name: 'logind was killed and has forgotten the shutdown',
    view: { previous: reported(signalled), mayGo: undefined },
    going: undefined,
    release: false,
  },
  {
    name: 'logind has forgotten it, and it may go by now: the lock stays for the next',
    view: { previous: reported(signalled), mayGo: 'a' },
    going: undefined,
    release: false,
  },
  {
    name: 'after a forgotten one another is scheduled: that is a new one',
    view: { logind: known({ scheduled: inMinutes(10) }), previous: reported(signalled), mayGo: 'a' },
    going: { ...scheduled, id: freshId },
    release: false,
  },
  {
    name: 'the bus is away: what was signalled stays so',
    view: { logind: unknown, previous: reported(signalled) },
    going: signalled,
    release: false,
  },
  {
    name: 'the bus is away: what was scheduled stays so',
    view: { logind: unknown, previous: reported(scheduled), mayGo: 'a' },
    going: scheduled,
    release: false,
  },
  {
    name: 'the bus is away, and the signalled one may go: it does not wait for the bus',
    view: { logind: unknown, previous: reported(signalled), mayGo: 'a' },
    going: signalled,
    release: true,
  },
  { name: 'the bus is away and nothing was on its way', view: { logind: unknown }, going: undefined, release: false },
] satisfies { name: string; view: Partial<ShutdownView>; going: GoingShutdown | undefined; release: boolean }[])(
  '$name',
  ({ view, going, release }) => {
    const decision = decideShutdown(viewOf(view), nowMs)
    expect(decision.report.going).toEqual(going)
    expect(decision.release).toBe(release)
  },
)

test.each([
  { name: 'only our lock', view: {}, mode: 'Prefer' },
  { name: 'a lock of the kubelet beside ours', view: { logind: known({ locks: [ours, kubelets] }) }, mode: 'Assist' },
  { name: 'logind does not answer', view: { logind: unknown, previous: reported() }, mode: 'Unknown' },
  {
    name: 'the kubelet is done and has freed its lock, the shutdown still waits for ours',
    view: { logind: known({ preparing: true }), previous: reported(signalled, { mode: 'Assist' }) },
    mode: 'Assist',
  },
  {
    name: 'the kubelet was set to leave shutdowns alone',
    view: { previous: reported(undefined, { mode: 'Assist' }) },
    mode: 'Prefer',
  },
] satisfies { name: string; view: Partial<ShutdownView>; mode: string }[])('mode $mode: $name', ({ view, mode }) => {
  expect(decideShutdown(viewOf(view), nowMs).report.mode).toBe(mode)
})

test.each([
  { name: 'all is well', view: {}, budgetSeconds: 1_800, problems: [] },
  { name: 'logind does not answer', view: { logind: unknown }, budgetSeconds: 0, problems: ['noLogind'] },
  {
    name: 'logind does not answer any more',
    view: { logind: unknown, previous: reported() },
    budgetSeconds: 1_800,
    problems: ['noLogind'],
  },
  {
    name: 'logind grants less than was asked for',
    view: { logind: known({ budgetMs: 30_000 }) },
    budgetSeconds: 30,
    problems: ['shortBudget'],
  },
  {
    name: 'logind grants more than was asked for',
    view: { logind: known({ budgetMs: 7_200_000 }) },
    budgetSeconds: 7_200,
    problems: [],
  },
  {
    name: 'the container of the lock does not run',
    view: { logind: known({ locks: [kubelets] }) },
    budgetSeconds: 1_800,
    problems: ['noLock'],
  },
  {
    name: 'the lock was lost during the shutdown',
    view: { logind: known({ preparing: true, locks: [] }), previous: reported(signalled) },
    budgetSeconds: 1_800,
    problems: ['noLock'],
  },
  {
    name: 'the lock was let go of',
    view: { logind: known({ preparing: true, locks: [] }), previous: reported(signalled), mayGo: 'a' },
    budgetSeconds: 1_800,
    problems: [],
  },
  {
    name: 'a budget without end',
    view: { logind: known({ budgetMs: 18_446_744_073_709_552 }) },
    budgetSeconds: 18_446_744_073_709,
    problems: [],
  },
] satisfies { name: string; view: Partial<ShutdownView>; budgetSeconds: number; problems: string[] }[])(
  'budget and problems: $name',
  ({ view, budgetSeconds, problems }) => {
    const { report } = decideShutdown(viewOf(view), nowMs)
    expect([report.budgetSeconds, report.problems.map(({ kind }) => kind)]).toEqual([budgetSeconds, problems])
  },
)

test('a problem says what was granted and what was asked for', () => {
  const { report } = decideShutdown(viewOf({ logind: known({ budgetMs: 30_000 }) }), nowMs)
  expect(report.problems[0]?.message).toContain('for 30 s (InhibitDelayMaxSec), and 1800 s were asked for')
})

test.each([
  { name: 'nothing happens', logind: known(), afterMs: 15_000 },
  { name: 'logind does not answer', logind: unknown, afterMs: 15_000 },
  { name: 'the lead time begins sooner', logind: known({ scheduled: inMinutes(60.1) }), afterMs: 6_000 },
  { name: 'the lead time begins later', logind: known({ scheduled: inMinutes(90) }), afterMs: 15_000 },
  { name: 'the lead time has begun', logind: known({ scheduled: inMinutes(30) }), afterMs: 15_000 },
])('looks again after $afterMs ms: $name', ({ logind, afterMs }) => {
  expect(decideShutdown(viewOf({ logind }), nowMs).lookAtMs).toBe(nowMs + afterMs)
})
