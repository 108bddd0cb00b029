import { parseCLI } from 'vitest/node'
import { releaseVariable } from '../cluster/recipes.ts'
import { oldestFiles } from './oldest-files.ts'
import { runReal } from './run-real.ts'

// `make test-oldest`: a part of `make test-real`, on the oldest Kubernetes that Lifeboat is for.

// Inherited by the workers.
process.env[releaseVariable] = 'oldest'
const args = process.argv.slice(2)
const { filter } = parseCLI(['vitest', 'run', ...args])
process.exit(await runReal(filter.length === 0 ? [...oldestFiles, ...args] : args))
