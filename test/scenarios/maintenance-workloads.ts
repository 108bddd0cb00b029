import { intendedNodeOf, isHeld } from '../../src/api/maintenance/maintenance-hold.ts'
import type { Pod } from '../../src/api/kubernetes/core.ts'
import { podsPath } from './lifeboat-world.ts'
import { plain } from './maintenance-world.ts'
import type { World } from './scenario.ts'
import { paths, template } from './workload-world.ts'

/** DaemonSets on all nodes of the story, each with pods whose label `app` and image are its name. */
export async function arrangeDaemons(world: World, names: readonly string[], spec: object = {}): Promise<void> {
  for (const name of names) {
    const labels = { app: name }
    const ends = { terminationGracePeriodSeconds: 1, ...spec }
    await world.arrange('POST', paths.daemonSets, {
      metadata: { name, namespace: 'NS' },
      spec: {
        selector: { matchLabels: labels },
        template: { ...template(world, { spec: ends, image: `${name}:1` }), metadata: { labels } },
      },
    })
  }
}

/** By node the DaemonSets whose pods run there, as in `logs, network`. */
export async function daemonsAre(
  world: World,
  what: string,
  expected: Readonly<Record<string, string>>,
): Promise<void> {
  const seen = await world.eventually(
    `${what}: ${JSON.stringify(expected)}`,
    async () => {
      const { body } = await world.read(podsPath)
      const running = (body['items'] as Pod[]).filter(runs)
      const on = (node: string) =>
        running
          .filter((pod) => plain(world, intendedNodeOf(pod)) === node)
          .map(({ metadata }) => metadata.labels?.['app'] ?? '')
          .toSorted()
          .join(', ')
      return Object.fromEntries(Object.keys(expected).map((node) => [node, on(node)]))
    },
    (found) => Object.entries(expected).every(([node, names]) => found[node] === names),
  )
  world.observe(what, seen)
}

function runs(pod: Pod): boolean {
  const { metadata, status } = pod
  const isOfDaemonSet = metadata.ownerReferences?.some(({ kind }) => kind === 'DaemonSet') ?? false
  return isOfDaemonSet && !isHeld(pod) && metadata.deletionTimestamp === undefined && status?.phase === 'Running'
}
