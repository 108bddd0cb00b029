import { expect, test, vi } from 'vitest'
import { agentGround } from '../../../test/build/agent-ground.ts'
import type { StaticPodsReport } from '../../api/maintenance/agent-mailbox.ts'
import type { ShutdownReport } from '../../api/maintenance/agent-shutdown.ts'
import { leases } from '../../api/kubernetes/resources.ts'
import { annotations, labels } from '../../api/names.ts'
import { KubeError } from '../../kube/client/errors.ts'
import { listNodeAgents, nodeAgentReport, renderNodeAgent, type NodeAgents } from './node-agents.ts'

const { signal } = new AbortController()
const agent = (staticPods?: Partial<StaticPodsReport>) => ({
  node: 'one',
  pod: { name: 'agent', uid: 'u' },
  bootID: 'b',
  ...(staticPods === undefined
    ? {}
    : { staticPods: { folder: '/m', parked: [], superseded: [], problems: [], ...staticPods } }),
})
const agents = (report?: ReturnType<typeof agent>): NodeAgents => new Map(report === undefined ? [] : [['one', report]])
const problem = { pod: 'kube-system/b-one', kind: 'failed' as const, message: 'the folder is read-only' }

test.each([
  {
    name: 'no mailbox',
    known: agents(),
    text: 'no agent',
    data: { installed: false, staticPods: null, shutdown: null },
  },
  {
    name: 'no task',
    known: agents(agent()),
    text: 'idle',
    data: { installed: true, staticPods: null, shutdown: null },
  },
  {
    name: 'nothing parked',
    known: agents(agent({})),
    text: 'static pods',
    data: { installed: true, staticPods: { parked: [], problems: [] }, shutdown: null },
  },
  {
    name: 'two parked',
    known: agents(agent({ parked: ['kube-system/a-one', 'kube-system/c-one'] })),
    text: 'static pods, 2 parked',
    data: {
      installed: true,
      staticPods: { parked: ['kube-system/a-one', 'kube-system/c-one'], problems: [] },
      shutdown: null,
    },
  },
  {
    name: 'one parked, one that cannot be',
    known: agents(agent({ parked: ['kube-system/a-one'], problems: [problem] })),
    text: 'static pods, 1 parked, 1 problem',
    data: { installed: true, staticPods: { parked: ['kube-system/a-one'], problems: [problem] }, shutdown: null },
  },
])('$name: $text', ({ known, text, data }) => {
  expect(renderNodeAgent(known, 'one')).toBe(text)
  expect(nodeAgentReport(known, 'one')).toEqual(data)
})

const prefer: ShutdownReport = { mode: 'Prefer', budgetSeconds: 1_800, problems: [] }
const going = { id: 'a', phase: 'Signalled', action: 'reboot' } as const

test.each([
  { name: 'Lifeboat leads', shutdown: prefer, text: 'shutdown: Prefer, 30m' },
  {
    name: 'the kubelet leads',
    shutdown: { ...prefer, mode: 'Assist', budgetSeconds: 30 },
    text: 'shutdown: Assist, 30s',
  },
  { name: 'on its way', shutdown: { ...prefer, going }, text: 'shutdown: Prefer, 30m, reboot under way' },
  {
    name: 'planned',
    shutdown: { ...prefer, going: { ...going, phase: 'Scheduled', action: '' } },
    text: 'shutdown: Prefer, 30m, shutdown planned',
  },
  {
    name: 'nobody answers',
    shutdown: { mode: 'Unknown', budgetSeconds: 0, problems: [{ kind: 'noLogind', message: 'no socket' }] },
    text: 'shutdown: Unknown, logind does not answer',
  },
  {
    name: 'no lock',
    shutdown: { ...prefer, problems: [{ kind: 'noLock', message: 'refused' }] },
    text: 'shutdown: Prefer, 30m, no lock is held, so the machine would not wait',
  },
  {
    name: 'less than was asked for',
    shutdown: { ...prefer, budgetSeconds: 5, problems: [{ kind: 'shortBudget', message: '5 of 1800 s' }] },
    text: 'shutdown: Prefer, 5s, logind waits less than asked for',
  },
] as const satisfies readonly { name: string; shutdown: ShutdownReport; text: string }[])(
  'shutdowns, $name: $text',
  ({ shutdown, text }) => {
    const known: NodeAgents = new Map([['one', { ...agent(), shutdown }]])
    expect(renderNodeAgent(known, 'one')).toBe(text)
    const both: NodeAgents = new Map([['one', { ...agent({ parked: ['kube-system/a-one'] }), shutdown }]])
    expect(renderNodeAgent(both, 'one')).toBe(`static pods, 1 parked; ${text}`)
    const { mode, budgetSeconds, problems } = shutdown
    expect(nodeAgentReport(known, 'one')?.shutdown).toMatchObject({ mode, budgetSeconds, problems })
  },
)

test('what is on its way is there for programs', () => {
  const known: NodeAgents = new Map([['one', { ...agent(), shutdown: { ...prefer, going } }]])
  expect(nodeAgentReport(known, 'one')?.shutdown?.going).toEqual(going)
})

test('what may not be read is null', () => {
  expect(nodeAgentReport(undefined, 'one')).toBeNull()
})

test('mailboxes of all nodes come with one request; what is no mailbox is passed over', async () => {
  const { admin, namespace, createMailbox } = agentGround()
  await createMailbox('one', ['kube-system/a-one'])
  await createMailbox('two', [])
  const marked = { [labels.nodeAgent]: 'true' }
  await admin.create(leases, { metadata: { namespace, name: 'other', labels: marked } })
  const unread = { [annotations.agentReport]: 'no JSON' }
  await admin.create(leases, {
    metadata: { namespace, name: 'lifeboat-agent-three', labels: marked, annotations: unread },
  })
  const list = vi.spyOn(admin, 'list')
  const found = await listNodeAgents(admin, signal)
  expect([...(found ?? [])].map(([node, { staticPods }]) => [node, staticPods?.parked])).toEqual([
    ['one', ['kube-system/a-one']],
    ['two', []],
  ])
  expect(list).toHaveBeenCalledTimes(1)
})

test.each([
  { kind: 'forbidden', expected: undefined },
  { kind: 'serverError', expected: 'no' },
] as const)('a list that fails as $kind', async ({ kind, expected }) => {
  const { admin } = agentGround()
  vi.spyOn(admin, 'list').mockRejectedValue(new KubeError('no', { kind }))
  const found = await listNodeAgents(admin, signal).catch((error: unknown) => (error as Error).message)
  expect(found).toBe(expected)
})
