import { runTests } from './run-tests.ts'

// `make test`: everything that Node alone can run.

process.exit(await runTests({ args: process.argv.slice(2), projects: ['unit', 'stories', 'tidy'] }))
