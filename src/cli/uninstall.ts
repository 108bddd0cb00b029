import { installation } from '../manager/installation-names.ts'
import { uninstall as takeOut } from '../manager/uninstall.ts'
import { systemClock } from '../runtime/system.ts'
import { openConnection, type ConnectionOptions } from './connection.ts'
import { signalOf } from './lifeboat-process.ts'
import type { World } from './program.ts'
import { adminClient } from './run.ts'

export interface UninstallCommandOptions extends ConnectionOptions {
  readonly force?: boolean
}

/** `lifeboat uninstall`: leaves the cluster as if Lifeboat had never been there. */
export async function uninstall(world: World, options: UninstallCommandOptions): Promise<void> {
  const signal = signalOf(world)
  await using connection = await openConnection(options, signal)
  const wasThere = await takeOut(
    { kube: adminClient(connection.transport), clock: systemClock, signal },
    { namespace: installation.namespace, force: options.force ?? false, print: (line) => world.print(line) },
  )
  world.print(wasThere ? 'Lifeboat is uninstalled' : 'nothing to remove')
}
