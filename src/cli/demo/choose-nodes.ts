import type { Pod } from '../../api/kubernetes/core.ts'

/**
 * So many nodes that have pods of as many of these applications as possible; the first of them counts most. Of equals
 * those with the most pods.
 */
export function chooseNodes(pods: readonly Pod[], apps: readonly string[], count: number): string[] {
  const placed = pods.flatMap(({ metadata, spec }) =>
    spec?.nodeName === undefined || spec.nodeName === ''
      ? []
      : [{ node: spec.nodeName, app: metadata.labels?.['app'] }],
  )
  const byNode = Map.groupBy(placed, ({ node }) => node)
  const score = (nodes: readonly string[]) => {
    const there = nodes.flatMap((node) => byNode.get(node) ?? [])
    const covered = apps.filter((wanted) => there.some(({ app }) => app === wanted))
    const important = covered.reduce((sum, app) => sum + 2 ** (apps.length - apps.indexOf(app)), 0)
    return covered.length * 1_000_000 + important * 1_000 + there.length
  }
  const choices = combinations([...byNode.keys()].toSorted(byName), count)
  return choices
    .reduce<readonly string[]>((best, next) => (score(next) > score(best) ? next : best), [])
    .toSorted(byName)
}

/** Every way to take so many of them. Twelve nodes have 220 triples. */
function combinations(names: readonly string[], count: number): string[][] {
  if (count === 0) return [[]]
  return names.flatMap((name, index) =>
    combinations(names.slice(index + 1), count - 1).map((rest) => [name].concat(rest)),
  )
}

function byName(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true })
}
