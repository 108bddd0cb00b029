import { describe, expect, test } from 'vitest'
import { storedMeta } from '../../../../test/build/stored.ts'
import { buildPodStatus } from './build-pod-status.ts'

const addresses = { hostIP: '172.16.0.1', podIP: '10.0.0.1' }
const pod = {
  metadata: storedMeta({ name: 'web' }),
  spec: {
    containers: [{ name: 'main', image: 'example/web:1' }],
    initContainers: [
      { name: 'setup', image: 'example/setup:1' },
      { name: 'proxy', image: 'example/proxy:1', restartPolicy: 'Always' },
    ],
  },
  status: { phase: 'Pending', conditions: [{ type: 'PodScheduled', status: 'True', lastTransitionTime: 'before' }] },
}
const build = (
  kind: 'start' | 'crash' | 'complete' | 'fail' | 'becomeReady' | 'becomeUnready' | 'failToPull',
  of: object = pod,
  ready = false,
) => buildPodStatus(of as typeof pod, { kind, ready }, 'now', addresses)
const running = { ...pod, status: build('start', pod, true) }

const readiness = (status: string, reason?: string) =>
  expect.arrayContaining([
    { type: 'Ready', status, lastTransitionTime: 'now', ...(reason === undefined ? {} : { reason }) },
    { type: 'ContainersReady', status, lastTransitionTime: 'now', ...(reason === undefined ? {} : { reason }) },
  ])

describe('the status of a pod', () => {
  test('that starts has addresses, conditions and containers', () => {
    expect(build('start', pod, true)).toMatchObject({
      phase: 'Running',
      startTime: 'now',
      hostIP: '172.16.0.1',
      podIP: '10.0.0.1',
      podIPs: [{ ip: '10.0.0.1' }],
      conditions: [
        { type: 'PodScheduled', status: 'True', lastTransitionTime: 'before' },
        { type: 'Initialized', status: 'True' },
        { type: 'Ready', status: 'True' },
        { type: 'ContainersReady', status: 'True' },
      ],
      containerStatuses: [{ name: 'main', ready: true, restartCount: 0, state: { running: { startedAt: 'now' } } }],
      initContainerStatuses: [
        { name: 'setup', state: { terminated: { exitCode: 0, reason: 'Completed' } } },
        { name: 'proxy', state: { running: { startedAt: 'now' } } },
      ],
    })
  })

  test('that is not ready yet says why', () => {
    expect(build('start')).toMatchObject({ conditions: readiness('False', 'ContainersNotReady') })
  })

  test('whose image does not pull stays Pending', () => {
    expect(build('failToPull')).toMatchObject({
      phase: 'Pending',
      containerStatuses: [
        { state: { waiting: { reason: 'ImagePullBackOff', message: 'Back-off pulling image "example/web:1"' } } },
      ],
    })
  })

  test('that crashes counts the restart and is ready again later', () => {
    const crashed = build('crash', running)
    expect(crashed).toMatchObject({
      phase: 'Running',
      conditions: readiness('False', 'ContainersNotReady'),
      containerStatuses: [{ ready: false, restartCount: 1, state: { waiting: { reason: 'CrashLoopBackOff' } } }],
    })
    expect(build('becomeReady', { ...pod, status: crashed })).toMatchObject({
      conditions: readiness('True'),
      containerStatuses: [{ ready: true, restartCount: 1, state: { running: { startedAt: 'now' } } }],
    })
  })

  test.each([
    { kind: 'complete', phase: 'Succeeded', reason: 'PodCompleted', exitCode: 0 },
    { kind: 'fail', phase: 'Failed', reason: 'PodFailed', exitCode: 1 },
  ] as const)('that ends by $kind is $phase', ({ kind, phase, reason, exitCode }) => {
    expect(build(kind, running)).toMatchObject({
      phase,
      conditions: readiness('False', reason),
      containerStatuses: [{ ready: false, state: { terminated: { exitCode } } }],
    })
  })

  test('that is not ready any more keeps running', () => {
    expect(build('becomeUnready', running)).toMatchObject({
      phase: 'Running',
      containerStatuses: [{ ready: false, state: { running: { startedAt: 'now' } } }],
    })
  })

  test('keeps the address that it has', () => {
    const status = { ...pod.status, podIP: '10.0.0.9' }
    expect(build('start', { ...pod, status }, true)).toMatchObject({ podIP: '10.0.0.9' })
  })
})
