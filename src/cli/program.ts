import { Command } from 'commander'
import { demo } from './demo.ts'
import { version } from './version.ts'

/** What a command needs of the world. */
export interface World {
  print(line: string): void
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
  return program
}
