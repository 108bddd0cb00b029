import type { Fields } from './fields.ts'

/** Nanoseconds, as Go counts. */
const units: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n,
  μs: 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
}
const nanosecondsMax = 2n ** 63n
const millisecondNs = 1_000_000

const part = /(\d*)(?:\.(\d*))?(ns|us|\u00b5s|\u03bcs|ms|s|m|h)/u
const wholeText = new RegExp(`^([+-]?)((?:${part.source})+)$`, 'u')

/** `1h30m`, `1.5h`, `300ms`, `-5m` or `0` in milliseconds, as Go's time.ParseDuration reads them. */
export function parseGoDuration(text: string): number | undefined {
  if (/^[+-]?0$/u.test(text)) return 0
  const [, sign, parts = ''] = wholeText.exec(text) ?? []
  if (sign === undefined) return undefined
  let nanoseconds = 0n
  for (const [, whole = '', fraction = '', unit = ''] of parts.matchAll(new RegExp(part, 'gu'))) {
    if (whole === '' && fraction === '') return undefined
    const unitNs = units[unit] ?? 0n
    nanoseconds += BigInt(whole) * unitNs + (BigInt(fraction) * unitNs) / 10n ** BigInt(fraction.length)
  }
  if (nanoseconds > (sign === '-' ? nanosecondsMax : nanosecondsMax - 1n)) return undefined
  return (sign === '-' ? -1 : 1) * (Number(nanoseconds) / millisecondNs)
}

/** In milliseconds. Null counts as left out, an empty text does not. */
export function readDuration(fields: Fields, name: string, options: { minimum?: string } = {}): number | undefined {
  const value = fields.value(name)
  if (value === undefined) return undefined
  const durationMs = typeof value === 'string' ? parseGoDuration(value) : undefined
  if (durationMs === undefined) {
    fields.wrong(name, 'must be a duration such as 1h30m, 1.5h, 90s or 300ms')
  } else if (options.minimum !== undefined && durationMs < (parseGoDuration(options.minimum) ?? 0)) {
    fields.wrong(name, `must be a duration of at least ${options.minimum}`)
  }
  return durationMs
}
