// Bundles the release: files that run on any Node that package.json allows, with nothing to install.
import { execFile } from 'node:child_process'
import { chmod, rm } from 'node:fs/promises'
import { promisify } from 'node:util'
import { build, type BuildOptions, type Plugin } from 'esbuild'

const [folder = 'dist'] = process.argv.slice(2)
const outputs = { program: `${folder}/lifeboat.mjs`, sdk: `${folder}/sdk.mjs`, sdkTypes: `${folder}/types` }

/**
 * To import node:http is to ask for all that it exports, among it what brings an HTTP client of Node's own, which we do
 * not use, and which takes longer to load than all of ours. Who requires it is spared that.
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
 * Of undici we use its pools and clients; its index brings fetch, mocks, caches and proxies too, all of which are loaded at every
 * start. test/release.test.ts sees to it that src asks for no more than what is here.
 */
const smallUndici: Plugin = {
  name: 'small-undici',
  setup: (bundler) => {
    bundler.onResolve({ filter: /^undici$/ }, ({ path }) => ({ path, namespace: 'small' }))
    bundler.onLoad({ filter: /.*/, namespace: 'small' }, () => ({
      resolveDir: process.cwd(),
      contents: `Object.assign(require('undici/lib/dispatcher/dispatcher.js').prototype, require('undici/lib/api/index.js'))
        exports.Pool = require('undici/lib/dispatcher/pool.js')
        exports.Client = require('undici/lib/dispatcher/client.js')
        exports.errors = require('undici/lib/core/errors.js')`,
    }))
  },
}

const shared: BuildOptions = {
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node24',
  minifySyntax: true,
  legalComments: 'none',
  plugins: [requireHttp, smallUndici],
}
// Libraries of the older module system ask for `require` at run time.
const require = "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);"

async function buildProgram(): Promise<void> {
  const banner = { js: `#!/usr/bin/env node\n${require}` }
  await build({ ...shared, entryPoints: ['src/cli/main.ts'], outfile: outputs.program, banner })
  await chmod(outputs.program, 0o755)
  process.stdout.write(`built ${outputs.program}\n`)
}

async function buildSdk(): Promise<void> {
  await build({ ...shared, entryPoints: ['src/evacuators/sdk.ts'], outfile: outputs.sdk, banner: { js: require } })
  process.stdout.write(`built ${outputs.sdk}\n`)
}

async function declareSdk(): Promise<void> {
  await rm(outputs.sdkTypes, { recursive: true, force: true })
  const compiler = ['node_modules/typescript/bin/tsc', '--project', 'tsconfig.sdk.json', '--outDir', outputs.sdkTypes]
  await promisify(execFile)(process.execPath, compiler)
  process.stdout.write(`built ${outputs.sdkTypes}\n`)
}

await Promise.all([buildProgram(), buildSdk(), declareSdk()])
