/** A span of time as kubectl shows ages: two figures or so, `3m20s`, `5h`, `12d`. */
export function humanDuration(spanMs: number): string {
  const seconds = Math.trunc(spanMs / 1_000)
  if (seconds < -1) return '<invalid>'
  if (seconds < 0) return '0s'
  if (seconds < 120) return `${seconds}s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 10) return withRest(minutes, 'm', seconds % 60, 's')
  if (minutes < 180) return `${minutes}m`
  const hours = Math.floor(minutes / 60)
  if (hours < 8) return withRest(hours, 'h', minutes % 60, 'm')
  if (hours < 48) return `${hours}h`
  const days = Math.floor(hours / 24)
  if (days < 8) return withRest(days, 'd', hours % 24, 'h')
  if (days < 730) return `${days}d`
  const years = Math.floor(days / 365)
  return years < 8 ? withRest(years, 'y', days % 365, 'd') : `${years}y`
}

/** The age of what carries this timestamp. */
export function ageOf(timestamp: string | undefined, nowMs: number): string {
  if (timestamp === undefined || timestamp === '') return '<unknown>'
  const thenMs = Date.parse(timestamp)
  return Number.isNaN(thenMs) ? '<invalid>' : humanDuration(nowMs - thenMs)
}

function withRest(count: number, unit: string, rest: number, restUnit: string): string {
  return rest === 0 ? `${count}${unit}` : `${count}${unit}${rest}${restUnit}`
}
