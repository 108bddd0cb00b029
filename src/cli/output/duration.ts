const secondMs = 1_000
const minuteMs = 60 * secondMs
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

/** `8s`, `1m20s`, `2h5m`, `3d4h`: the two largest units, which is all that a user reads. */
export function renderDuration(durationMs: number): string {
  const ms = Math.max(0, durationMs)
  if (ms < minuteMs) return `${Math.floor(ms / secondMs)}s`
  if (ms < hourMs) return twoUnits(ms, [minuteMs, 'm'], [secondMs, 's'])
  if (ms < dayMs) return twoUnits(ms, [hourMs, 'h'], [minuteMs, 'm'])
  return twoUnits(ms, [dayMs, 'd'], [hourMs, 'h'])
}

type Unit = readonly [ms: number, letter: string]

function twoUnits(ms: number, [largeMs, large]: Unit, [smallMs, small]: Unit): string {
  const rest = Math.floor((ms % largeMs) / smallMs)
  return `${Math.floor(ms / largeMs)}${large}${rest === 0 ? '' : `${rest}${small}`}`
}
