import type { StepResult } from './evacuator.ts'

/** A time that JavaScript can write down. */
const timeMaxMs = 8_640_000_000_000_000

/** Evacuators are written by others, and not all of them have a compiler that looks over their shoulder. */
export function checkStepResult<Result extends StepResult>(result: Result): Result {
  const kind = (result as Partial<StepResult> | undefined)?.kind
  switch (result?.kind) {
    case 'working':
      needs('message', result.message, typeof result.message === 'string', 'a text')
      needsTime('againInMs', result.againInMs)
      needsTime('expectedFinishMs', result.expectedFinishMs)
      needsPolicy(result.cancellation)
      break
    case 'waiting': {
      const { because } = result
      needs('because', because, typeof because === 'object', 'a blocker, or a reason and a message')
      const isReason = 'kind' in because || (typeof because.reason === 'string' && typeof because.message === 'string')
      needs('because', because, isReason, 'a blocker, or a reason and a message')
      needsTime('againInMs', result.againInMs)
      needsPolicy(result.cancellation)
      break
    }
    case 'completed':
      needs('message', result.message, typeof result.message === 'string', 'a text')
      break
    case 'evict':
      break
    default:
      needs('kind', kind, false, 'working, waiting, completed or evict')
  }
  return result
}

function needsTime(field: string, value: number | undefined): void {
  const isTime = value === undefined || (typeof value === 'number' && value >= 0 && value <= timeMaxMs)
  needs(field, value, isTime, 'a number of milliseconds, 0 or more')
}

function needsPolicy(value: unknown): void {
  needs('cancellation', value, [undefined, 'Allow', 'Forbid'].includes(value as undefined), 'Allow or Forbid')
}

function needs(field: string, value: unknown, holds: boolean, allowed: string): void {
  if (!holds) throw new TypeError(`the result of the evacuator has ${field} ${String(value)}: it must be ${allowed}`)
}
