import { isInCluster, loadInCluster } from '../../kube/auth/in-cluster.ts'
import { systemFiles } from '../../kube/auth/system-files.ts'
import { installation } from '../../manager/install/installation-names.ts'
import { uninstall as takeOut } from '../../manager/install/uninstall.ts'
import { systemClock } from '../../runtime/system.ts'
import { connectTo, openConnection, type ConnectionOptions } from '../connect/connection.ts'
import { signalOf } from './lifeboat-process.ts'
import type { World } from '../program.ts'
import { adminClient } from './run.ts'

export interface UninstallCommandOptions extends ConnectionOptions {
  readonly force?: boolean
  readonly releaseOnly?: boolean
}

/** `lifeboat uninstall`: leaves the cluster as if Lifeboat had never been there. */
export async function uninstall(world: World, options: UninstallCommandOptions): Promise<void> {
  const signal = signalOf(world)
  const { force = false, releaseOnly = false } = options
  // In the Job of a release it looks after the namespace that it is in.
  const isJob = releaseOnly && options.kubeconfig === undefined && isInCluster(process.env)
  await using connection = isJob
    ? await connectTo(await loadInCluster({ environment: process.env, files: systemFiles, clock: systemClock }), signal)
    : await openConnection(options, signal)
  const namespace = isJob ? connection.access.namespace : installation.namespace
  const wasThere = await takeOut(
    { kube: adminClient(connection.transport), clock: systemClock, signal },
    { namespace, force, releaseOnly, print: (line) => world.print(line) },
  )
  const done = releaseOnly ? 'Lifeboat holds nothing any more' : 'Lifeboat is uninstalled'
  world.print(wasThere ? done : 'nothing to remove')
}
