import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { configMaps, events, namespaces } from '../api/kubernetes/resources.ts'
import { builtInAdmission } from '../embedded/server/admission/built-in-admission.ts'
import { openEmbeddedCluster } from '../embedded/cluster.ts'
import { serveCluster } from '../embedded/kubectl/http/serve-cluster.ts'
import { silentLog } from '../runtime/log.ts'
import { seededRandom } from '../runtime/random.ts'
import { systemClock } from '../runtime/system.ts'
import { connect } from './sdk-connect.ts'

test('reaches the cluster of a kubeconfig, and tells events there', async () => {
  const world = { clock: systemClock, random: seededRandom(1), log: silentLog }
  await using embedded = await openEmbeddedCluster({ ...world, nodes: 0, admission: builtInAdmission })
  await using served = await serveCluster(embedded, { ...world, port: 0, name: 'boat' })
  await using folder = await temporaryFolder()
  const kubeconfig = join(folder.path, 'kubeconfig')
  await writeFile(kubeconfig, served.kubeconfig)
  const about = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'default', name: 'a', uid: 'u' } }
  {
    await using cluster = await connect({ kubeconfig, component: 'vm-operator' })
    const { items } = await cluster.kube.list(namespaces)
    expect(items.map(({ metadata }) => metadata.name)).toContain('default')
    await cluster.kube.create(configMaps, { metadata: about.metadata })
    cluster.events.record({ about, type: 'Normal', reason: 'Tested', note: 'it was tested' })
  }
  await using again = await connect({ kubeconfig, component: 'vm-operator' })
  const { items } = await again.kube.list(events, { namespace: 'default' })
  expect(items).toMatchObject([{ reason: 'Tested', source: { component: 'vm-operator' } }])
})

test('says in one line what is wrong with the kubeconfig', async () => {
  await expect(connect({ kubeconfig: '/does/not/exist', component: 'x' })).rejects.toThrow(/does\/not\/exist/)
})

async function temporaryFolder(): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await mkdtemp(join(tmpdir(), 'lifeboat-connect-'))
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}
