import { expect, test } from 'vitest'
import { storedMeta } from '../../../../../test/build/stored.ts'
import { summarizePod, type ShownPod } from './pod-summary.ts'

type Status = NonNullable<ShownPod['status']>

const spec = { containers: [{ name: 'a' }, { name: 'b' }] }
const running = (name: string) => ({ name, ready: true, restartCount: 0, state: { running: {} } })
const waiting = (name: string, reason: string) => ({ name, state: { waiting: { reason } } })
const ended = (name: string, exitCode: number, reason?: string) => ({
  name,
  state: { terminated: { exitCode, ...(reason === undefined ? {} : { reason }) } },
})
const ready = [{ type: 'Ready', status: 'True' }]
const deletionTimestamp = '2026-01-01T00:00:00Z'

const rows: readonly {
  name: string
  status: Status
  metadata?: ShownPod['metadata']
  expected: string
  ready?: number
}[] = [
  { name: 'its phase', status: { phase: 'Pending' }, expected: 'Pending' },
  { name: 'its reason before its phase', status: { phase: 'Failed', reason: 'Evicted' }, expected: 'Evicted' },
  {
    name: 'a scheduling gate',
    status: { phase: 'Pending', conditions: [{ type: 'PodScheduled', status: 'False', reason: 'SchedulingGated' }] },
    expected: 'SchedulingGated',
  },
  {
    name: 'containers that run',
    status: { phase: 'Running', containerStatuses: [running('a'), running('b')] },
    expected: 'Running',
    ready: 2,
  },
  {
    name: 'a container that crashes',
    status: { phase: 'Running', containerStatuses: [running('a'), waiting('b', 'CrashLoopBackOff')] },
    expected: 'CrashLoopBackOff',
    ready: 1,
  },
  {
    name: 'the first of two that wait',
    status: { phase: 'Pending', containerStatuses: [waiting('a', 'ImagePullBackOff'), waiting('b', 'ErrImagePull')] },
    expected: 'ImagePullBackOff',
  },
  {
    name: 'containers that are done',
    status: { phase: 'Succeeded', containerStatuses: [ended('a', 0, 'Completed'), ended('b', 0, 'Completed')] },
    expected: 'Completed',
  },
  {
    name: 'one that is done beside one that runs, in a ready pod',
    status: { phase: 'Running', conditions: ready, containerStatuses: [ended('a', 0, 'Completed'), running('b')] },
    expected: 'Running',
    ready: 1,
  },
  {
    name: 'one that is done beside one that runs',
    status: { phase: 'Running', containerStatuses: [ended('a', 0, 'Completed'), running('b')] },
    expected: 'NotReady',
    ready: 1,
  },
  {
    name: 'one that failed behind one that is done',
    status: { phase: 'Failed', containerStatuses: [ended('a', 0, 'Completed'), ended('b', 1, 'Error')] },
    expected: 'Error',
  },
  { name: 'an exit code', status: { phase: 'Failed', containerStatuses: [ended('a', 3)] }, expected: 'ExitCode:3' },
  {
    name: 'that it is terminating',
    metadata: storedMeta({ deletionTimestamp }),
    status: { phase: 'Running', containerStatuses: [running('a')] },
    expected: 'Terminating',
    ready: 1,
  },
  {
    name: 'that it ended before it was deleted',
    metadata: storedMeta({ deletionTimestamp }),
    status: { phase: 'Succeeded' },
    expected: 'Succeeded',
  },
  {
    name: 'that its node is lost',
    metadata: storedMeta({ deletionTimestamp }),
    status: { phase: 'Running', reason: 'NodeLost' },
    expected: 'Unknown',
  },
]

test.each(rows)('shows $name', ({ status, metadata = storedMeta(), expected, ready: readyContainers = 0 }) => {
  expect(summarizePod({ metadata, spec, status })).toMatchObject({ reason: expected, readyContainers, containers: 2 })
})

test.each([
  { name: 'waits its turn', init: [ended('i', 0), {}], expected: 'Init:1/2' },
  { name: 'is starting', init: [waiting('i', 'PodInitializing')], expected: 'Init:0/2' },
  { name: 'cannot start', init: [waiting('i', 'ImagePullBackOff')], expected: 'Init:ImagePullBackOff' },
  { name: 'failed', init: [ended('i', 1)], expected: 'Init:ExitCode:1' },
])('an init container that $name speaks for the pod', ({ init, expected }) => {
  const status = { phase: 'Pending', initContainerStatuses: init.map((one) => ({ name: 'j', ...one })) }
  const withInit = { ...spec, initContainers: [{ name: 'i' }, { name: 'j' }] }
  expect(summarizePod({ metadata: storedMeta(), spec: withInit, status }).reason).toBe(expected)
})

test('a sidecar counts as a container, with its restarts', () => {
  const withSidecar = { ...spec, initContainers: [{ name: 's', restartPolicy: 'Always' }] }
  const sidecar = { name: 's', started: true, ready: true, restartCount: 2 }
  const restarted = {
    ...running('a'),
    restartCount: 3,
    lastState: { terminated: { finishedAt: '2026-01-01T00:00:00Z' } },
  }
  const status = { phase: 'Running', initContainerStatuses: [sidecar], containerStatuses: [restarted, running('b')] }
  expect(summarizePod({ metadata: storedMeta(), spec: withSidecar, status })).toEqual({
    reason: 'Running',
    containers: 3,
    readyContainers: 3,
    restarts: 5,
    lastRestart: '2026-01-01T00:00:00Z',
  })
})
