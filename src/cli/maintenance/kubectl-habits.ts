import { Option, type Command } from 'commander'
import { CommandError, exitCodes } from '../output/errors.ts'

// What hands type that have drained nodes with kubectl for years, and what there is in its place.

const keptByPod = 'Leave it out: what is in an emptyDir goes with its pod, as with every eviction.'

/** Flags of `kubectl drain` that `drain` does not have, and what to do instead. */
export const kubectlDrainFlags: Readonly<Record<string, string>> = {
  '--ignore-daemonsets':
    'Leave it out: DaemonSet pods leave in their turn, and are back after `lifeboat complete`. To leave them where they are, switch off the gate NodeMaintenanceAwareDaemonSet.',
  '--delete-emptydir-data': keptByPod,
  '--delete-local-data': keptByPod,
  '--force': 'Leave it out: pods without a controller are evicted like all others, and are not recreated.',
  '--disable-eviction':
    'Leave it out: what a budget protects is not deleted; `lifeboat why NODE` says what is in the way.',
  '--grace-period': 'Leave it out: each pod has the time that its terminationGracePeriodSeconds gives it.',
  '--pod-selector':
    'Leave it out: a drain moves all pods. A plan with a podSelector says which of them leave first: --plan FILE.',
  '--skip-wait-for-delete-timeout': 'Leave it out: a pod counts until it is gone.',
  '--chunk-size': 'Leave it out: nothing is read in one piece.',
}

/** Takes those flags, with a value or without, to say what to do instead. */
export function answeringKubectlFlags(command: Command): Command {
  for (const [flag, advice] of Object.entries(kubectlDrainFlags)) {
    const refuse = () => {
      throw new CommandError(`drain has no ${flag}`, { advice, exitCode: exitCodes.usage })
    }
    command.addOption(new Option(`${flag} [value]`).hideHelp()).on(`option:${flag.slice(2)}`, refuse)
  }
  return command
}

export function addUncordon(program: Command): void {
  program
    .command('uncordon', { hidden: true })
    .argument('[nodes...]')
    .allowUnknownOption()
    .action(([node = 'NODE']: string[]) => {
      const advice = `\`lifeboat complete ${node}\` ends the maintenance of a node when the work is done, \`lifeboat cancel ${node}\` takes it back.`
      throw new CommandError('there is no uncordon', { advice, exitCode: exitCodes.usage })
    })
}
