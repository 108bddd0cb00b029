/** How many pods each domain has. A constraint on host names knows thousands of domains, most of them empty. */
export interface DomainSizes {
  readonly emptyCount: number
  /** Of all others, ascending. */
  readonly occupied: readonly number[]
}

/** So many pods go from one domain to another. Domains are counted from the smallest on, the empty ones first. */
export interface Transfer {
  readonly from: number
  readonly to: number
  readonly count: number
}

export function isBalanced({ emptyCount, occupied }: DomainSizes, maxSkew: number): boolean {
  const smallest = emptyCount > 0 ? 0 : (occupied[0] ?? 0)
  return (occupied.at(-1) ?? 0) - smallest <= maxSkew
}

export function averageOf({ emptyCount, occupied }: DomainSizes): number {
  return occupied.reduce((sum, size) => sum + size, 0) / (emptyCount + occupied.length)
}

/**
 * How domains come within the skew: the largest gives to the smallest. No domain gives or takes more than brings it
 * to the average, rounded up.
 */
export function transfersBetween(sizes: DomainSizes, maxSkew: number): Transfer[] {
  const average = averageOf(sizes)
  const { emptyCount, occupied } = sizes
  const sizeAt = (index: number) => (index < emptyCount ? 0 : (occupied[index - emptyCount] ?? 0))
  const transfers: Transfer[] = []
  let [to, from] = [0, emptyCount + occupied.length - 1]
  let [small, large] = [sizeAt(to), sizeAt(from)]
  while (to < from) {
    if (large <= average) {
      from -= 1
      large = sizeAt(from)
    }
    const excess = large - small - maxSkew
    const count = Math.min(Math.ceil(large - average), Math.ceil(average - small), Math.ceil(excess / 2))
    if (count <= 0) {
      to += 1
      small = sizeAt(to)
      continue
    }
    large -= count
    small += count
    transfers.push({ from, to, count })
  }
  return transfers
}
