import type { Evacuation } from '../api/evacuation/evacuation.ts'

export type TurnEnd =
  /** The Evacuation is gone, with its pod or without. */
  | 'gone'
  /** It is being deleted while the pod lives. */
  | 'cancelled'
  /** Another class is active now: this one was silent beyond the deadline, or was marked as completed. */
  | 'handedOver'
  /** The status says that this class is done. */
  | 'completed'

const words: Readonly<Record<TurnEnd, string>> = {
  gone: 'the Evacuation is gone',
  cancelled: 'the Evacuation was cancelled',
  handedOver: 'the turn passed to another evacuator',
  completed: 'the turn was marked as completed',
}

/** The reason with which the signal of a turn aborts. */
export class TurnEnded extends Error {
  override readonly name = 'TurnEnded'
  readonly why: TurnEnd

  constructor(why: TurnEnd) {
    super(words[why])
    this.why = why
  }
}

/** Why the turn is no longer that of the class, or undefined: it still is. */
export function turnEndOf(
  evacuation: Evacuation | undefined,
  turn: { readonly uid: string; readonly evacuatorClass: string },
): TurnEnd | undefined {
  if (evacuation === undefined || evacuation.metadata.uid !== turn.uid) return 'gone'
  if (evacuation.metadata.deletionTimestamp !== undefined) return 'cancelled'
  if (evacuation.status?.activeEvacuatorClass !== turn.evacuatorClass) return 'handedOver'
  return evacuation.status.activeEvacuatorCompleted ? 'completed' : undefined
}
