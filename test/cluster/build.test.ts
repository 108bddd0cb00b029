import { chmod, cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { buildBinaries, BuildError, findBinaries, GoMissingError } from './build.ts'
import { createProgress } from './progress.ts'
import { recipesFolder } from './recipes.ts'

// With a go of our own making on the PATH: what it is asked to do, and what becomes of its answers.

const goThatBuilds = `#!/bin/sh
echo "$(basename "$PWD"): $*" >> "$CALLS"
if [ "$1" = env ]; then echo "\${VERSION:-go1.26.8}"; exit 0; fi
if [ "$1" = "$FAILS_AT" ]; then echo 'one line of many'; echo 'the reason' >&2; exit 1; fi
[ "$1" = build ] || exit 0
while [ "$1" != -o ]; do shift; done
echo built > "$2"
`

async function prepare(settings: { go?: string; variables?: Record<string, string> } = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'lifeboat-build-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const paths = { bin: join(folder, 'bin'), cache: join(folder, 'cache'), recipes: join(folder, 'recipes') }
  await Promise.all([mkdir(paths.bin), cp(recipesFolder, paths.recipes, { recursive: true })])
  const installGo = async () => {
    await writeFile(join(paths.bin, 'go'), settings.go ?? goThatBuilds)
    await chmod(join(paths.bin, 'go'), 0o755)
  }
  const calls = join(folder, 'calls')
  await writeFile(calls, '')
  let printed = ''
  const options = {
    recipesFolder: paths.recipes,
    environment: {
      PATH: `${paths.bin}:/bin:/usr/bin`,
      XDG_CACHE_HOME: paths.cache,
      CALLS: calls,
      ...settings.variables,
    },
    progress: createProgress({ write: (text) => void (printed += text), terminal: false }),
  }
  return {
    ...paths,
    options,
    withoutGo: { ...options, environment: { ...options.environment, PATH: paths.bin } },
    installGo,
    calls: async () => (await readFile(calls, 'utf8')).split('\n').filter((line) => line.includes(': build')),
    printed: () => printed,
  }
}

test('builds each binary once, and again only when its recipe changes', async () => {
  const { options, installGo, calls, recipes, printed } = await prepare()
  await installGo()
  expect(await findBinaries('default', options)).toBeUndefined()
  const binaries = await buildBinaries('default', options)
  expect([...binaries.keys()]).toEqual([
    'kube-apiserver',
    'kube-controller-manager',
    'kube-scheduler',
    'kubectl',
    'etcd',
    'kwok',
  ])
  expect(await calls()).toHaveLength(6)
  expect((await calls())[0]).toContain('-X k8s.io/component-base/version.gitVersion=v1.37.1')
  expect(printed()).toContain('building kube-apiserver (1 of 6; the first time takes some 10 minutes)')
  for (const path of binaries.values()) expect(await readFile(path, 'utf8')).toBe('built\n')
  // Nothing but binaries is left behind.
  for (const path of binaries.values()) expect((await readdir(dirname(path))).join()).not.toContain('.building')

  expect(await buildBinaries('default', options)).toEqual(binaries)
  expect(await findBinaries('default', options)).toEqual(binaries)
  expect(await calls()).toHaveLength(6)

  await writeFile(join(recipes, 'etcd', 'go.sum'), 'changed')
  const rebuilt = await buildBinaries('default', options)
  expect((await calls()).slice(6)).toEqual([expect.stringMatching(/^etcd: build/)])
  expect(rebuilt.get('etcd')).not.toBe(binaries.get('etcd'))
  expect(rebuilt.get('kubectl')).toBe(binaries.get('kubectl'))
})

test('two builders at once do not get in each other’s way', async () => {
  const { options, installGo } = await prepare()
  await installGo()
  const [first, second] = await Promise.all([buildBinaries('default', options), buildBinaries('default', options)])
  expect(first).toEqual(second)
  for (const path of first.values()) expect(await readFile(path, 'utf8')).toBe('built\n')
})

test('needs no Go for what is built already', async () => {
  const { options, withoutGo, installGo, bin } = await prepare()
  await installGo()
  const binaries = await buildBinaries('kubelet', options)
  await rm(join(bin, 'go'))
  expect(await buildBinaries('kubelet', withoutGo)).toEqual(binaries)
})

test('says in one line that Go is missing', async () => {
  const { withoutGo } = await prepare()
  const error: unknown = await buildBinaries('helm', withoutGo).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(GoMissingError)
  expect((error as Error).message).toMatch(/^[^\n]*needs Go 1\.26 or newer, and there is no go on the PATH[^\n]*$/)
})

test.each([
  { name: 'is too old', go: goThatBuilds, variables: { VERSION: 'go1.25.4' }, says: 'the one on the PATH is 1.25' },
  {
    name: 'refuses the recipe',
    go: '#!/bin/sh\necho "go: go.mod requires go >= 1.26.0 (running go 1.21.0; GOTOOLCHAIN=local)" >&2; exit 1\n',
    variables: {},
    says: 'go.mod requires go >= 1.26.0',
  },
])('says so if the Go that there is $name', async ({ go, variables, says }) => {
  const { options, installGo } = await prepare({ go, variables })
  await installGo()
  const error: unknown = await buildBinaries('descheduler', options).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(GoMissingError)
  expect((error as Error).message).toContain(says)
})

test.each([
  { failsAt: 'list', step: 'the download of the Go modules of kubernetes failed' },
  { failsAt: 'build', step: 'the build of kubelet failed' },
])('names the step that failed, with the end of what go said: $failsAt', async ({ failsAt, step }) => {
  const { options, installGo } = await prepare({ variables: { FAILS_AT: failsAt } })
  await installGo()
  const error: unknown = await buildBinaries('kubelet', options).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(BuildError)
  expect(error).not.toBeInstanceOf(GoMissingError)
  expect((error as Error).message).toBe(`${step}:\none line of many\nthe reason`)
})
