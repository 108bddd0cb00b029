import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { Pod } from '../../src/api/kubernetes/core.ts'
import { pods } from '../../src/api/kubernetes/resources.ts'
import type { Kube } from '../../src/kube/client/client.ts'
import { Informer } from '../../src/kube/watch/informer.ts'
import { noKubeMetrics } from '../../src/kube/metrics.ts'
import type { Change } from '../../src/kube/watch/object-cache.ts'
import { silentLog } from '../../src/runtime/log.ts'
import { seededRandom, type RandomStream } from '../../src/runtime/random.ts'
import { systemClock, systemRandom } from '../../src/runtime/system.ts'
import { startCluster } from '../cluster/cluster.ts'
import { connect } from '../cluster/connect.ts'

const podCount = 1_000
const restarts = 10
const writesBetweenCrashes = 100
const seed = 20_260_101

const namespace = 'default'
const buildPod = (name: string) => ({
  metadata: { namespace, name },
  spec: { containers: [{ name: 'main', image: 'none' }] },
})

async function createPods(kube: Kube): Promise<void> {
  await Promise.all(Array.from({ length: podCount }, (_, at) => kube.create(pods, buildPod(`pod-${at}`))))
}

/** Changes, deletes and remakes pods as fast as the server answers; what fails while it is down does not matter. */
async function meddle(kube: Kube, random: RandomStream, signal: AbortSignal, count: () => void): Promise<void> {
  let done = 0
  while (!signal.aborted) {
    const name = `pod-${Math.floor(random.next() * podCount)}`
    try {
      if (random.next() < 0.8) {
        await kube.patch(
          pods,
          { namespace, name },
          { type: 'merge', body: { metadata: { labels: { turn: String(done) } } } },
          { signal },
        )
      } else {
        await kube.delete(pods, { namespace, name }, { gracePeriodSeconds: 0, signal })
        if (random.next() < 0.8) await kube.create(pods, buildPod(name), { signal })
      }
      done++
      count()
    } catch {
      await pause(20)
    }
  }
}

/** Follows what is told and notes everything that cannot be: a second addition, a change of what is not there, a step back. */
function auditor() {
  const held = new Map<string, { uid: string; version: bigint }>()
  const wrong: string[] = []
  const hear = ({ kind, object }: Change<Pod>) => {
    const { name, uid, resourceVersion } = object.metadata
    const before = held.get(name)
    const version = BigInt(resourceVersion)
    if ((kind === 'added') !== (before === undefined))
      wrong.push(`${name}: ${kind}, held before: ${before !== undefined}`)
    if (kind !== 'added' && before?.uid !== uid) wrong.push(`${name}: ${kind} of another uid`)
    if (kind === 'updated' && before !== undefined && version <= before.version)
      wrong.push(`${name}: ${version} after ${before.version}`)
    if (kind === 'deleted') held.delete(name)
    else held.set(name, { uid, version })
  }
  return { hear, wrong, held }
}

const summary = (items: readonly Pod[]) =>
  items
    .map(({ metadata }) => `${metadata.name} ${metadata.uid} ${metadata.resourceVersion}`)
    .toSorted((one, other) => one.localeCompare(other))

test(`${restarts} crashes of kube-apiserver and etcd during a watch of ${podCount} changing pods leave the informer equal to a fresh list`, async () => {
  await using cluster = await startCluster({ components: ['etcd', 'kube-apiserver'] })
  await using connection = await connect(cluster)
  const { kube } = connection
  await createPods(kube)

  const stop = new AbortController()
  const informer = new Informer({
    kube,
    resource: pods,
    clock: systemClock,
    random: systemRandom,
    log: silentLog,
    metrics: noKubeMetrics,
  })
  const audit = auditor()
  let told = 0
  informer.subscribe((change) => {
    told++
    audit.hear(change)
  })
  const informing = informer.run(stop.signal)
  await informer.synced()

  const meddling = new AbortController()
  const random = seededRandom(seed)
  let writes = 0
  const meddlers = Array.from({ length: 8 }, (_, at) =>
    meddle(kube, random.stream(`meddler ${at}`), meddling.signal, () => void writes++),
  )
  for (let round = 0; round < restarts; round++) {
    const before = told
    // However slow the machine is, each crash meets a server at work.
    const enough = (round + 1) * writesBetweenCrashes
    await expect.poll(() => writes, { timeout: 30_000, interval: 50 }).toBeGreaterThan(enough)
    await Promise.all([cluster.stop('kube-apiserver', 'SIGKILL'), cluster.stop('etcd', 'SIGKILL')])
    await cluster.start('etcd')
    await cluster.start('kube-apiserver')
    await expect.poll(() => told, { timeout: 30_000, interval: 50 }).toBeGreaterThan(before + 50)
  }
  meddling.abort(new Error('enough'))
  await Promise.all(meddlers)

  const fresh = await kube.list(pods)
  const expected = summary(fresh.items)
  await expect.poll(() => summary(informer.list()), { timeout: 30_000, interval: 100 }).toEqual(expected)
  expect(audit.wrong).toEqual([])
  expect(audit.held.size).toBe(fresh.items.length)
  stop.abort(new Error('the test is over'))
  await informing
}, 480_000)
