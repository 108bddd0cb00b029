// Bundles the release: one file that runs on any Node that package.json allows, with nothing to install.
import { chmod } from 'node:fs/promises'
import { build } from 'esbuild'

const outfile = 'dist/lifeboat.mjs'
await build({
  entryPoints: ['src/cli/main.ts'],
  outfile,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node24',
  minifySyntax: true,
  legalComments: 'none',
  banner: {
    // Libraries of the older module system ask for `require` at run time.
    js: "#!/usr/bin/env node\nimport { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
  },
})
await chmod(outfile, 0o755)
process.stdout.write(`built ${outfile}\n`)
