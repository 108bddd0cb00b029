import { expect, test } from 'vitest'
import { renderWhy } from './render-why.ts'
import type { NodeReport, PodReport } from './report.ts'

const nowMs = Date.parse('2026-08-01T12:00:00Z')

const node: NodeReport = {
  name: 'six',
  state: 'Draining',
  message: 'six is being drained by os-upgrade',
  maintenances: [{ name: 'os-upgrade', stage: 'Drain' }],
  next: 'it goes on by itself',
  commands: ['lifeboat status six'],
}

function podOf(name: string, extra: Partial<PodReport> = {}): PodReport {
  return {
    namespace: 'shop',
    name,
    uid: `uid-of-${name}`,
    phase: 'Blocked',
    reason: 'Throttled',
    message: 'waits for the API server',
    next: 'nothing, it is tried again',
    commands: [],
    ...extra,
  }
}

test('a node says how it is, how many pods wait and how, then each of them', () => {
  const pod = podOf('web-0', {
    since: '2026-08-01T11:48:00Z',
    expectedFinish: '2026-08-01T12:00:20Z',
    commands: ['kubectl get nodes'],
  })
  expect(renderWhy({ about: 'node', node, pods: [pod] }, nowMs)).toEqual([
    'six is being drained by os-upgrade',
    '  pods: 1 Blocked',
    '  next: it goes on by itself',
    '      lifeboat status six',
    '',
    'shop/web-0 waits for the API server',
    '  Blocked for 12m, Throttled',
    '  expected to be done in 20s, at 2026-08-01T12:00:20Z',
    '  what helps: nothing, it is tried again',
    '      kubectl get nodes',
  ])
})

test('an evacuation that cannot be cancelled says who forbids it and what lifts that', () => {
  const cancellation = {
    policy: 'Forbid',
    setBy: ['backup.example.com'],
    message: 'its evacuation cannot be cancelled',
    next: 'this allows it:',
    commands: ['kubectl patch evacuation web-0'],
  } as const
  expect(renderWhy({ about: 'pod', pods: [podOf('web-0', { cancellation })] }, nowMs).slice(-3)).toEqual([
    '  its evacuation cannot be cancelled',
    '  to cancel it: this allows it:',
    '      kubectl patch evacuation web-0',
  ])
})

test('a node whose machine goes down says so after how it is', () => {
  const shutdown = {
    state: 'Draining',
    mode: 'Prefer',
    message: 'the reboot of six waits until shutdown-six has drained the node',
    next: 'it continues when the node is drained; logind waits at most 18m longer',
    commands: ['lifeboat status shutdown-six'],
  } as const
  expect(renderWhy({ about: 'node', node: { ...node, shutdown }, pods: [] }, nowMs)).toEqual([
    'six is being drained by os-upgrade',
    '  next: it goes on by itself',
    '      lifeboat status six',
    'the reboot of six waits until shutdown-six has drained the node',
    '  next: it continues when the node is drained; logind waits at most 18m longer',
    '      lifeboat status shutdown-six',
  ])
})

test('whoever asks about a pod hears of the pod first', () => {
  const lines = renderWhy({ about: 'pod', node, pods: [podOf('web-0')] }, nowMs)
  expect([lines[0], lines[4]]).toEqual(['shop/web-0 waits for the API server', 'six is being drained by os-upgrade'])
})

test('pods that wait for the same are told together, since the first of them', () => {
  const pods = ['a', 'b', 'c', 'd', 'e'].map((name, at) => podOf(name, { since: `2026-08-01T11:5${9 - at}:00Z` }))
  expect(renderWhy({ about: 'node', pods }, nowMs).slice(0, 2)).toEqual([
    'shop/a, shop/b, shop/c and 2 more: each waits for the API server',
    '  Blocked for 5m, Throttled',
  ])
})

test.each([
  { name: 'a maintenance needs no mention', askedForBy: ['nodemaintenance.k8s.io'], expected: '  Blocked, Throttled' },
  {
    name: 'an intercepted eviction does',
    askedForBy: ['eviction.evacuation.coordination.k8s.io', 'drill.example.com'],
    expected: '  Blocked, Throttled, asked for by eviction requests and drill.example.com',
  },
  {
    name: 'so does Kubernetes, which deletes the pods of a dead node',
    askedForBy: ['taint-eviction.evacuation.coordination.k8s.io'],
    expected: '  Blocked, Throttled, asked for by Kubernetes (its node is not ready)',
  },
  {
    name: 'the descheduler is named',
    askedForBy: ['descheduler.sigs.k8s.io'],
    expected: '  Blocked, Throttled, asked for by the descheduler',
  },
  {
    name: 'with its strategy, where that is known',
    askedForBy: ['descheduler.sigs.k8s.io', 'drill.example.com'],
    strategy: 'balance/LowNodeUtilization',
    expected: '  Blocked, Throttled, asked for by the descheduler (balance/LowNodeUtilization) and drill.example.com',
  },
])('who asked for it: $name', ({ askedForBy, strategy, expected }) => {
  const pod = podOf('web-0', { askedForBy, ...(strategy === undefined ? {} : { strategy }) })
  expect(renderWhy({ about: 'pod', pods: [pod] }, nowMs)[1]).toBe(expected)
})

test('what others wrote is text to the terminal and nothing else', () => {
  const message = 'waits \u001B[31mred\u0007\r\nnext\u009B2J'
  expect(renderWhy({ about: 'pod', pods: [podOf('web-0', { message })] }, nowMs)[0]).toBe(
    'shop/web-0 waits  [31mred next 2J',
  )
})

test('a time that has passed is told as what was said', () => {
  const lines = renderWhy({ about: 'pod', pods: [podOf('web-0', { expectedFinish: '2026-08-01T11:59:00Z' })] }, nowMs)
  expect(lines).toContain('  expected to be done by now: it said 2026-08-01T11:59:00Z')
})
