import { homedir } from 'node:os'
import { Argument, type Command } from 'commander'
import { systemClock } from '../../runtime/system.ts'
import { completeWords, shells, type NameKind } from './complete-words.ts'
import type { ConnectionOptions } from '../connect/connection.ts'
import { listMaintenances } from '../maintenance/find-maintenance.ts'
import { takenNames } from '../maintenance/start-maintenance.ts'
import { namesOfNodes } from '../maintenance/find-nodes.ts'
import type { World } from '../program.ts'
import { reachCluster, type ReachedCluster } from '../connect/reached-cluster.ts'

type Shell = (typeof shells)[number]

/** Completion gives up after this long. */
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

/** Words, and in the last line what else to do, as kubectl asks it of plugins: offer files too, or never. */
const directives = { files: ':0', noFiles: ':4' }

async function complete(program: Command, world: World, words: readonly string[]): Promise<void> {
  const { words: known, names, files, typed, connection } = completeWords(program, words)
  const named = names.length === 0 ? [] : await namesFor(world, connection, names)
  for (const word of [...known, ...named]) if (word.startsWith(typed)) world.print(word)
  world.print(files ? directives.files : directives.noFiles)
}

/** Whatever goes wrong, or takes too long, a shell must not be told about it in the middle of a line. */
async function namesFor(world: World, connection: ConnectionOptions, kinds: readonly NameKind[]): Promise<string[]> {
  const late = Promise.withResolvers<void>()
  using _timer = systemClock.timer(patienceMs, () => late.resolve())
  const quiet: World = {
    ...world,
    printError: () => {},
    untilInterrupted: () => Promise.race([world.untilInterrupted(), late.promise]),
  }
  return await Promise.race([readNames(quiet, connection, kinds).catch(() => []), late.promise.then(() => [])])
}

async function readNames(world: World, connection: ConnectionOptions, kinds: readonly NameKind[]): Promise<string[]> {
  const { kubeconfig } = connection
  // A shell makes the home folder of ~ when it runs the line, and this one has not run yet.
  const atHome = kubeconfig === undefined ? {} : { kubeconfig: kubeconfig.replace(/^~(?=\/)/, homedir()) }
  await using cluster = await reachCluster(world, { ...connection, ...atHome })
  return (await Promise.all(kinds.map((kind) => readers[kind](cluster)))).flat()
}

const readers: Readonly<Record<NameKind, (cluster: ReachedCluster) => Promise<string[]>>> = {
  nodes: ({ kube, signal }) => namesOfNodes(kube, signal),
  maintenances: async ({ kube, signal }) => [...takenNames(await listMaintenances(kube, signal))],
}

// Each hands over the words up to the cursor, as the program would get them, and does as the last line says.
const scripts: Readonly<Record<Shell, string>> = {
  // It cuts words at : and = as well, so what stands together on the line is put together again. $2 is the part that it
  // will replace.
  bash: `_lifeboat() {
  local words=() rest=\${COMP_LINE:0:COMP_POINT} index gap piece answer flag=
  for ((index = 0; index <= COMP_CWORD; index++)); do
    gap=\${rest%%[![:space:]]*}
    rest=\${rest#"$gap"}
    piece=\${COMP_WORDS[index]}
    ((index < COMP_CWORD)) || piece=$rest
    rest=\${rest#"$piece"}
    if ((index == 0)) || [[ -n $gap ]]; then words+=("$piece"); else words[\${#words[@]}-1]+=$piece; fi
  done
  words=("\${words[@]//[\\"\\'\\\\]/}")
  [[ $2 != --*=* ]] || flag=\${2%%=*}=
  COMPREPLY=()
  while IFS= read -r answer; do
    case $answer in
      :0) ;;
      :*) compopt +o default 2>/dev/null ;;
      *) COMPREPLY+=("$flag$answer") ;;
    esac
  done < <(lifeboat __complete -- "\${words[@]:1}" 2>/dev/null)
}
complete -o default -F _lifeboat lifeboat`,
  zsh: `_lifeboat() {
  local -a answer
  answer=(\${(f)"$(lifeboat __complete -- "\${(@Q)words[2,CURRENT-1]}" "\${(Q)PREFIX}" 2>/dev/null)"})
  compset -P '--*='
  case \${answer[-1]} in
    :0) _files ;;
    :*) compadd -- \${answer[1,-2]} ;;
  esac
}
compdef _lifeboat lifeboat`,
  // A command that is not there any more is the one failure that 2>/dev/null does not silence here.
  fish: `function __lifeboat_complete
  type -q lifeboat; or return
  set -l typed (commandline -ct)
  set -l words (commandline -opc) (string replace -ra '[\\'"\\\\\\\\]' '' -- $typed)
  set -l answer (lifeboat __complete -- $words[2..-1] 2>/dev/null)
  set -l flag (string match -r -- '^--[^=]*=' $typed)
  switch "$answer[-1]"
    case ':0'
      set answer (__fish_complete_path (string replace -- "$flag" '' $typed))
    case '*'
      set -e answer[-1]
  end
  for word in $answer
    printf '%s\\n' "$flag$word"
  end
end
complete -c lifeboat -f -a '(__lifeboat_complete)'`,
}
