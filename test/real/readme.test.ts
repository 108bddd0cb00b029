import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildBinaries } from '../cluster/build.ts'
import { missingForContainers } from '../cluster/kubelet/requirements.ts'
import { isContinuousIntegration } from '../continuous-integration.ts'
import { shellBlocks, type DocBlock } from '../docs/doc-blocks.ts'
import { openShell, type Shell } from '../docs/shell.ts'
import { openInstallWorld, type InstallWorld } from './install-world.ts'

// The README as somebody new goes through it: in a clean folder, with every command that it has and no other. The
// cluster has one node on which containers run, and four that are played.

const root = join(import.meta.dirname, '..', '..')
const missing = await missingForContainers()
if (missing.length > 0) console.log(`left out: the README on a cluster, for want of ${missing.join(', ')}`)
const blocks = shellBlocks(await readFile(join(root, 'README.md'), 'utf8'))

/** The one block that has these words. */
function blockWith(words: string): DocBlock {
  const [found, ...others] = blocks.filter(({ commands }) => commands.includes(words))
  if (found === undefined || others.length > 0) throw new Error(`${others.length + 1} blocks of the README: ${words}`)
  return found
}

describe.skipIf(missing.length > 0 && !isContinuousIntegration())('the README', () => {
  const open = new AsyncDisposableStack()
  const told = new Set<DocBlock>()
  let world: InstallWorld
  let shell: Shell
  const follow = async (words: string) => {
    const block = blockWith(words)
    told.add(block)
    return shell.run(block.commands)
  }

  beforeAll(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'lifeboat-readme-'))
    open.defer(() => rm(folder, { recursive: true, force: true }))
    const clone = join(folder, 'lifeboat')
    await promisify(execFile)('git', ['clone', '--quiet', root, clone])
    world = open.use(await openInstallWorld(['orders']))
    const programs = join(folder, 'programs')
    await mkdir(programs)
    await symlink(world.cluster.kubectlPath, join(programs, 'kubectl'))
    await symlink((await buildBinaries('helm')).get('helm') ?? '', join(programs, 'helm'))
    const env = {
      ...process.env,
      PATH: `${programs}:${process.env['PATH']}`,
      HOME: folder,
      KUBECONFIG: world.cluster.kubeconfigPath,
      // Imported already: what a registry would have.
      IMAGE: 'lifeboat',
      npm_config_cache: process.env['npm_config_cache'] ?? join(process.env['HOME'] ?? '', '.npm'),
    }
    shell = open.use(openShell({ folder: clone, env }))
    await shell.run('kubectl config set-context --current --namespace shop')
  }, 600_000)
  afterAll(() => open.disposeAsync(), 120_000)

  test('the demo runs from a fresh clone', async () => {
    expect(await follow('make demo')).toContain('fewer ready pods than wanted')
  }, 240_000)

  test('the command line and the chart are installed', async () => {
    expect(await follow('make build')).toContain('lifeboat 0.2.0')
    expect(await follow('helm install')).toContain('STATUS: deployed')
    expect(await shell.run('kubectl --namespace lifeboat-system get deployment lifeboat')).toContain('2/2')
  }, 240_000)

  test('a node with an application of one replica is drained, and the application does not notice', async () => {
    // Applications go to the played nodes from now on, Lifeboat is where it is.
    await shell.run(`kubectl cordon ${world.node.name}`)
    await shell.run('kubectl taint nodes --selector type=kwok kwok.x-k8s.io/node-')
    await follow('kubectl create deployment cart')
    const before = await shell.run('kubectl get pods --selector=app=cart --output=name')
    await using watch = await world.watch()
    expect(await follow('lifeboat drain')).toMatch(/drained/i)
    expect(watch.lowest()).toMatchObject({ cart: 1 })
    const after = await shell.run('kubectl get pods --selector=app=cart --output=name')
    expect(after.trim().split('\n')).toHaveLength(1)
    expect(after).not.toBe(before)
    expect(await shell.run('kubectl get node "$NODE"')).toContain('SchedulingDisabled')
    expect(await follow('lifeboat why')).toContain('OS upgrade')
    await follow('lifeboat complete')
    expect(await shell.run('kubectl get node "$NODE"')).not.toContain('SchedulingDisabled')
  }, 240_000)

  test('it is taken out again, and nothing of it stays', async () => {
    await shell.run(`kubectl uncordon ${world.node.name}`)
    await follow('helm uninstall')
    const webhooks = 'mutatingwebhookconfigurations,validatingwebhookconfigurations'
    expect(await shell.run(`kubectl get ${webhooks},validatingadmissionpolicies --output=name`)).toBe('')
    const marks = 'nodemaintenance.k8s.io/|evacuation.coordination.k8s.io/'
    expect(await shell.run(`kubectl get nodes,pods --output=yaml | grep -E '${marks}' || true`)).toBe('')
  }, 240_000)

  test('no command was left out', () => {
    expect(blocks.filter((block) => block.notRun === undefined && !told.has(block))).toEqual([])
  })
})
