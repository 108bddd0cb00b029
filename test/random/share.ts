/** Of a number or a percentage of a whole, as Kubernetes rounds: a surge up, what may be missing down. */
export function ceilOf(value: number | string, whole: number): number {
  return typeof value === 'number' ? value : Math.ceil((Number.parseInt(value, 10) * whole) / 100)
}

export function floorOf(value: number | string, whole: number): number {
  return typeof value === 'number' ? value : Math.floor((Number.parseInt(value, 10) * whole) / 100)
}
