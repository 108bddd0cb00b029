import type { CasePod, KnownCase } from '../case.ts'
import { endedWith, restarted, twoNodes, waitingFor } from './parts.ts'

const failing = (args: object) => ({ plugin: 'RemoveFailedPods', args: { minPodLifetimeSeconds: 60, ...args } })
const restarting = (args: object) => ({ plugin: 'RemovePodsHavingTooManyRestarts', args })
const here = (name: string, parts: Partial<CasePod> = {}): CasePod => ({ name, node: 'n1', ...parts })
const failed = (name: string, parts: Partial<CasePod> = {}) => here(name, { phase: 'Failed', ...parts })

const failures: readonly CasePod[] = [
  failed('plain'),
  failed('evicted', { status: { reason: 'Evicted' } }),
  failed('error', { status: { containerStatuses: [endedWith('Error', 1)] } }),
  failed('waiting', { status: { containerStatuses: [waitingFor('CreateContainerConfigError')] } }),
  failed('init', { status: { initContainerStatuses: [endedWith('Error', 2)] } }),
  here('running', { status: { containerStatuses: [endedWith('Error', 1)] } }),
]

export const failedPodsCases: readonly KnownCase[] = [
  {
    name: 'of all reasons',
    nodes: twoNodes,
    pods: failures,
    policy: failing({}),
    expected: ['error', 'evicted', 'init', 'plain', 'waiting'],
  },
  {
    name: 'an hour old at least, if nothing is said',
    nodes: twoNodes,
    pods: [failed('young', { ageSeconds: 3_500 }), failed('old', { ageSeconds: 3_700 })],
    policy: { plugin: 'RemoveFailedPods' },
    expected: ['old'],
  },
  {
    name: 'of some reasons',
    nodes: twoNodes,
    pods: failures,
    policy: failing({ reasons: ['Evicted', 'Error', 'CreateContainerConfigError'] }),
    expected: ['error', 'evicted', 'waiting'],
  },
  {
    name: 'of some reasons, init containers included',
    nodes: twoNodes,
    pods: failures,
    policy: failing({ reasons: ['Error'], includingInitContainers: true }),
    expected: ['error', 'init'],
  },
  {
    name: 'of some exit codes',
    nodes: twoNodes,
    pods: failures,
    policy: failing({ exitCodes: [1, 2] }),
    expected: ['error'],
  },
  {
    name: 'of a reason and an exit code, of any container each',
    nodes: twoNodes,
    pods: failures,
    policy: failing({ reasons: ['Error'], exitCodes: [2], includingInitContainers: true }),
    expected: ['init'],
  },
  {
    name: 'without an owner of excluded kinds',
    nodes: twoNodes,
    pods: [failed('replica'), failed('job', { owners: ['Job/once'] })],
    policy: failing({ excludeOwnerKinds: ['Job'] }),
    expected: ['replica'],
  },
  {
    name: 'bare ones stay',
    nodes: twoNodes,
    pods: [failed('replica'), failed('bare', { owners: [] })],
    policy: failing({}),
    expected: ['replica'],
  },
  {
    name: 'of one namespace and label',
    nodes: twoNodes,
    pods: [failed('a', { labels: { app: 'a' } }), failed('b'), failed('c', { other: true, labels: { app: 'a' } })],
    policy: failing({ namespaces: { include: ['NS'] }, labelSelector: { matchLabels: { app: 'a' } } }),
    expected: ['a'],
  },
]

const counts: readonly CasePod[] = [
  here('few', { status: { containerStatuses: [restarted(2)] } }),
  here('enough', { status: { containerStatuses: [restarted(3), { ...restarted(2), name: 'c1' }] } }),
  here('with-init', {
    status: { containerStatuses: [restarted(3)], initContainerStatuses: [{ ...restarted(2), name: 'i0' }] },
  }),
  here('crashing', {
    status: { containerStatuses: [{ ...waitingFor('CrashLoopBackOff'), restartCount: 9 }] },
    phase: 'Pending',
  }),
  here('init-crashing', {
    status: { initContainerStatuses: [{ ...waitingFor('CrashLoopBackOff'), restartCount: 9 }] },
    phase: 'Pending',
  }),
  here('over', { status: { containerStatuses: [restarted(7)] }, phase: 'Failed' }),
]

export const restartCases: readonly KnownCase[] = [
  {
    name: 'at the threshold, all containers together',
    nodes: twoNodes,
    pods: counts,
    policy: restarting({ podRestartThreshold: 5 }),
    expected: ['crashing', 'enough', 'over'],
  },
  {
    name: 'init containers included',
    nodes: twoNodes,
    pods: counts,
    policy: restarting({ podRestartThreshold: 5, includingInitContainers: true }),
    expected: ['crashing', 'enough', 'init-crashing', 'over', 'with-init'],
  },
  {
    name: 'of pods that run',
    nodes: twoNodes,
    pods: counts,
    policy: restarting({ podRestartThreshold: 2, states: ['Running'] }),
    expected: ['enough', 'few', 'with-init'],
  },
  {
    name: 'of pods that crash',
    nodes: twoNodes,
    pods: counts,
    policy: restarting({ podRestartThreshold: 2, states: ['CrashLoopBackOff'] }),
    expected: ['crashing'],
  },
  {
    name: 'of pods whose init containers crash',
    nodes: twoNodes,
    pods: counts,
    policy: restarting({ podRestartThreshold: 2, states: ['CrashLoopBackOff'], includingInitContainers: true }),
    expected: ['crashing', 'init-crashing'],
  },
  {
    name: 'the most first',
    nodes: twoNodes,
    pods: [3, 9, 6].map((count) => here(`restarts-${count}`, { status: { containerStatuses: [restarted(count)] } })),
    policy: { ...restarting({ podRestartThreshold: 1 }), top: { maxNoOfPodsToEvictTotal: 2 } },
    expected: ['restarts-6', 'restarts-9'],
  },
]
