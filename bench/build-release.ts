import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** What is installed: the bundle. Run from its sources it would hold what Node makes of them too. */
export async function buildRelease(): Promise<AsyncDisposable & { readonly path: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'lifeboat-release-'))
  const root = join(import.meta.dirname, '..')
  await run(process.execPath, [join(root, 'scripts', 'bundle.ts'), folder], { cwd: root })
  return {
    path: join(folder, 'lifeboat.mjs'),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  }
}
