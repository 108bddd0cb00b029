/** What is wrong with a field, for a CLI or an admission answer: where, what was found, what would be right. */
export interface FieldProblem {
  /** As the API server writes it: `spec.evacuators[0].priority`. Empty for the object itself. */
  readonly field: string
  /** What was found; undefined if nothing was. */
  readonly value: unknown
  readonly allowed: string
}

const valueLengthMax = 100

export function renderFieldProblem({ field, value, allowed }: FieldProblem): string {
  const place = field === '' ? 'the object' : field
  if (value === undefined) return `${place} is missing: ${allowed}`
  const found = JSON.stringify(value)
  const shown = found.length > valueLengthMax ? `${found.slice(0, valueLengthMax)}…` : found
  return `${place} is ${shown}: ${allowed}`
}
