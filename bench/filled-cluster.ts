import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { builtInAdmission } from '../src/embedded/server/admission/built-in-admission.ts'
import type { StartController } from '../src/embedded/controllers/controller.ts'
import { openEmbeddedCluster } from '../src/embedded/cluster.ts'
import { serveCluster } from '../src/embedded/kubectl/http/serve-cluster.ts'
import type { Store } from '../src/embedded/server/store.ts'
import { silentLog } from '../src/runtime/log.ts'
import { systemClock, systemRandom } from '../src/runtime/system.ts'

/** A cluster behind a kubeconfig. */
export interface FilledCluster extends AsyncDisposable {
  readonly store: Store
  readonly kubeconfigPath: string
}

/** Objects go straight into the store: a hundred thousand requests would take minutes. */
export async function serveFilledCluster(
  name: string,
  fill: (store: Store) => void,
  // Without any nothing happens, and 150,000 pods that no kubelet looks after cost nothing.
  controllers: readonly StartController[] = [],
): Promise<FilledCluster> {
  await using opening = new AsyncDisposableStack()
  const cluster = opening.use(
    await openEmbeddedCluster({
      clock: systemClock,
      random: systemRandom,
      log: silentLog,
      nodes: 0,
      admission: builtInAdmission,
      controllers,
    }),
  )
  fill(cluster.store)
  const served = opening.use(await serveCluster(cluster, { port: 0, clock: systemClock, log: silentLog, name }))
  const folder = await mkdtemp(join(tmpdir(), `lifeboat-${name}-`))
  opening.defer(() => rm(folder, { recursive: true, force: true }))
  const kubeconfigPath = join(folder, 'kubeconfig')
  await writeFile(kubeconfigPath, served.kubeconfig, { mode: 0o600 })
  const open = opening.move()
  return { store: cluster.store, kubeconfigPath, [Symbol.asyncDispose]: () => open.disposeAsync() }
}
