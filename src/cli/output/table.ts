import { displayWidth } from '../view/display-width.ts'

/** Columns as wide as what is in them, three spaces between, as kubectl prints tables. */
export function renderTable(header: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const all = [header, ...rows]
  const widths = header.map((_, column) => Math.max(...all.map((row) => displayWidth(row[column] ?? ''))))
  return all.map((row) =>
    row
      .map((cell, column) => cell + ' '.repeat((widths[column] ?? 0) - displayWidth(cell)))
      .join('   ')
      .trimEnd(),
  )
}
