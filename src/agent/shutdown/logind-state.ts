// What systemd-logind says about shutdowns, and how it is read from the output of busctl.

export interface LogindState {
  /** A shutdown was signalled: logind waits for the delay locks, and for no longer than the budget. */
  readonly preparing: boolean
  /** A shutdown was asked for at a later time. */
  readonly scheduled: ScheduledShutdown | undefined
  /** For how long logind lets a lock delay a shutdown. */
  readonly budgetMs: number
  readonly locks: readonly LogindLock[]
}

export interface ScheduledShutdown {
  /** In the words of systemd, such as reboot or poweroff. */
  readonly action: string
  readonly atMs: number
}

export interface LogindLock {
  /** What it delays or blocks, such as `shutdown` or `shutdown:sleep`. */
  readonly what: string
  readonly who: string
  readonly mode: string
}

/** In this order they are asked for, and answered. */
export const logindProperties = ['PreparingForShutdown', 'ScheduledShutdown', 'InhibitDelayMaxUSec'] as const

const microsecondsPerMs = 1_000
const shownLengthMax = 200

/** The output of `busctl --json=short get-property`: one line of JSON for each property. */
export function parseProperties(output: string): Omit<LogindState, 'locks'> {
  const [preparing, scheduled, budget] = output
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => dataOf(line))
  if (typeof preparing !== 'boolean' || !Array.isArray(scheduled) || typeof budget !== 'number')
    throw unreadable(output)
  const [action, atMicroseconds] = scheduled as unknown[]
  if (typeof action !== 'string' || typeof atMicroseconds !== 'number') throw unreadable(output)
  return { preparing, scheduled: scheduledOf(action, atMicroseconds), budgetMs: budget / microsecondsPerMs }
}

/** The output of `busctl --json=short call ... ListInhibitors`: one line, with an array of the results. */
export function parseLocks(output: string): LogindLock[] {
  const results = dataOf(output)
  const rows: unknown = Array.isArray(results) ? results[0] : undefined
  if (!Array.isArray(rows)) throw unreadable(output)
  return rows.map((row: unknown) => {
    const [what, who, , mode] = Array.isArray(row) ? (row as unknown[]) : []
    if (typeof what !== 'string' || typeof who !== 'string' || typeof mode !== 'string') throw unreadable(output)
    return { what, who, mode }
  })
}

/** Whether this is a lock that a shutdown waits for, of the one who is named. */
export function delaysShutdown({ what, who, mode }: LogindLock, owner: string): boolean {
  return who === owner && mode === 'delay' && what.split(':').includes('shutdown')
}

/** With no shutdown scheduled, the action is empty. The time is the largest number then, and was 0 in older versions. */
function scheduledOf(action: string, atMicroseconds: number): ScheduledShutdown | undefined {
  if (action === '' || atMicroseconds === 0 || !Number.isSafeInteger(atMicroseconds)) return undefined
  return { action, atMs: Math.round(atMicroseconds / microsecondsPerMs) }
}

function dataOf(line: string): unknown {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null && 'data' in value ? value.data : undefined
  } catch {
    throw unreadable(line)
  }
}

function unreadable(output: string): Error {
  return new Error(`busctl wrote what cannot be read: ${output.trim().slice(0, shownLengthMax)}`)
}
