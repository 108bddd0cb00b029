import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { customResourceDefinitions } from '../src/api/custom-resource-definitions.ts'
import { driftedFiles, generateDefinitions } from './generate-crds.ts'

test('the files in deploy/crds are what src/api says', async () => {
  expect(await driftedFiles(generateDefinitions(join(import.meta.dirname, '..', 'deploy', 'crds')))).toEqual([])
})

test('what is written reads back as what was meant', () => {
  const read = generateDefinitions('').map(({ content }) => parse(content) as unknown)
  expect(read).toEqual(structuredClone(JSON.parse(JSON.stringify(customResourceDefinitions()))))
})

test('a file that is missing or changed has drifted', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'lifeboat-crds-'))
  try {
    const files = generateDefinitions(folder)
    const paths = files.map(({ path }) => path)
    expect(await driftedFiles(files)).toEqual(paths)
    await Promise.all(files.map(({ path, content }) => writeFile(path, content)))
    expect(await driftedFiles(files)).toEqual([])
    await writeFile(paths[0] ?? '', 'kind: Nothing\n')
    expect(await driftedFiles(files)).toEqual([paths[0]])
  } finally {
    await rm(folder, { recursive: true })
  }
})
