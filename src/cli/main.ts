import { once } from 'node:events'
import { enableCompileCache } from 'node:module'

// Two hundred files have their types stripped and are compiled: half a second that only the first start needs.
enableCompileCache()
const { buildProgram } = await import('./program.ts')

const program = buildProgram({
  print: (line) => process.stdout.write(`${line}\n`),
  untilInterrupted: async () => void (await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])),
})
try {
  await program.parseAsync()
} catch (error) {
  process.stderr.write(`lifeboat: ${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
}
