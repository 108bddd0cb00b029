import { execFile } from 'node:child_process'
import { mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** Release 0.1.0: the last whose replicas answer webhooks under paths without a secret. */
const commit = '6dbe32090320'

const root = join(import.meta.dirname, '..', '..')
const run = promisify(execFile)

export interface PreviousRelease extends AsyncDisposable {
  readonly chart: string
  /** An archive with the image, under the name that the chart gives it. */
  readonly image: string
  /** The release as one file. */
  readonly program: string
}

/** Why it cannot be had; undefined: it can. */
export async function missingOfPreviousRelease(): Promise<string | undefined> {
  try {
    await run('git', ['cat-file', '-e', `${commit}^{commit}`], { cwd: root })
    return undefined
  } catch {
    return `commit ${commit}, release 0.1.0, is not in this clone: git fetch --unshallow brings it`
  }
}

/** Its sources in a folder of their own, built by its own scripts, with the dependencies that are here. */
export async function openPreviousRelease(): Promise<PreviousRelease> {
  const missing = await missingOfPreviousRelease()
  if (missing !== undefined) throw new Error(missing)
  await using opening = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'lifeboat-previous-'))
  opening.defer(() => rm(folder, { recursive: true, force: true }))
  const archive = join(folder, 'sources.tar')
  await run('git', ['archive', '--output', archive, commit], { cwd: root })
  await run('tar', ['-xf', archive, '-C', folder])
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
  for (const script of ['bundle.ts', 'build-image.ts']) {
    await run(process.execPath, [join(folder, 'scripts', script)], { cwd: folder })
  }
  const opened = opening.move()
  return {
    chart: join(folder, 'deploy', 'chart'),
    image: join(folder, 'dist', 'lifeboat-image.tar'),
    program: join(folder, 'dist', 'lifeboat.mjs'),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}
