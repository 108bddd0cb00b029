import type { ObjectMeta } from '../../../../api/kubernetes/meta.ts'

export type ShownPod = {
  metadata: ObjectMeta
  spec?: {
    nodeName?: string
    containers?: { name: string }[]
    initContainers?: { name: string; restartPolicy?: string }[]
    readinessGates?: { conditionType: string }[]
  }
  status?: {
    phase?: string
    reason?: string
    podIP?: string
    podIPs?: { ip?: string }[]
    nominatedNodeName?: string
    conditions?: { type: string; status: string; reason?: string }[]
    initContainerStatuses?: ContainerStatus[]
    containerStatuses?: ContainerStatus[]
  }
}

interface ContainerStatus {
  name: string
  ready?: boolean
  started?: boolean
  restartCount?: number
  state?: { waiting?: { reason?: string }; running?: object; terminated?: Terminated }
  lastState?: { terminated?: Terminated }
}

interface Terminated {
  exitCode?: number
  signal?: number
  reason?: string
  finishedAt?: string
}

export interface PodSummary {
  /** One word for the state of the pod. */
  readonly reason: string
  readonly readyContainers: number
  readonly containers: number
  readonly restarts: number
  readonly lastRestart: string | undefined
}

/** What `kubectl get pods` says of a pod: its phase, or the one thing about its containers that matters more. */
export function summarizePod(pod: ShownPod): PodSummary {
  const sidecars = new Set(
    (pod.spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always').map(({ name }) => name),
  )
  const init = summarizeInit(pod, sidecars)
  const isInitialized = init.reason === undefined || hasCondition(pod, 'Initialized')
  const main = isInitialized ? summarizeContainers(pod) : undefined
  const inits = pod.status?.initContainerStatuses ?? []
  const counted =
    main === undefined
      ? inits
      : [...inits.filter(({ name }) => sidecars.has(name)), ...(pod.status?.containerStatuses ?? [])]
  const basic = main?.reason ?? init.reason ?? basicReason(pod)
  return {
    reason: terminatingReason(pod) ?? basic,
    readyContainers: init.readyContainers + (main?.readyContainers ?? 0),
    containers: (pod.spec?.containers ?? []).length + sidecars.size,
    restarts: counted.reduce((sum, { restartCount = 0 }) => sum + restartCount, 0),
    lastRestart: counted
      .flatMap(({ lastState }) => lastState?.terminated?.finishedAt ?? [])
      .toSorted()
      .at(-1),
  }
}

function basicReason({ status }: ShownPod): string {
  const isGated = status?.conditions?.some(
    ({ type, reason }) => type === 'PodScheduled' && reason === 'SchedulingGated',
  )
  if (isGated === true) return 'SchedulingGated'
  return status?.reason !== undefined && status.reason !== '' ? status.reason : (status?.phase ?? '')
}

function terminatingReason({ metadata, status }: ShownPod): string | undefined {
  if (metadata.deletionTimestamp === undefined) return undefined
  if (status?.reason === 'NodeLost') return 'Unknown'
  return status?.phase === 'Succeeded' || status?.phase === 'Failed' ? undefined : 'Terminating'
}

/** The first init container that is not done decides; a reason of undefined: all are. */
function summarizeInit(pod: ShownPod, sidecars: ReadonlySet<string>): { reason?: string; readyContainers: number } {
  let readyContainers = 0
  for (const [at, { name, state, ready, started }] of (pod.status?.initContainerStatuses ?? []).entries()) {
    if (state?.terminated !== undefined && (state.terminated.exitCode ?? 0) === 0) continue
    if (sidecars.has(name) && started === true) {
      if (ready === true) readyContainers++
      continue
    }
    const waiting = state?.waiting?.reason ?? ''
    if (state?.terminated !== undefined)
      return { reason: `Init:${terminatedReason(state.terminated)}`, readyContainers }
    if (waiting !== '' && waiting !== 'PodInitializing') return { reason: `Init:${waiting}`, readyContainers }
    return { reason: `Init:${at}/${(pod.spec?.initContainers ?? []).length}`, readyContainers }
  }
  return { readyContainers }
}

/** The first container that waits or has ended speaks for all; undefined: none does. */
function summarizeContainers(pod: ShownPod): { reason: string | undefined; readyContainers: number } {
  const statuses = pod.status?.containerStatuses ?? []
  const isRunning = ({ ready, state }: (typeof statuses)[number]) => ready === true && state?.running !== undefined
  const running = statuses.filter(isRunning)
  const reasons = statuses.flatMap(({ state }) => {
    if (state?.waiting?.reason !== undefined && state.waiting.reason !== '') return state.waiting.reason
    return state?.terminated === undefined ? [] : terminatedReason(state.terminated)
  })
  const failed = statuses.find(({ state }) => (state?.terminated?.exitCode ?? 0) !== 0)?.state?.terminated
  const [reason] = reasons as readonly (string | undefined)[]
  const readyContainers = running.length
  if ((reason ?? basicReason(pod)) !== 'Completed') return { reason, readyContainers }
  if (running.length > 0 && hasCondition(pod, 'Ready')) return { reason: 'Running', readyContainers }
  if (failed !== undefined) return { reason: terminatedReason(failed), readyContainers }
  return { reason: running.length > 0 ? 'NotReady' : 'Completed', readyContainers }
}

function terminatedReason({ reason = '', signal = 0, exitCode = 0 }: Terminated): string {
  if (reason !== '') return reason
  return signal === 0 ? `ExitCode:${exitCode}` : `Signal:${signal}`
}

function hasCondition({ status }: ShownPod, wanted: string): boolean {
  return status?.conditions?.some(({ type, status: value }) => type === wanted && value === 'True') ?? false
}
