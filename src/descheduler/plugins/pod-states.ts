import type { ContainerView, PodView } from '../view.ts'

/** Which containers count beside the ordinary ones. */
export interface ContainerChoice {
  readonly includingInitContainers?: boolean
  readonly includingEphemeralContainers?: boolean
}

export function containersOf(pod: PodView, choice: ContainerChoice): readonly ContainerView[] {
  if (choice.includingInitContainers !== true && choice.includingEphemeralContainers !== true) return pod.containers
  return [
    ...pod.containers,
    ...(choice.includingInitContainers === true ? pod.initContainers : []),
    ...(choice.includingEphemeralContainers === true ? pod.ephemeralContainers : []),
  ]
}

/** Whether a container waits, or has ended, for one of the reasons. */
export function hasReason(containers: readonly ContainerView[], reasons: ReadonlySet<string>): boolean {
  return containers.some(
    ({ waitingReason, terminatedReason }) =>
      (waitingReason !== undefined && reasons.has(waitingReason)) ||
      (terminatedReason !== undefined && reasons.has(terminatedReason)),
  )
}

/** Whether a container has ended with one of the codes, and is not running again. */
export function hasExitCode(containers: readonly ContainerView[], exitCodes: ReadonlySet<number>): boolean {
  return containers.some(({ exitCode }) => exitCode !== undefined && exitCodes.has(exitCode))
}

/** Whole seconds since a time, as upstream counts; a time to come is -1 or less. */
export function secondsSince(timeMs: number, nowMs: number): number {
  return Math.floor((nowMs - timeMs) / 1_000)
}
