import { chmod, cp, mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { buildBinaries, BuildError, findBinaries, GoMissingError } from './build.ts'
import { createProgress } from './progress.ts'
import { recipesFolder, releaseVariable, targets } from './recipes.ts'

// With a go of our own making on the PATH: what it is asked to do, and what becomes of its answers.

/** Like the real one it calls a program after the end of its package's path, but for a major version. */
const goThatBuilds = `#!/bin/sh
echo "$(basename "$PWD"): $*" >> "$CALLS"
if [ "$1" = env ]; then echo "\${VERSION:-go1.26.8}"; exit 0; fi
if [ "$1" = "$FAILS_AT" ]; then echo 'one line of many'; echo 'the reason' >&2; exit 1; fi
[ "$1" = build ] || exit 0
while [ "$1" != -o ]; do shift; done
folder=$2
shift 2
for package; do
  name=$(basename "$package")
  case $name in v[2-9]) name=$(basename "$(dirname "$package")") ;; esac
  echo built > "$folder$name"
done
`

async function prepare(settings: { go?: string; variables?: Record<string, string> } = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'lifeboat-build-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const paths = { bin: join(folder, 'bin'), cache: join(folder, 'cache'), recipes: join(folder, 'recipes') }
  await Promise.all([mkdir(paths.bin), mkdir(paths.cache), cp(recipesFolder, paths.recipes, { recursive: true })])
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
    calls: async (command = 'build') =>
      (await readFile(calls, 'utf8')).split('\n').filter((line) => line.includes(`: ${command}`)),
    printed: () => printed,
  }
}

/** The folder of a call of go build, and the programs that it names. */
function built(call: string): string {
  const [folder = '', rest = ''] = call.split(': build ')
  const packages = rest.split(' ').slice(rest.split(' ').indexOf('-o') + 2)
  return `${folder}: ${packages.map((each) => each.split('/').at(-1)).join(' ')}`
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
  const builds = ['kubernetes: kube-apiserver kube-controller-manager kube-scheduler kubectl', 'etcd: v3', 'kwok: kwok']
  expect((await calls()).map(built)).toEqual(builds)
  expect((await calls())[0]).toContain('-X k8s.io/component-base/version.gitVersion=v1.37.1')
  expect(printed()).toContain('downloading the Go modules of kubernetes, etcd, kwok\n')
  expect(printed()).toContain('building 4 binaries of kubernetes (1 of 3; the first time takes some 10 minutes)\n')
  expect(printed()).toContain('building etcd (2 of 3; the first time takes some 10 minutes)\n')
  for (const path of binaries.values()) expect(await readFile(path, 'utf8')).toBe('built\n')
  // Nothing but binaries is left behind.
  for (const path of binaries.values()) expect((await readdir(dirname(path))).join()).not.toContain('.building')

  expect(await buildBinaries('default', options)).toEqual(binaries)
  expect(await findBinaries('default', options)).toEqual(binaries)
  expect(await calls()).toHaveLength(3)

  await writeFile(join(recipes, 'etcd', 'go.sum'), 'changed')
  const rebuilt = await buildBinaries('default', options)
  expect((await calls()).slice(3)).toEqual([expect.stringMatching(/^etcd: build/)])
  expect(rebuilt.get('etcd')).not.toBe(binaries.get('etcd'))
  expect(rebuilt.get('kubectl')).toBe(binaries.get('kubectl'))
})

test('builds the Kubernetes that the environment names, beside the other', async () => {
  const { options, installGo, calls } = await prepare()
  await installGo()
  const newest = await buildBinaries('default', options)
  const naming = (release: string) => ({
    ...options,
    environment: { ...options.environment, [releaseVariable]: release },
  })
  const oldest = await buildBinaries(['default', 'kubelet'], naming('oldest'))
  const [call = '', ...others] = (await calls()).slice(3)
  expect(built(call)).toBe('kubernetes-1.32: kube-apiserver kube-controller-manager kube-scheduler kubectl kubelet')
  expect(call).toMatch(/-X k8s.io\/client-go\/pkg\/version.gitVersion=v1\.32\.\d+ .*gitMajor=1 .*gitMinor=32/)
  expect(others).toEqual([])
  const shared = (paths: ReadonlyMap<string, string>) => ['etcd', 'kwok'].map((name) => paths.get(name))
  expect(shared(oldest)).toEqual(shared(newest))
  expect(await buildBinaries('default', naming('newest'))).toEqual(newest)
  await expect(buildBinaries('default', naming('1.31'))).rejects.toThrow(
    `${releaseVariable} is 1.31; it takes one of: newest, oldest`,
  )
})

test('builds several targets with one call for each folder, and only what is missing of it', async () => {
  const { options, installGo, calls, printed } = await prepare()
  await installGo()
  const wanted = ['default', 'helm', 'kubelet'] as const
  const defaults = await buildBinaries('default', options)
  await rm(defaults.get('kube-scheduler') ?? '')
  expect(await findBinaries(wanted, options)).toBeUndefined()
  const binaries = await buildBinaries(wanted, options)
  expect((await calls()).slice(3).map(built)).toEqual(['kubernetes: kube-scheduler kubelet', 'helm: helm'])
  expect((await calls('list')).slice(3)).toHaveLength(2)
  expect(printed()).toContain('building 2 binaries of kubernetes (1 of 2;')
  expect([...binaries.keys()]).toEqual([...defaults.keys(), 'helm', 'kubelet'])
  expect(await findBinaries(wanted, options)).toEqual(binaries)
  expect(await buildBinaries('kubelet', options)).toEqual(new Map([['kubelet', binaries.get('kubelet')]]))
  expect(await calls()).toHaveLength(5)
})

test('does not build what somebody else has built since', async () => {
  const { options, installGo, calls, cache } = await prepare()
  await installGo()
  const paths = await buildBinaries('default', options)
  const elsewhere = await readdir(join(cache, 'lifeboat', 'cluster'))
  await Promise.all([...paths.values()].map((path) => rm(path)))
  let steps = 0
  const progress = {
    step: async <Result>(_what: string, run: () => Promise<Result>): Promise<Result> => {
      // While the modules are downloaded, others finish two binaries of one folder, and the only one of another.
      const late = steps++ === 0 ? ['kube-apiserver', 'kubectl', 'kwok'] : []
      for (const name of late) await writeFile(paths.get(name) ?? '', 'built elsewhere\n')
      return run()
    },
  }
  await buildBinaries('default', { ...options, progress })
  expect((await calls()).slice(3).map(built)).toEqual([
    'kubernetes: kube-controller-manager kube-scheduler',
    'etcd: v3',
  ])
  expect(await readFile(paths.get('kubectl') ?? '', 'utf8')).toBe('built elsewhere\n')
  expect(await readdir(join(cache, 'lifeboat', 'cluster'))).toEqual(elsewhere)
})

test('recipes of a folder share their linker flags, which one call of go build has once', () => {
  const folders = Map.groupBy(
    Object.values(targets).flatMap((all) => Object.values(all).flat()),
    ({ folder }) => folder,
  )
  for (const recipes of folders.values()) expect(new Set(recipes.map(({ linkerFlags }) => linkerFlags)).size).toBe(1)
})

test('removes what a build left behind that was killed a day ago, and nothing younger', async () => {
  const { options, installGo } = await prepare()
  await installGo()
  const folder = dirname((await buildBinaries('helm', options)).get('helm') ?? '')
  await rm(join(folder, 'helm'))
  for (const name of ['.building-old', '.building-new']) await mkdir(join(folder, name))
  const twoDaysAgo = new Date(Date.now() - 2 * 24 * 60 * 60 * 1_000)
  await utimes(join(folder, '.building-old'), twoDaysAgo, twoDaysAgo)
  await buildBinaries('helm', options)
  expect((await readdir(folder)).toSorted()).toEqual(['.building-new', 'helm'])
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
  { failsAt: 'list', target: 'kubelet', step: 'the download of the Go modules of kubernetes failed' },
  { failsAt: 'build', target: 'kubelet', step: 'the build of kubelet failed' },
  {
    failsAt: 'build',
    target: 'default',
    step: 'the build of kube-apiserver, kube-controller-manager, kube-scheduler, kubectl failed',
  },
] as const)('names the step that failed, with the end of what go said: $failsAt of $target', async (row) => {
  const { failsAt, target, step } = row
  const { options, installGo, cache } = await prepare({ variables: { FAILS_AT: failsAt } })
  await installGo()
  const error: unknown = await buildBinaries(target, options).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(BuildError)
  expect(error).not.toBeInstanceOf(GoMissingError)
  expect((error as Error).message).toBe(`${step}:\none line of many\nthe reason`)
  const left = await readdir(cache, { recursive: true, withFileTypes: true })
  expect(left.filter((entry) => entry.isFile() || entry.name.startsWith('.building'))).toEqual([])
})
