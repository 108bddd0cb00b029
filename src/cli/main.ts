import { buildProgram } from './program.ts'

await buildProgram({ print: (line) => process.stdout.write(`${line}\n`) }).parseAsync()
