import { mkdir, readdir, readFile, rm, symlink } from 'node:fs/promises'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openServedCluster } from '../build/served-cluster.ts'
import { startLifeboat } from '../cluster/lifeboat.ts'
import { shellBlocks } from '../docs/doc-blocks.ts'
import { openShell } from '../docs/shell.ts'
import { ownCluster } from './own-cluster.ts'

// The commands of the docs are run: each page from top to bottom in one shell, with kubectl and lifeboat on the path,
// for an embedded cluster that Lifeboat looks after. What cannot be run that way says why, right above it.

const root = join(import.meta.dirname, '..', '..')
const docs = (await readdir(join(root, 'docs'))).filter((name) => name.endsWith('.md')).map((name) => `docs/${name}`)
/** The README has a cluster and a test of its own. */
const pages = ['CONTRIBUTING.md', ...docs]
const read = (page: string) => readFile(join(root, page), 'utf8')

/** What the pages speak of: node-1 and so on, a zone with one node, an application under a budget, a pod by itself. */
const scene = `
kubectl label node node-8 topology.kubernetes.io/zone=a --overwrite
kubectl create deployment cart --image=cart:1
kubectl create poddisruptionbudget cart --selector=app=cart --min-available=1
kubectl run vm-db --image=vm:1
kubectl wait --for=condition=Ready pods --all --timeout=60s
`

const told = new Map(await Promise.all(pages.map(async (page) => [page, shellBlocks(await read(page))] as const)))
const runnable = pages.filter((page) => told.get(page)?.some(({ notRun }) => notRun === undefined))

test.each(runnable)(
  'the commands of %s do what it says',
  async (page) => {
    await using open = new AsyncDisposableStack()
    const folder = await mkdtemp(join(tmpdir(), 'lifeboat-docs-'))
    open.defer(() => rm(folder, { recursive: true, force: true }))
    const programs = join(folder, 'programs')
    await mkdir(programs)
    await symlink(ownCluster().kubectlPath, join(programs, 'kubectl'))
    const { kubeconfig } = open.use(await openServedCluster({ nodes: 8 }))
    open.use(await startLifeboat(kubeconfig))
    const env = {
      ...process.env,
      PATH: `${programs}:${join(root, 'bin')}:${process.env['PATH']}`,
      HOME: folder,
      KUBECONFIG: kubeconfig,
    }
    const shell = open.use(openShell({ folder: root, env }))
    await shell.run(scene)
    for (const { line, commands, notRun } of told.get(page) ?? []) {
      if (notRun === undefined) await expect(shell.run(commands), `${page}:${line}`).resolves.toBeDefined()
    }
  },
  300_000,
)

test('some pages have commands that run', () => {
  expect(runnable.length).toBeGreaterThan(2)
})
