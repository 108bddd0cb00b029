import { breath } from '../plugin.ts'

/** So many are sorted, or merged, in one stretch. */
const stretch = 4_000

/** As toSorted, for lists so long that others would notice: it takes a breath now and then. */
export function* sortInSteps<Item>(
  items: readonly Item[],
  compare: (one: Item, other: Item) => number,
): Generator<typeof breath, readonly Item[], unknown> {
  let runs: (readonly Item[])[] = []
  for (let from = 0; from < items.length; from += stretch) {
    runs.push(items.slice(from, from + stretch).toSorted(compare))
    yield breath
  }
  while (runs.length > 1) {
    const merged: (readonly Item[])[] = []
    for (let index = 0; index < runs.length; index += 2) {
      const [one = [], other = []] = runs.slice(index, index + 2)
      merged.push(yield* merge(one, other, compare))
    }
    runs = merged
  }
  return runs[0] ?? []
}

/** Of equals, those of the first list come first. */
function* merge<Item>(
  one: readonly Item[],
  other: readonly Item[],
  compare: (one: Item, other: Item) => number,
): Generator<typeof breath, readonly Item[], unknown> {
  const merged: Item[] = []
  let [at, otherAt] = [0, 0]
  while (at < one.length && otherAt < other.length) {
    const takesOther = compare(one[at] as Item, other[otherAt] as Item) > 0
    merged.push((takesOther ? other[otherAt++] : one[at++]) as Item)
    if (merged.length % stretch === 0) yield breath
  }
  return [...merged, ...one.slice(at), ...other.slice(otherAt)]
}
