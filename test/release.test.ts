import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync } from 'node:fs'
import { copyFile, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bundle, type ReleaseInputs } from '../scripts/bundle.ts'

// What the release is made of, and what makes it start fast, as far as that can be said without measuring:
// `make bench-release` measures.

const root = join(import.meta.dirname, '..')
const run = promisify(execFile)
let folder = ''
let inputs: ReleaseInputs

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lifeboat-release-'))
  inputs = await bundle(folder)
}, 120_000)
afterAll(() => rm(folder, { recursive: true }))

/** All that is loaded with a file before anything is done: whatever it imports, and those in turn. */
async function loadedWith(path: string, seen = new Set<string>()): Promise<Set<string>> {
  if (seen.has(path)) return seen
  seen.add(path)
  const text = await readFile(path, 'utf8').catch(() => '')
  for (const [, what = '', from = ''] of text.matchAll(/^import ([^;]*?)from '([^']+)'/gm)) {
    if (what.startsWith('type ')) continue
    if (from.startsWith('.')) await loadedWith(join(dirname(path), from), seen)
    else seen.add(from)
  }
  return seen
}

test('neither the embedded cluster nor the live view is loaded by commands that do without', async () => {
  const loaded = [...(await loadedWith(join(root, 'src/cli/program.ts')))].map((path) => relative(root, path))
  expect(loaded).toContain('src/manager/run/manager.ts')
  expect(loaded.filter((path) => path.startsWith('src/embedded') || path.includes('/demo/'))).toEqual([])
  expect(loaded.filter((path) => /(^|\/)(log-update|string-width|cel-js)$/.test(path))).toEqual([])
})

const ofTheClusterAlone = /^(src\/embedded\/|node_modules\/(@marcbachmann\/cel-js|re2js)\/)/

test('the program has no embedded cluster, which is a file of its own', () => {
  expect(inputs.program).toContain('src/manager/run/manager.ts')
  expect(inputs.program.filter((path) => ofTheClusterAlone.test(path))).toEqual([])
  expect(inputs.cluster.filter((path) => ofTheClusterAlone.test(path))).toEqual(
    expect.arrayContaining([
      'src/embedded/cluster.ts',
      expect.stringContaining('cel-js'),
      expect.stringContaining('re2js'),
    ]),
  )
})

test('the two files share no code by whose classes one would recognize objects of the other', () => {
  const shared = inputs.cluster.filter((path) => path.startsWith('src/') && !path.startsWith('src/embedded/'))
  expect(shared.filter((path) => !/^src\/(api|runtime)\//.test(path))).toEqual([])
})

/** 3.25 MB when this was written. Each 100 kB costs a start 3 to 5 ms where nothing is compiled yet. */
const programBytesMax = 3_400_000

test('the program stays small', async () => {
  expect((await stat(join(folder, 'lifeboat.mjs'))).size).toBeLessThan(programBytesMax)
})

test('the program is plain ASCII: with one other character Node would hold all of it twice as wide', async () => {
  const text = await readFile(join(folder, 'lifeboat.mjs'), 'latin1')
  // oxlint-disable-next-line no-control-regex
  expect(text.split('\n').filter((line) => /[^\x00-\x7f]/.test(line))).toEqual([])
})

test.concurrent('`lifeboat demo` of the release runs to its end', { timeout: 110_000 }, async () => {
  const { stdout } = await run(process.execPath, [join(folder, 'lifeboat.mjs'), 'demo'])
  expect(stdout).toContain('What to try next')
})

test.concurrent('`lifeboat cluster` of the release serves, and ends at Ctrl-C', { timeout: 60_000 }, async () => {
  const child = spawn(process.execPath, [join(folder, 'lifeboat.mjs'), 'cluster', '--nodes', '2'])
  const ended = once(child, 'close')
  let printed = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text
    if (printed.includes('Ctrl-C ends it')) child.kill('SIGINT')
  })
  expect(await ended).toEqual([0, null])
  expect(printed).toMatch(/^Kubernetes is up at https:\/\/127\.0\.0\.1:\d+ with 2 nodes/)
})

test.each(['demo', 'demo --static-pods', 'cluster'])(
  'as in the image, without the second file, `lifeboat %s` says what is missing',
  { timeout: 60_000 },
  async (words) => {
    const alone = join(folder, 'alone')
    await mkdir(alone, { recursive: true })
    await copyFile(join(folder, 'lifeboat.mjs'), join(alone, 'lifeboat.mjs'))
    const failure: unknown = await run(process.execPath, [join(alone, 'lifeboat.mjs'), ...words.split(' ')]).catch(
      (error: unknown) => error,
    )
    expect(failure).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^lifeboat: the embedded cluster, .*lifeboat-cluster\.mjs.*\nContainer images/),
    })
  },
)

test("the bundle does without Node's own HTTP client", async () => {
  const spy = join(folder, 'spy.mjs')
  await writeFile(spy, "process.on('exit', () => console.error(JSON.stringify(process.moduleLoadList)))")
  const { stderr } = await run(process.execPath, ['--import', spy, join(folder, 'lifeboat.mjs'), '--help'])
  const loaded = JSON.parse(stderr) as string[]
  expect(loaded.some((name) => name.endsWith(' http'))).toBe(true)
  expect(loaded.filter((name) => name.includes('undici'))).toEqual([])
})

test('src asks undici for no more than the bundle has of it', async () => {
  const files = globSync('src/**/*.ts', { cwd: root }).filter((path) => !path.endsWith('.test.ts'))
  const texts = await Promise.all(files.map((path) => readFile(join(root, path), 'utf8')))
  const loading = texts.map((text) => text.replaceAll(/^import type .*$/gm, ''))
  const asking = loading.filter((text) => /(from|import\() ?'undici'/.test(text))
  const asked = asking.map((text) => /^import \{([^}]*)\} from 'undici'/m.exec(text)?.[1]?.split(',') ?? ['all of it'])
  const names = asked.flat().map((name) => name.trim())
  expect([...new Set(names.filter((name) => name !== '' && !name.startsWith('type ')))].toSorted()).toEqual([
    'Client',
    'Pool',
    'errors',
  ])
})

test('the first thing that it says is that it starts, before it asks anybody for anything', async () => {
  const kubeconfig = join(folder, 'kubeconfig')
  const clusters = [{ name: 'c', cluster: { server: 'http://127.0.0.1:9' } }]
  const contexts = [{ name: 'c', context: { cluster: 'c', user: 'c' } }]
  const users = [{ name: 'c', user: {} }]
  await writeFile(kubeconfig, JSON.stringify({ 'current-context': 'c', clusters, contexts, users }))
  const failure = (await run(process.execPath, [join(folder, 'lifeboat.mjs'), 'run', '--kubeconfig', kubeconfig]).catch(
    (error: unknown) => error,
  )) as { stderr: string }
  const [first = '', second] = failure.stderr.split('\n')
  expect(JSON.parse(first)).toMatchObject({ msg: 'Lifeboat starts' })
  expect(second).toContain('cannot reach the API server')
})
