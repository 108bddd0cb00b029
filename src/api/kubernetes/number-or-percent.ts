import type { NumberOrPercent } from './apps.ts'

/** What `3` or `25%` comes to. Undefined for what is neither; Kubernetes rounds in the one way or the other by the field. */
export function resolveNumberOrPercent(
  value: NumberOrPercent,
  whole: number,
  rounding: 'up' | 'down',
): number | undefined {
  if (typeof value === 'number') return Number.isInteger(value) && value >= 0 ? value : undefined
  const digits = /^(\d{1,9})%$/.exec(value)?.[1]
  if (digits === undefined) return undefined
  // Whole numbers until the division: 0.07 * 100 is not 7.
  const share = (Number(digits) * whole) / 100
  return rounding === 'up' ? Math.ceil(share) : Math.floor(share)
}
