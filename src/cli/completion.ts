import { Argument, type Command } from 'commander'
import { completeWords, shells, type NameKind } from './complete-words.ts'
import { listMaintenances } from './find-maintenance.ts'
import { namesOfNodes } from './find-nodes.ts'
import type { World } from './program.ts'
import { reachCluster, type ReachedCluster } from './reached-cluster.ts'

type Shell = (typeof shells)[number]

/** Longer nobody waits for a Tab. */
const patienceMs = 3_000

export function addCompletion(program: Command, world: World): void {
  program
    .command('completion')
    .description('print a script that completes commands, flags, nodes and maintenances in your shell')
    .addArgument(new Argument('<shell>', 'the shell').choices(shells))
    .addHelpText(
      'after',
      `\nbash: source <(lifeboat completion bash)\nzsh:  source <(lifeboat completion zsh)\nfish: lifeboat completion fish | source`,
    )
    .action((shell: Shell) => world.print(scripts[shell]))
  program
    .command('__complete', { hidden: true })
    .description('what the scripts of completion ask')
    .argument('[words...]')
    .action((words: string[]) => complete(program, world, words))
}

async function complete(program: Command, world: World, words: readonly string[]): Promise<void> {
  const completions = completeWords(program, words)
  const current = words.at(-1) ?? ''
  const named = completions.names.length === 0 ? [] : await namesFor(world, words, completions.names)
  for (const word of [...completions.words, ...named]) if (word.startsWith(current)) world.print(word)
}

/** Whatever goes wrong, a shell must not be told about it in the middle of a line. */
async function namesFor(world: World, words: readonly string[], kinds: readonly NameKind[]): Promise<string[]> {
  const valueOf = (flag: string) => {
    const value = words[words.indexOf(flag) + 1]
    return words.includes(flag) && value !== undefined ? { [flag.slice(2)]: value } : {}
  }
  try {
    await using cluster = await reachCluster(world, { ...valueOf('--kubeconfig'), ...valueOf('--context') })
    const late = Promise.withResolvers<string[]>()
    using _timer = cluster.clock.timer(patienceMs, () => late.resolve([]))
    const found = Promise.all(kinds.map((kind) => readers[kind](cluster))).then((lists) => lists.flat())
    return await Promise.race([found, late.promise])
  } catch {
    return []
  }
}

const readers: Readonly<Record<NameKind, (cluster: ReachedCluster) => Promise<string[]>>> = {
  nodes: ({ kube, signal }) => namesOfNodes(kube, signal),
  maintenances: async ({ kube, signal }) =>
    (await listMaintenances(kube, signal)).map(({ metadata }) => metadata.name ?? ''),
}

const scripts: Readonly<Record<Shell, string>> = {
  bash: `_lifeboat() {
  local IFS=$'\\n'
  COMPREPLY=($(lifeboat __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _lifeboat lifeboat`,
  zsh: `#compdef lifeboat
_lifeboat() {
  local -a candidates
  candidates=("\${(@f)$(lifeboat __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  candidates=(\${candidates:#})
  if (( \${#candidates} )); then compadd -- "\${candidates[@]}"; else _files; fi
}
compdef _lifeboat lifeboat`,
  fish: `function __lifeboat_complete
  set -l words (commandline -opc) (commandline -ct)
  lifeboat __complete -- $words[2..-1] 2>/dev/null
end
complete -c lifeboat -f -a '(__lifeboat_complete)'
complete -c lifeboat -l plan -r -F
complete -c lifeboat -l kubeconfig -r -F`,
}
