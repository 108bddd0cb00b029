import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { evictionMutations } from './build/mutants.ts'

// The stories about evictions would notice if the embedded API server decided otherwise.

const program = join(import.meta.dirname, 'build/observe-mutants.ts')
const { stdout } = await promisify(execFile)(process.execPath, [program], { maxBuffer: 64 * 1024 * 1024 })
const [unmutated, ...mutants] = JSON.parse(stdout) as unknown[]

test.for(evictionMutations)('a planted deviation is caught: $name', (mutation) => {
  expect(mutants).toHaveLength(evictionMutations.length)
  expect(mutants[evictionMutations.indexOf(mutation)]).not.toEqual(unmutated)
})
