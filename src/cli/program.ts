import { Command } from 'commander'
import { cluster, parseNodeCount, parsePort, type ClusterOptions } from './cluster.ts'
import { demo } from './demo.ts'
import { version } from './version.ts'

/** What a command needs of the world. */
export interface World {
  print(line: string): void
  /** Resolves at Ctrl-C, or when the process is asked to end in another way. */
  untilInterrupted(): Promise<void>
}

export function buildProgram(world: World): Command {
  const program = new Command('lifeboat')
    .description('Takes nodes out of a Kubernetes cluster without hurting the applications on them')
    .showHelpAfterError('(lifeboat --help lists what there is)')
  program
    .command('version')
    .description('print the version')
    .action(() => world.print(`lifeboat ${version}`))
  program
    .command('demo')
    .description('see what Lifeboat does, on this machine')
    .action(() => demo(world))
  program
    .command('cluster')
    .description('run a small Kubernetes in this process, for kubectl, until Ctrl-C')
    .option('--nodes <count>', 'how many nodes it has', parseNodeCount, 5)
    .option('--port <number>', 'where it listens on this machine; any free port if not given', parsePort, 0)
    .option('--kubeconfig <file>', 'where to write its kubeconfig; a temporary file if not given')
    .action((options: ClusterOptions) => cluster(world, options))
  return program
}
