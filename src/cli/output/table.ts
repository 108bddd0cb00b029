import stringWidth from 'string-width'

/** Columns as wide as what is in them, three spaces between, as kubectl prints tables. */
export function renderTable(header: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const all = [header, ...rows]
  const widths = header.map((_, column) => Math.max(...all.map((row) => stringWidth(row[column] ?? ''))))
  return all.map((row) =>
    row
      .map((cell, column) => cell + ' '.repeat((widths[column] ?? 0) - stringWidth(cell)))
      .join('   ')
      .trimEnd(),
  )
}
