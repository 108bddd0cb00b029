import { globSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { describe, expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')

/** What each folder of src may import of the others, as in docs/architecture.md. A folder that is not here may not exist. */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  api: [],
  runtime: [],
  kube: ['api/kubernetes', 'runtime'],
  'evacuation-client': ['api', 'runtime', 'kube'],
  evacuation: ['api', 'runtime', 'kube', 'evacuation-client'],
  maintenance: ['api', 'runtime', 'kube', 'evacuation-client'],
  evacuators: ['api', 'runtime', 'kube', 'evacuation-client'],
  admission: ['api', 'runtime', 'kube', 'evacuation-client'],
  'unhealthy-nodes': ['api', 'runtime', 'kube', 'evacuation-client'],
  descheduler: ['api', 'runtime', 'kube'],
  agent: ['api', 'runtime', 'kube'],
  embedded: ['api', 'runtime', 'kube/client/transport.ts'],
  manager: [
    'api',
    'runtime',
    'kube',
    'evacuation-client',
    'evacuation',
    'maintenance',
    'evacuators',
    'unhealthy-nodes',
    'admission',
    'descheduler',
    'agent',
  ],
  forecast: ['api', 'runtime', 'kube', 'embedded', 'manager'],
  dashboard: ['api', 'runtime', 'kube'],
  cli: ['.'],
}

/** Files without a test of their own beside them, and why. The list may only shrink. */
const withoutTwin: Readonly<Record<string, string>> = {
  'src/kube/client/transport.ts': 'the seam: types, and an error without behaviour',
  'src/api/kubernetes/resources.ts': 'names of Kubernetes; a wrong one fails the first test on a real cluster',
  'src/embedded/server/admission/admission.ts': 'a port and its empty form',
  'src/runtime/log.ts': 'a port and its empty form',
  'src/runtime/system.ts': 'the real clock: tested by everything that runs for real',
  'src/cli/main.ts': 'one line; bin/lifeboat runs it in test/cli.test.ts',
  'src/cli/version.ts': 'tested through program.test.ts',
}

/** Where `as unknown as` stands, and why. The list may only shrink. */
const claimsOfType: Readonly<Record<string, string>> = {
  'src/admission/reviews/mutate-evacuation.ts':
    'the schema has just been checked; the fields that it leaves open are put in',
  'src/api/blocker/blocker.ts': 'a table with a row for each kind, which the compiler cannot follow through a union',
  'src/cli/view/live-view.ts': 'log-update takes a stream and uses three members of it',
  'src/embedded/server/store.ts': 'the store knows JSON alone; whoever reads an object knows its kind',
  'src/evacuators/workload/workload-pools.ts': 'a pool of pods among pools of any kind; its reader names the kind',
}

const filesInFolderMax = 22
/** May only shrink. */
const filesInWalkMax = 45

const bannedNames = /(^|[/-])(utils?|helpers?|common|misc|shared|index)(\.test)?\.ts$/

interface SourceFile {
  readonly path: string
  readonly text: string
  readonly imports: readonly string[]
}

function read(pattern: string): SourceFile[] {
  return globSync(pattern, { cwd: root })
    .toSorted()
    .map((path) => {
      const text = readFileSync(join(root, path), 'utf8')
      const specifiers = text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)
      const imports = Array.from(specifiers, ([, to = '']) => relative(root, join(root, dirname(path), to)))
      return { path, text, imports }
    })
}

const sources = read('src/**/*.ts')
const production = sources.filter(({ path }) => !path.endsWith('.test.ts'))
const folderOf = (path: string) => path.split('/')[1] ?? ''

/** `part` is a folder of src, a folder within it, one file, or `.` for all. */
const isWithin = (path: string, part: string) =>
  part === '.' || path === `src/${part}` || path.startsWith(`src/${part}/`)

function wrongImports({ path, imports }: SourceFile): string[] {
  const folder = folderOf(path)
  const allowed = mayImport[folder] ?? []
  return imports
    .filter((to) => to.startsWith('src/'))
    .filter((to) => folderOf(to) !== folder && !allowed.some((part) => isWithin(to, part)))
    .map((to) => `${path} imports ${to}`)
}

/** Words that readers of plain English trip over, and what to write instead. */
const plainWords: readonly (readonly [RegExp, string])[] = [
  [/\b(nobody|somebody|anybody|everybody|whoever|whomever)\b/i, 'name the component, the user or the client'],
  [/\bfor ever\b/i, 'forever'],
  [/\banew\b/i, 'again'],
  [/\bmend(s|ed|ing)?\b/i, 'fix'],
  [/\b(go|goes|going|went) on by (itself|themselves)\b|\bserves on\b/i, 'continue on its own'],
  [/\b(tells?|told|telling) of\b/i, 'record, report'],
  [/\bfor want of\b/i, 'because … is missing'],
  [/\bin good order\b/i, 'in an orderly way'],
]

/** What people read. The text of docs/api.md comes from descriptions in src: change it there. */
function readablePages(): { readonly path: string; readonly text: string }[] {
  const patterns = [
    'README.md',
    'CONTRIBUTING.md',
    'docs/**/*.md',
    'src/**/*.md',
    'examples/**',
    'deploy/chart/values.yaml',
  ]
  const paths = patterns.flatMap((pattern) => globSync(pattern, { cwd: root })).toSorted()
  return paths
    .filter((path) => /\.\w+$/.test(path))
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))
}

/** Fenced blocks of a page quote the program; their lines stay, empty, so that line numbers are right. */
function withoutQuotes({ path, text }: { readonly path: string; readonly text: string }): string[] {
  if (!path.endsWith('.md')) return text.split('\n')
  let isQuote = false
  return text.split('\n').map((line) => {
    const isFence = line.trimStart().startsWith('```')
    if (isFence) isQuote = !isQuote
    return isQuote || isFence ? '' : line
  })
}

function wordsToAvoid(page: { readonly path: string; readonly text: string }): string[] {
  return withoutQuotes(page).flatMap((line, index) =>
    plainWords.flatMap(([word, instead]) => {
      const [found] = word.exec(line) ?? []
      return found === undefined ? [] : [`${page.path}:${index + 1}: "${found}"; write: ${instead}`]
    }),
  )
}

describe('what people read', () => {
  test('is found', () => {
    const paths = readablePages().map(({ path }) => path)
    expect(paths.length).toBeGreaterThan(25)
    expect(paths).toEqual(expect.arrayContaining(['README.md', 'docs/cli.md', 'examples/instigator.ts']))
  })

  test('is in plain words', () => {
    expect(readablePages().flatMap(wordsToAvoid)).toEqual([])
  })

  test('is in plain words where the sources have the worst of them no more', () => {
    const worst = plainWords.filter(([word]) => ['nobody', 'for ever', 'anew', 'mend'].some((each) => word.test(each)))
    const found = production.flatMap(({ path, text }) =>
      worst.filter(([word]) => word.test(text)).map(([word, instead]) => `${path}: ${word.source}; write: ${instead}`),
    )
    expect(found).toEqual([])
  })

  test('may quote the program in a fenced block, and nowhere else', () => {
    const text = 'Nobody knows.\n\n```text\n1 pod needs help:\n```\n\nIt is mended.'
    expect(wordsToAvoid({ path: 'page.md', text })).toEqual([
      'page.md:1: "Nobody"; write: name the component, the user or the client',
      'page.md:7: "mended"; write: fix',
    ])
  })
})

interface MapRow {
  readonly folder: string
  readonly rooms: readonly string[]
  readonly imports: readonly string[]
}

/** The table of folders in docs/architecture.md. */
function documentedMap(): MapRow[] {
  const page = readFileSync(join(root, 'docs/architecture.md'), 'utf8')
  const rows = page.matchAll(/^\| `([a-z-]+)\/` +\| (.*?) +\| (.*?) +\|$/gm)
  return Array.from(rows, ([, folder = '', about = '', imports = '']) => ({
    folder,
    rooms: quoted(about).flatMap((name) => (name.endsWith('/') ? [name.slice(0, -1)] : [])),
    imports: imports === 'everything' ? ['.'] : quoted(imports),
  }))
}

const quoted = (text: string): string[] => Array.from(text.matchAll(/`([^`]+)`/g), ([, name = '']) => name)

const foldersIn = (path: string): string[] =>
  readdirSync(join(root, path), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .toSorted()

describe('docs/architecture.md', () => {
  const map = documentedMap()

  test('has every folder of src, and no other', () => {
    expect(map.map(({ folder }) => folder).toSorted()).toEqual(foldersIn('src'))
  })

  test.each(map)('has the rooms of src/$folder', ({ folder, rooms }) => {
    expect(rooms.toSorted()).toEqual(foldersIn(`src/${folder}`))
  })

  test.each(map)('says what src/$folder may import', ({ folder, imports }) => {
    expect(imports).toEqual(mayImport[folder])
  })
})

describe('the source tree', () => {
  test('has only the folders of the map', () => {
    expect([...new Set(sources.map(({ path }) => folderOf(path)))].filter((folder) => !(folder in mayImport))).toEqual(
      [],
    )
  })

  test('imports only downwards, as the map allows', () => {
    expect(production.flatMap(wrongImports)).toEqual([])
  })

  test('never imports a test from production code', () => {
    const wrong = production.flatMap(({ path, imports }) =>
      imports.filter((to) => to.startsWith('test/') || to.endsWith('.test.ts')).map((to) => `${path} imports ${to}`),
    )
    expect(wrong).toEqual([])
  })

  test('touches the real time and randomness in runtime/system.ts alone', () => {
    const touching = production.filter(
      ({ path, text }) =>
        path !== 'src/runtime/system.ts' && /\bDate\.now\(|\bMath\.random\(|\bnew Date\(\)/.test(text),
    )
    expect(touching.map(({ path }) => path)).toEqual([])
  })

  test('hands the real time and randomness in where a process begins: the command line, and an operator with the SDK', () => {
    const beginnings = (path: string) => folderOf(path) === 'cli' || path === 'src/evacuators/sdk-connect.ts'
    const handing = production.filter(
      ({ path, imports }) => !beginnings(path) && imports.includes('src/runtime/system.ts'),
    )
    expect(handing.map(({ path }) => path)).toEqual([])
  })

  test('touches files and programs of the machine in three places', () => {
    const places = ['src/agent/', 'src/cli/', 'src/kube/auth/']
    const touching = production.filter(({ text }) => /from 'node:(fs|fs\/promises|child_process)'/.test(text))
    expect(touching.map(({ path }) => path).filter((path) => !places.some((place) => path.startsWith(place)))).toEqual(
      [],
    )
  })

  test('has a test beside every file that does something', () => {
    const tests = new Set(sources.map(({ path }) => path))
    const doing = production.filter(({ text }) => /^(export )?(async )?(function|class|const)|^await /m.test(text))
    const alone = doing.map(({ path }) => path).filter((path) => !tests.has(path.replace(/\.ts$/, '.test.ts')))
    expect(alone.filter((path) => !(path in withoutTwin))).toEqual([])
    expect(Object.keys(withoutTwin).filter((path) => !alone.includes(path))).toEqual([])
  })

  test('has no file that nobody imports', () => {
    const imported = new Set(
      [...sources, ...read('{test,bench,scripts,examples}/**/*.ts')].flatMap(({ imports }) => imports),
    )
    const byOthers = (path: string) => [...imported].some((to) => to === path)
    const entryPoints = new Set(['src/cli/main.ts', 'src/evacuators/sdk.ts'])
    expect(production.map(({ path }) => path).filter((path) => !byOthers(path) && !entryPoints.has(path))).toEqual([])
  })

  test('claims that a value has another type only where nothing else can be said', () => {
    const claiming = production.filter(({ text }) => text.includes('as unknown as'))
    expect(claiming.map(({ path }) => path)).toEqual(Object.keys(claimsOfType))
  })

  test('never makes up an identity: what the API server has stored has a name, and what has none is another type', () => {
    const madeUp =
      /\bmetadata\??\.(name|namespace|uid)\)? \?\? ''|\b(name|namespace|uid)(: \w+)? = ''[^}\n]*\} = [^\n]*\bmetadata\b/
    const guessing = production.filter(
      ({ text }) => madeUp.test(text) || /metadata: \{[^}\n]*\b(name|namespace|uid)(: \w+)? = ''/.test(text),
    )
    expect(guessing.map(({ path }) => path)).toEqual([])
  })

  test('writes Evacuations in one place', () => {
    const writes = /\.(create|patch|replace|apply|delete)\(\s*evacuations\b|kind: 'Evacuation'/
    const elsewhere = production.filter(
      ({ path, text }) => folderOf(path) !== 'evacuation-client' && folderOf(path) !== 'api' && writes.test(text),
    )
    expect(elsewhere.map(({ path }) => path)).toEqual([])
  })

  test('has no folder with more files than a reader keeps in mind', () => {
    const byFolder = Map.groupBy(production, ({ path }) => dirname(path))
    const crowded = [...byFolder].filter(([, files]) => files.length > filesInFolderMax)
    expect(crowded.map(([folder, files]) => `${folder}: ${files.length}`)).toEqual([])
  })

  test('names its files after what is in them', () => {
    expect(sources.map(({ path }) => path).filter((path) => bannedNames.test(path))).toEqual([])
  })
})

/** The parts of the walk in docs/architecture.md: the files that each names, in order. */
function partsOfWalk(): { readonly part: string; readonly files: readonly string[] }[] {
  const text = readFileSync(join(root, 'docs/architecture.md'), 'utf8')
  const [, walk = ''] = /^## A pod, from `kubectl apply` to gone$(.*?)^## /ms.exec(text) ?? []
  return walk
    .split(/^(?=\*\*\d)/m)
    .slice(1)
    .map((part) => ({
      part: /\*\*(.*?)\*\*/.exec(part)?.[1] ?? '',
      files: Array.from(part.matchAll(/`(src\/[^`]+\.ts)`/g), ([, file = '']) => file),
    }))
}

describe('the walk of a pod in docs/architecture.md', () => {
  const parts = partsOfWalk()

  test('has files that exist, and not too many', () => {
    const files = parts.flatMap((part) => part.files)
    const known = new Set(production.map(({ path }) => path))
    expect(files.filter((file) => !known.has(file))).toEqual([])
    expect(new Set(files).size).toBeLessThanOrEqual(filesInWalkMax)
    expect(parts.length).toBeGreaterThan(4)
  })

  test.each(parts)('only leads downward: $part', ({ files }) => {
    const upward = files.slice(1).flatMap((file, index) => {
      const [from, to] = [folderOf(files[index] ?? ''), folderOf(file)]
      const isDown = from === to || (mayImport[from] ?? []).some((folder) => folder.split('/')[0] === to)
      return isDown ? [] : [`${files[index]} to ${file}`]
    })
    expect(upward).toEqual([])
  })
})
