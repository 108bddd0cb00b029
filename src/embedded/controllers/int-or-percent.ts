/** `3` or `25%` of a total. A percentage that does not come out even is rounded up or down; what is neither is 0. */
export function resolveIntOrPercent(
  value: number | string | undefined,
  total: number,
  rounding: 'up' | 'down',
): number {
  if (typeof value === 'number') return value
  const [, digits] = /^([0-9]+)%$/.exec(value ?? '') ?? []
  if (digits === undefined) return /^[0-9]+$/.test(value ?? '') ? Number(value) : 0
  const exact = (Number(digits) * total) / 100
  return rounding === 'up' ? Math.ceil(exact) : Math.floor(exact)
}
