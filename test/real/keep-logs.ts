import { mkdir, open, readdir, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { beforeEach } from 'vitest'
import { ownCluster } from './own-cluster.ts'

// What the components of the cluster and Lifeboat said when a test failed, kept in dist/test-logs: whoever looks into a
// story that fails once in fifty times has nothing else.

const folder = join(import.meta.dirname, '..', '..', 'dist', 'test-logs')
const keptBytesMax = 2 * 1024 * 1024

beforeEach(({ onTestFailed }) => {
  onTestFailed(async ({ task }) => {
    const cluster = ownCluster()
    const title = `${basename(task.file.name, '.test.ts')} ${task.name}`.replaceAll(/[^\w-]+/g, '-').slice(0, 100)
    const kept = join(folder, `${title} ${Date.now()}`)
    await mkdir(kept, { recursive: true })
    const errors = (task.result?.errors ?? []).map(({ message, stack }) => `${message}\n${stack ?? ''}`)
    await writeFile(join(kept, 'error.txt'), stripVTControlCharacters(errors.join('\n\n')))
    for (const name of await readdir(cluster.folder)) {
      if (name.endsWith('.log')) await keepEnd(join(cluster.folder, name), join(kept, name))
    }
  })
})

async function keepEnd(from: string, to: string): Promise<void> {
  await using file = await open(from)
  const { size } = await file.stat()
  const length = Math.min(size, keptBytesMax)
  const { buffer } = await file.read(Buffer.alloc(length), 0, length, size - length)
  await writeFile(to, buffer)
}
