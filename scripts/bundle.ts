// Bundles the release: files that run on any Node that package.json allows, with nothing to install.
import { execFile } from 'node:child_process'
import { chmod, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { build, type BuildOptions, type Plugin } from 'esbuild'

const root = join(import.meta.dirname, '..')

/**
 * The embedded cluster, with its CEL and regular expressions, is a file of its own beside the program, so that the
 * container images can do without it. Its code shares no class with the program by which either would recognize the
 * other's objects, so both may have a copy of what they use from src/api and src/runtime.
 */
const clusterFile = 'lifeboat-cluster.mjs'
const embeddedApart: Plugin = {
  name: 'embedded-apart',
  setup: (bundler) => {
    bundler.onResolve({ filter: /\/embedded\/entry\.ts$/ }, ({ kind }) =>
      kind === 'dynamic-import' ? { path: `./${clusterFile}`, external: true } : undefined,
    )
  },
}

/**
 * An import of node:http evaluates everything that it exports. That loads the HTTP client inside Node, which Lifeboat
 * does not use; require() does not load it. https://github.com/nodejs/node/issues/59686 is open: this can go when it is
 * fixed. A start takes 30 ms of processor time less (`--help`, of 285 ms), and also where the compile cache is filled.
 */
const requireHttp: Plugin = {
  name: 'require-http',
  setup: (bundler) => {
    bundler.onResolve({ filter: /^node:http$/ }, ({ path, kind }) =>
      kind === 'import-statement' ? { path, namespace: 'required' } : undefined,
    )
    bundler.onLoad({ filter: /.*/, namespace: 'required' }, ({ path }) => ({
      contents: `module.exports = require('${path}')`,
    }))
  },
}

/**
 * Of undici we use pools and clients. Its index loads fetch, mocks, caches and proxies too, and a bundler cannot leave
 * them out: it is CommonJS, and loading it changes a prototype. undici offers no other entry point than the index, and
 * we know of no issue there that asks for one, so these are private paths; versions are exact, and test/release.test.ts
 * fails when src asks for more than what is here. It saves 566 kB of 3.8 MB. A start takes 30 to 37 ms of processor time
 * less (`--help`, of 320 ms), and 8 to 22 ms less where the compile cache is filled, as in the image.
 */
const smallUndici: Plugin = {
  name: 'small-undici',
  setup: (bundler) => {
    bundler.onResolve({ filter: /^undici$/ }, ({ path }) => ({ path, namespace: 'small' }))
    bundler.onLoad({ filter: /.*/, namespace: 'small' }, () => ({
      resolveDir: root,
      contents: `Object.assign(require('undici/lib/dispatcher/dispatcher.js').prototype, require('undici/lib/api/index.js'))
        exports.Pool = require('undici/lib/dispatcher/pool.js')
        exports.Client = require('undici/lib/dispatcher/client.js')
        exports.errors = require('undici/lib/core/errors.js')`,
    }))
  },
}

const shared = {
  absWorkingDir: root,
  bundle: true,
  metafile: true,
  platform: 'node',
  format: 'esm',
  target: 'node24',
  minifySyntax: true,
  legalComments: 'none',
  plugins: [requireHttp, smallUndici],
} satisfies BuildOptions
// Libraries of the older module system ask for `require` at run time.
const require = "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);"

/** What each file of the release is made of: paths from the root of the project. */
export interface ReleaseInputs {
  readonly program: readonly string[]
  readonly cluster: readonly string[]
  readonly sdk: readonly string[]
}

/** Writes the release into a folder. */
export async function bundle(folder: string): Promise<ReleaseInputs> {
  const [program, cluster, sdk] = await Promise.all([
    buildProgram(join(folder, 'lifeboat.mjs')),
    buildFile('src/embedded/entry.ts', join(folder, clusterFile)),
    buildFile('src/evacuators/sdk.ts', join(folder, 'sdk.mjs')),
    declareSdk(join(folder, 'types')),
  ])
  return { program, cluster, sdk }
}

/** The program alone. */
export async function buildProgram(outfile: string): Promise<string[]> {
  const banner = { js: `#!/usr/bin/env node\n${require}` }
  const plugins = [...shared.plugins, embeddedApart]
  const { metafile } = await build({ ...shared, plugins, entryPoints: ['src/cli/main.ts'], outfile, banner })
  await chmod(outfile, 0o755)
  return Object.keys(metafile.inputs)
}

async function buildFile(entryPoint: string, outfile: string): Promise<string[]> {
  const { metafile } = await build({ ...shared, entryPoints: [entryPoint], outfile, banner: { js: require } })
  return Object.keys(metafile.inputs)
}

async function declareSdk(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true })
  const compiler = ['node_modules/typescript/bin/tsc', '--project', 'tsconfig.sdk.json', '--outDir', folder]
  await promisify(execFile)(process.execPath, compiler, { cwd: root })
}

if (import.meta.main) {
  const [folder = 'dist'] = process.argv.slice(2)
  await bundle(resolve(folder))
  process.stdout.write(`built lifeboat.mjs, ${clusterFile}, sdk.mjs and types in ${folder}\n`)
}
