import { globSync } from 'node:fs'
import { expect, test } from 'vitest'
import { oldestFiles } from './oldest-files.ts'

const files = globSync('test/{real,stories}/**/*.test.ts')

test.each(oldestFiles)('%s is part of the path of a file', (filter) => {
  expect(files.filter((file) => file.includes(filter))).not.toEqual([])
})
