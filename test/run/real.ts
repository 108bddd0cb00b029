import { runReal } from './run-real.ts'

// `make test-real`: builds Kubernetes where that is still to be done, and runs everything that needs it.

process.exit(await runReal(process.argv.slice(2)))
