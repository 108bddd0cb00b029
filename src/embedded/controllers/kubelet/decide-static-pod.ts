import type { Pod } from '../objects.ts'
import { behaviourOf } from './behaviour.ts'
import { mirroredHash, type StaticPod } from './static-pods.ts'

/** A static pod that runs on its node, whatever the API shows of it. */
export interface RunningStaticPod {
  readonly nodeName: string
  readonly hash: string
  readonly seen: string
  /** As it was when its mirror went: the next one shows that it ran all the time. */
  readonly status?: Pod['status']
  /** Its manifest is gone or another, and then it has ended. */
  readonly endsAtMs?: number
}

export interface StaticPodView {
  readonly wanted: StaticPod | undefined
  readonly running: RunningStaticPod | undefined
  readonly mirror: Pod | undefined
}

export type StaticPodStep =
  | { readonly kind: 'nothing' | 'showMirror' | 'removeMirror' | 'forget' }
  | { readonly kind: 'stop'; readonly endsAtMs: number }
  | { readonly kind: 'wait'; readonly untilMs: number }

export function decideStaticPod({ wanted, running, mirror }: StaticPodView, nowMs: number): StaticPodStep {
  const hash = running?.hash ?? (mirror === undefined ? undefined : mirroredHash(mirror))
  const isWanted = wanted !== undefined && (hash === undefined || hash === wanted.hash)
  if (isWanted && running?.endsAtMs === undefined) return { kind: mirror === undefined ? 'showMirror' : 'nothing' }
  if (running?.endsAtMs === undefined) return { kind: 'stop', endsAtMs: nowMs + terminationMs(mirror) }
  if (nowMs < running.endsAtMs) return { kind: 'wait', untilMs: running.endsAtMs }
  return { kind: mirror === undefined ? 'forget' : 'removeMirror' }
}

function terminationMs(mirror: Pod | undefined): number {
  if (mirror === undefined) return 0
  const graceMs = (mirror.spec?.terminationGracePeriodSeconds ?? 30) * 1_000
  return Math.min(graceMs, behaviourOf(mirror).terminateAfterMs ?? 0)
}
