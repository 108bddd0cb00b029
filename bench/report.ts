/** One line of a benchmark: ours, the yardstick's, measured in the same run, and their ratio. */
export interface Comparison {
  readonly what: string
  readonly unit: string
  readonly ours: number
  readonly theirs: number
  /** What we hold ourselves to. */
  readonly wanted?: { readonly ratioMin: number } | { readonly ratioMax: number } | { readonly oursMax: number }
}

export function renderComparison({ what, unit, ours, theirs, wanted }: Comparison): string {
  const ratio = ours / theirs
  const compared = theirs === 0 ? '' : `, ratio ${round(ratio)}`
  const figures = `ours ${round(ours)} ${unit}, theirs ${round(theirs)} ${unit}${compared}`
  return `${what.padEnd(40)} ${figures}${wanted === undefined ? '' : ` (${verdict(ours, ratio, wanted)})`}`
}

function verdict(ours: number, ratio: number, wanted: NonNullable<Comparison['wanted']>): string {
  if ('ratioMin' in wanted) return `wanted: ratio at least ${wanted.ratioMin}, ${yesOrNo(ratio >= wanted.ratioMin)}`
  if ('ratioMax' in wanted) return `wanted: ratio at most ${wanted.ratioMax}, ${yesOrNo(ratio <= wanted.ratioMax)}`
  return `wanted: at most ${wanted.oursMax}, ${yesOrNo(ours <= wanted.oursMax)}`
}

const missed = 'MISSED'

/** Prints a line. With --strict on the command line a miss fails the process, in the end. */
export function printLine(line: string): void {
  console.log(line)
  if (line.includes(missed) && process.argv.includes('--strict')) process.exitCode = 1
}

function yesOrNo(met: boolean): string {
  return met ? 'met' : missed
}

function round(value: number): string {
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2)
}

/** One figure that has nothing beside it, and what we hold it to. */
export interface Figure {
  readonly what: string
  readonly unit: string
  readonly value: number
  readonly min?: number
  readonly max?: number
}

export function renderFigure({ what, unit, value, min, max }: Figure): string {
  const wanted = [
    ...(min === undefined ? [] : [`wanted: at least ${min}, ${yesOrNo(value >= min)}`]),
    ...(max === undefined ? [] : [`wanted: at most ${max}, ${yesOrNo(value <= max)}`]),
  ]
  return `${what.padEnd(40)} ${round(value)} ${unit}${wanted.length === 0 ? '' : ` (${wanted.join('; ')})`}`
}
