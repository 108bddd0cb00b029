import { evacuations } from '../src/api/evacuation/evacuation.ts'
import type { Pod } from '../src/api/kubernetes/core.ts'
import { namespaces, pods } from '../src/api/kubernetes/resources.ts'
import type { Kube } from '../src/kube/client/client.ts'
import { Informer } from '../src/kube/watch/informer.ts'
import { noKubeMetrics } from '../src/kube/metrics.ts'
import { silentLog } from '../src/runtime/log.ts'
import { systemClock, systemRandom } from '../src/runtime/system.ts'
import { inParallel } from './in-parallel.ts'
import { waitUntil } from './wait-until.ts'

/** Pods that nobody owns and no budget covers, in a namespace of their own. */
export interface BarePods {
  readonly namespace: string
  readonly count: number
  /** They are spread over node-0, node-1 and so on. */
  readonly nodes: number
}

const limits = { createdAtOnce: 50, runningWithinMs: 180_000, goneWithinMs: 180_000 }

/** Creates them and waits until all of them run. */
export async function createBarePods(kube: Kube, { namespace, count, nodes }: BarePods): Promise<Pod[]> {
  await kube.create(namespaces, { metadata: { name: namespace } })
  await inParallel(count, limits.createdAtOnce, async (at) => {
    const spec = { containers: [{ name: 'main', image: 'web:1' }], nodeName: `node-${at % nodes}` }
    await kube.create(pods, { metadata: { name: `pod-${at}`, namespace, labels: { app: 'bench' } }, spec })
  })
  let running: Pod[] = []
  await waitUntil(
    { what: `${count} pods of namespace ${namespace} run`, withinMs: limits.runningWithinMs },
    async () => {
      const { items } = await kube.list(pods, { namespace })
      running = items.filter(({ status }) => status?.phase === 'Running')
      return running.length === count ? undefined : `${running.length} do`
    },
  )
  return running
}

/** Pods of the namespace a second, from `begin`, or from the first that goes, to the last that is on its way out. */
export async function evictionRate(
  kube: Kube,
  { namespace, count }: BarePods,
  from: 'begin' | 'first',
  begin: () => Promise<unknown>,
): Promise<number> {
  const stop = new AbortController()
  const world = { clock: systemClock, random: systemRandom, log: silentLog, metrics: noKubeMetrics }
  const informer = new Informer({ kube, ...world, resource: pods, selection: { namespace } })
  const going = new Set<string>()
  const all = Promise.withResolvers<void>()
  let startedMs = 0
  informer.subscribe(({ kind, object: { metadata } }) => {
    if (kind !== 'deleted' && metadata.deletionTimestamp === undefined) return
    if (going.size === 0 && from === 'first') startedMs = performance.now()
    going.add(metadata.name)
    if (going.size === count) all.resolve()
  })
  const running = informer.run(stop.signal)
  await informer.synced()
  if (from === 'begin') startedMs = performance.now()
  await Promise.all([begin(), all.promise])
  const seconds = (performance.now() - startedMs) / 1_000
  stop.abort(new Error('all are on their way'))
  await running
  return count / seconds
}

/** What the API server can do at most: evictions that nothing stands in the way of, so many at once. */
export async function bareEvictionRate(
  { kube, evicting }: { readonly kube: Kube; readonly evicting: readonly [Kube, ...Kube[]] },
  bare: BarePods,
  atOnce: number,
): Promise<number> {
  const created = await createBarePods(kube, bare)
  const { namespace } = bare
  const rate = await evictionRate(kube, bare, 'begin', () =>
    inParallel(bare.count, atOnce, async (at) => {
      const { name = '', uid = '' } = created[at]?.metadata ?? {}
      await (evicting[at % evicting.length] ?? evicting[0]).evict({ namespace, name, uid })
    }),
  )
  await untilEmpty(kube, namespace)
  return rate
}

/** Waits until there is neither a pod nor an Evacuation in the namespace. */
export async function untilEmpty(kube: Kube, namespace: string): Promise<void> {
  await waitUntil({ what: `namespace ${namespace} is empty`, withinMs: limits.goneWithinMs }, async () => {
    const left = await Promise.all([
      kube.list(pods, { namespace }),
      kube.list(evacuations, { namespace }).catch(() => ({ items: [] })),
    ])
    const [podsLeft, evacuationsLeft] = left.map(({ items }) => items.length)
    return podsLeft === 0 && evacuationsLeft === 0
      ? undefined
      : `${podsLeft} pods and ${evacuationsLeft} Evacuations are left`
  })
}
