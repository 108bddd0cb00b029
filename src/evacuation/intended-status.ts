import { keyOfId } from '../api/kubernetes/object-id.ts'
import type { EvacuationWriter } from '../evacuation-client/evacuation-writer.ts'
import { isKubeError } from '../kube/client/errors.ts'
import type { Clock } from '../runtime/clock.ts'
import type { Next } from '../runtime/work-queue.ts'

export interface IntendedOptions {
  readonly writer: Pick<EvacuationWriter, 'intendedAtMs' | 'writeIntended'>
  readonly clock: Clock
}

/** A pod that moves within this time is not worth the write that says who moves it. */
const quietMs = 5_000
const afterConflictMs = 1_000
const settled: Next = { kind: 'settled' }

/** Writes a status that was not needed so far, once it is worth it. */
export async function writeIntended(
  { writer, clock }: IntendedOptions,
  id: string,
  signal: AbortSignal,
): Promise<Next> {
  const key = keyOfId(id)
  const intendedAtMs = writer.intendedAtMs(key)
  if (intendedAtMs === undefined) return settled
  const atMs = intendedAtMs + quietMs
  if (clock.nowMs() < atMs) return { kind: 'again', atMs }
  try {
    await writer.writeIntended(key, signal)
    return settled
  } catch (error) {
    if (isKubeError(error, 'notFound')) return settled
    // It has changed, which the watch shows soon.
    if (isKubeError(error, 'conflict')) return { kind: 'again', atMs: clock.nowMs() + afterConflictMs }
    throw error
  }
}
