const suggestionsMax = 3

/** Those that the user may have meant, closest first. */
export function closestNames(wanted: string, names: readonly string[]): string[] {
  const distanceMax = Math.max(2, Math.floor(wanted.length / 3))
  return names
    .map((name) => ({ name, distance: name.includes(wanted) ? 1 : editDistance(wanted, name) }))
    .filter(({ distance }) => distance <= distanceMax)
    .toSorted((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1))
    .slice(0, suggestionsMax)
    .map(({ name }) => name)
}

/** How many letters have to be put in, taken out or replaced. */
function editDistance(one: string, other: string): number {
  let previous = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (let row = 1; row <= one.length; row++) {
    const current = [row]
    for (let column = 1; column <= other.length; column++) {
      const replaced = (previous[column - 1] ?? 0) + (one[row - 1] === other[column - 1] ? 0 : 1)
      current.push(Math.min(replaced, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1))
    }
    previous = current
  }
  return previous[other.length] ?? 0
}
