import type { Pod, PodCondition } from '../objects.ts'
import { withCondition } from '../pod-status.ts'
import type { PodStep } from './decide-pod.ts'

type Status = NonNullable<Pod['status']>
type ContainerStatuses = NonNullable<Status['containerStatuses']>
type ContainerStatus = ContainerStatuses[number]
type Containers = NonNullable<NonNullable<Pod['spec']>['containers']>

export interface Addresses {
  readonly hostIP: string
  readonly podIP: string
}

type Writing = Exclude<PodStep['kind'], 'nothing' | 'wait' | 'end'>

export interface StatusChange {
  readonly kind: Writing
  /** Of a start: whether the pod is Ready in the same write. */
  readonly ready: boolean
}

/** What a kubelet writes about a pod when something happens to it. */
export function buildPodStatus(pod: Pod, change: StatusChange, now: string, addresses: Addresses): object {
  const status: Status = pod.status ?? {}
  const containers = status.containerStatuses ?? []
  const running = (ready: boolean) =>
    containers.map((container) => ({
      ...container,
      ready,
      started: true,
      state: { running: { startedAt: container.state?.running?.startedAt ?? now } },
    }))
  switch (change.kind) {
    case 'start':
      return started(pod, change.ready, now, addresses)
    case 'failToPull':
      return pullFailed(pod, now, addresses)
    case 'becomeReady':
      return { ...status, conditions: readiness(status, 'True', undefined, now), containerStatuses: running(true) }
    case 'becomeUnready': {
      const conditions = readiness(status, 'False', 'ContainersNotReady', now)
      return { ...status, conditions, containerStatuses: running(false) }
    }
    case 'crash': {
      const conditions = readiness(status, 'False', 'ContainersNotReady', now)
      return { ...status, conditions, containerStatuses: containers.map((container) => crashed(container, now)) }
    }
    case 'complete': {
      const initialized = { type: 'Initialized', status: 'True', reason: 'PodCompleted' }
      const conditions = withCondition(readiness(status, 'False', 'PodCompleted', now), initialized, now)
      const containerStatuses = containers.map((container) => terminated(container, 0, 'Completed', now))
      return { ...status, phase: 'Succeeded', conditions, containerStatuses }
    }
    case 'fail': {
      const conditions = readiness(status, 'False', 'PodFailed', now)
      const containerStatuses = containers.map((container) => terminated(container, 1, 'Error', now))
      return { ...status, phase: 'Failed', conditions, containerStatuses }
    }
  }
}

function started(pod: Pod, ready: boolean, now: string, addresses: Addresses): object {
  const { spec, status = {} } = pod
  const scheduled = status.conditions?.some(({ type }) => type === 'PodScheduled') === true
  const known = scheduled
    ? status.conditions
    : withCondition(status.conditions, { type: 'PodScheduled', status: 'True' }, now)
  const initialized = withCondition(known, { type: 'Initialized', status: 'True' }, now)
  const conditions = readiness(
    { conditions: initialized },
    ready ? 'True' : 'False',
    ready ? undefined : 'ContainersNotReady',
    now,
  )
  const containerStatuses = (spec?.containers ?? []).map(({ name, image = '' }) => ({
    name,
    image,
    imageID: '',
    ready,
    started: true,
    restartCount: 0,
    state: { running: { startedAt: now } },
  }))
  const init = initStatuses(spec?.initContainers ?? [], now)
  return {
    ...status,
    phase: 'Running',
    startTime: status.startTime ?? now,
    ...addressFields(status, addresses),
    conditions,
    containerStatuses,
    ...(init.length === 0 ? {} : { initContainerStatuses: init }),
  }
}

function pullFailed({ spec, status = {} }: Pod, now: string, addresses: Addresses): object {
  const initialized = withCondition(status.conditions, { type: 'Initialized', status: 'True' }, now)
  const containerStatuses = (spec?.containers ?? []).map(({ name, image = '' }) => ({
    name,
    image,
    imageID: '',
    ready: false,
    started: false,
    restartCount: 0,
    state: { waiting: { reason: 'ImagePullBackOff', message: `Back-off pulling image "${image}"` } },
  }))
  return {
    ...status,
    phase: 'Pending',
    startTime: status.startTime ?? now,
    ...addressFields(status, addresses),
    conditions: readiness({ conditions: initialized }, 'False', 'ContainersNotReady', now),
    containerStatuses,
  }
}

function addressFields({ podIP }: Status, { hostIP, podIP: assigned }: Addresses): object {
  if (podIP !== undefined && podIP !== '') return {}
  return { hostIP, hostIPs: [{ ip: hostIP }], podIP: assigned, podIPs: [{ ip: assigned }] }
}

function initStatuses(containers: Containers, now: string): object[] {
  return containers.map(({ name, image = '', restartPolicy }) => {
    const isSidecar = restartPolicy === 'Always'
    const state = isSidecar
      ? { running: { startedAt: now } }
      : { terminated: { exitCode: 0, reason: 'Completed', startedAt: now, finishedAt: now } }
    return { name, image, imageID: '', ready: true, started: isSidecar, restartCount: 0, state }
  })
}

function crashed(container: ContainerStatus, now: string): object {
  return {
    ...container,
    ready: false,
    started: false,
    restartCount: (container.restartCount ?? 0) + 1,
    state: {
      waiting: { reason: 'CrashLoopBackOff', message: `back-off restarting failed container ${container.name}` },
    },
    lastState: { terminated: { exitCode: 1, reason: 'Error', startedAt: now, finishedAt: now } },
  }
}

function terminated(container: ContainerStatus, exitCode: number, reason: string, now: string): object {
  const startedAt = container.state?.running?.startedAt ?? now
  return {
    ...container,
    ready: false,
    started: false,
    state: { terminated: { exitCode, reason, startedAt, finishedAt: now } },
  }
}

function readiness(
  { conditions }: Status,
  status: string,
  reason: string | undefined,
  now: string,
): readonly PodCondition[] {
  const changed = { status, ...(reason === undefined ? {} : { reason }) }
  return withCondition(
    withCondition(conditions, { type: 'Ready', ...changed }, now),
    { type: 'ContainersReady', ...changed },
    now,
  )
}
