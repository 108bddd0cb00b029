import type { Command } from 'commander'
import { installWorkload } from '../../manager/install/install-workload.ts'
import type { ConnectionOptions } from '../connect/connection.ts'
import { connecting, dryRunOption, type DryRunOptions } from '../flags.ts'
import type { World } from '../program.ts'
import { reachCluster } from '../connect/reached-cluster.ts'

export interface InstallOptions extends ConnectionOptions, DryRunOptions {
  readonly image?: string
}

export function addInstall(program: Command, world: World): void {
  connecting(program.command('install'))
    .description('put Lifeboat into a cluster, as deploy/lifeboat.yaml does, and wait until it works')
    .option('--image <reference>', 'where the nodes find the image; the name in deploy/lifeboat.yaml if not given')
    .addOption(dryRunOption())
    .action((options: InstallOptions) => install(world, options))
}

/** `lifeboat install`: two replicas in namespace lifeboat-system, with all that they need. */
export async function install(world: World, options: InstallOptions): Promise<void> {
  await using cluster = await reachCluster(world, options)
  const { image } = options
  const dryRun = options.dryRun === 'server'
  const print = (line: string) => world.print(line)
  await installWorkload(cluster, { ...(image === undefined ? {} : { image }), dryRun, print })
  if (dryRun) return
  const name = world.programName
  world.print('Lifeboat is installed')
  world.print(`Next: \`${name} drain NODE\`, \`${name} status\`; \`${name} uninstall\` takes it out again`)
}
