import { once } from 'node:events'
import { enableCompileCache } from 'node:module'
import { basename } from 'node:path'

// Two hundred files have their types stripped and are compiled: half a second that only the first start needs.
enableCompileCache()
const { runProgram } = await import('./program.ts')
const { terminalOf } = await import('./output/terminal.ts')

/** The first one asks to end in good order; a user who sends a second one does not want to wait for that. */
async function untilInterrupted(): Promise<void> {
  await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(130))
}

/** kubectl runs `kubectl-lifeboat` for `kubectl lifeboat`; bin/kubectl-lifeboat says so by a variable, as it starts Node. */
function isPlugin(): boolean {
  return process.env['LIFEBOAT_CALLED_AS'] === 'kubectl' || basename(process.argv[1] ?? '').startsWith('kubectl-')
}

const world = {
  programName: isPlugin() ? 'kubectl lifeboat' : 'lifeboat',
  terminal: terminalOf(process.stdout, process.env),
  print: (line: string) => void process.stdout.write(`${line}\n`),
  printError: (line: string) => void process.stderr.write(`${line}\n`),
  untilInterrupted,
}
// The reader of the output, head or less, may stop before everything is written: no failure of ours.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1))
process.exitCode = await runProgram(world, process.argv.slice(2))
