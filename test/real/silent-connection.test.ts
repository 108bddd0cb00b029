import { readFile, writeFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { pods } from '../../src/api/kubernetes/resources.ts'
import { noKubeMetrics } from '../../src/kube/metrics.ts'
import { Informer } from '../../src/kube/watch/informer.ts'
import { silentLog } from '../../src/runtime/log.ts'
import { systemClock, systemRandom } from '../../src/runtime/system.ts'
import { openSilentProxy } from '../build/silent-proxy.ts'
import { startCluster } from '../cluster/cluster.ts'
import { connect } from '../cluster/connect.ts'

const buildPod = (name: string) => ({
  metadata: { namespace: 'default', name },
  spec: { containers: [{ name: 'main', image: 'none' }] },
})

/** The cluster as it is found through another port of this machine. */
async function behind(cluster: { readonly kubeconfigPath: string }, port: number): Promise<{ kubeconfigPath: string }> {
  const kubeconfigPath = `${cluster.kubeconfigPath}.behind-${port}`
  const text = await readFile(cluster.kubeconfigPath, 'utf8')
  await writeFile(kubeconfigPath, text.replace(serverPort, `$1${port}`))
  return { kubeconfigPath }
}

const serverPort = /(server: "?https:\/\/127\.0\.0\.1:)(\d+)/

test('a connection that dies in silence is noticed within two minutes, and nothing that happened meanwhile is lost', async () => {
  await using cluster = await startCluster({ components: ['etcd', 'kube-apiserver'] })
  const [, , port] = serverPort.exec(await readFile(cluster.kubeconfigPath, 'utf8')) ?? []
  await using proxy = await openSilentProxy(Number(port))
  await using direct = await connect(cluster)
  await using connection = await connect(await behind(cluster, proxy.port))
  const stop = new AbortController()
  const informer = new Informer({
    kube: connection.kube,
    resource: pods,
    clock: systemClock,
    random: systemRandom,
    log: silentLog,
    metrics: noKubeMetrics,
  })
  const informing = informer.run(stop.signal)
  await informer.synced()
  await direct.kube.create(pods, buildPod('before'))
  await expect.poll(() => informer.size).toBe(1)
  proxy.fallSilent()
  await direct.kube.create(pods, buildPod('meanwhile'))
  const fellSilentMs = systemClock.monotonicMs()
  await expect.poll(() => informer.size, { timeout: 150_000, interval: 250 }).toBe(2)
  // Earlier it would have heard of it on the old connection.
  expect(systemClock.monotonicMs() - fellSilentMs).toBeGreaterThan(50_000)
  stop.abort(new Error('the test is over'))
  await informing
}, 240_000)
