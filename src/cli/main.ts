import { once } from 'node:events'
import { enableCompileCache } from 'node:module'

// Two hundred files have their types stripped and are compiled: half a second that only the first start needs.
enableCompileCache()
const { buildProgram } = await import('./program.ts')

/** The first one asks to end in good order; whoever sends a second one does not want to wait for that. */
async function untilInterrupted(): Promise<void> {
  await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(130))
}

const program = buildProgram({ print: (line) => process.stdout.write(`${line}\n`), untilInterrupted })
try {
  await program.parseAsync()
} catch (error) {
  process.stderr.write(`lifeboat: ${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
}
