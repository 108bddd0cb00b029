import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { driftedFiles, keepGenerated } from './generated-file.ts'

test('a file that is missing or changed has drifted', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'lifeboat-generated-'))
  try {
    const paths = [join(folder, 'one.yaml'), join(folder, 'deep', 'two.md')]
    const files = paths.map((path) => ({ path, content: `this is ${path}` }))
    expect(await driftedFiles(files)).toEqual(paths)
    await keepGenerated(files, false)
    expect(await driftedFiles(files)).toEqual([])
    await writeFile(paths[0] ?? '', 'kind: Nothing\n')
    expect(await driftedFiles(files)).toEqual([paths[0]])
  } finally {
    await rm(folder, { recursive: true })
  }
})
