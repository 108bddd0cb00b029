import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmod, mkdtempDisposable, readFile, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, test } from 'vitest'
import packageJson from '../package.json' with { type: 'json' }
import { isContinuousIntegration } from '../test/continuous-integration.ts'
import {
  agentImage,
  agentImageConfig,
  agentTools,
  imageConfig,
  layerFolders,
  layOut,
  lifeboatImage,
  parseLibraries,
  toolsLayer,
} from './build-image.ts'
import { type Image, type ImageEntry, tarOf } from './image-archive.ts'

const run = promisify(execFile)

describe('the Dockerfile', async () => {
  const dockerfile = await readFile(join(import.meta.dirname, '..', 'Dockerfile'), 'utf8')
  const stages = dockerfile.split(/^(?=FROM )/m).slice(1)
  const [build = '', base = '', agent = '', last = ''] = stages
  const line = (word: string, text: string) => new RegExp(`^${word} (.*)$`, 'm').exec(text)?.[1]
  const copied = (text: string) => Array.from(text.matchAll(/^(?:COPY|ADD) (.*)$/gm), ([, what]) => what)

  test('runs the same thing as the same user', () => {
    expect(line('FROM', base)).toBe('scratch AS base')
    expect(line('WORKDIR', base)).toBe(imageConfig.WorkingDir)
    expect(line('ENV', base)).toBe(imageConfig.Env.join(' '))
    expect(JSON.parse(line('ENTRYPOINT', base) ?? '')).toEqual(imageConfig.Entrypoint)
    expect(line('USER', last)).toBe(imageConfig.User)
    expect(line('USER', agent)).toBe(agentImageConfig.User)
  })

  test('builds the controller where no target is named, and without anything of the agent', () => {
    expect(stages).toHaveLength(4)
    expect(line('FROM', last)).toBe('base AS controller')
    expect(line('FROM', agent)).toBe('base AS agent')
    expect(copied(last)).toEqual([])
  })

  test('copies every layer, from the bottom to the top, and nothing else', () => {
    const layers = layerFolders.map((name) => `--from=build /image/${name} /`)
    expect([...copied(base), ...copied(agent)]).toEqual(layers)
    expect(copied(agent)).toEqual(layers.slice(2))
  })

  test('has the programs of the agent where it builds', () => {
    // coreutils are part of the base.
    const packages = new Set<string>(Object.values(agentTools).filter((name) => name !== 'coreutils'))
    expect([...packages].filter((name) => !(line('RUN', build) ?? '').split(' ').includes(name))).toEqual([])
  })
})

test('what is laid out has the modes of the image whatever the umask, and no times', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'lifeboat-layout-'))
  const content = Buffer.from('hello')
  const entries: readonly ImageEntry[] = [
    { kind: 'folder', path: 'bin' },
    { kind: 'folder', path: 'tmp', writable: true },
    { kind: 'file', path: 'bin/hello', content, executable: true },
    { kind: 'file', path: 'bin/note', content },
  ]
  await layOut(folder.path, entries)
  const found = ['.', ...entries.map(({ path }) => path)].map(async (path) => {
    const { mode, mtimeMs } = await stat(join(folder.path, path))
    return [path, (mode & 0o7777).toString(8), mtimeMs]
  })
  expect(await Promise.all(found)).toEqual([
    ['.', '755', 0],
    ['bin', '755', 0],
    ['tmp', '1777', 0],
    ['bin/hello', '755', 0],
    ['bin/note', '644', 0],
  ])
  expect(await readFile(join(folder.path, 'bin/hello'))).toEqual(content)
})

test('libraries are those that ldd finds, and the linker', () => {
  const printed = [
    '\tlinux-vdso.so.1 (0x00007f7f9fba5000)',
    '\tlibm.so.6 => /lib/x86_64-linux-gnu/libm.so.6 (0x00007f7f9faa5000)',
    '\t/lib64/ld-linux-x86-64.so.2 (0x00007f7f9fba7000)',
  ]
  expect(parseLibraries(printed.join('\n'), 'node')).toEqual([
    '/lib/x86_64-linux-gnu/libm.so.6',
    '/lib64/ld-linux-x86-64.so.2',
  ])
})

test('one that is not on the machine is named', () => {
  expect(() => parseLibraries('\tlibatomic.so.1 => not found\n', 'node')).toThrow(
    'node needs libatomic.so.1, which is not on this machine',
  )
})

test('a machine without the programs of the agent is told what to install', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'lifeboat-tools-'))
  const sleep = join(folder.path, 'sleep')
  await writeFile(sleep, '')
  await chmod(sleep, 0o755)
  await expect(toolsLayer([], [folder.path])).rejects.toThrow(
    `the image of the node agent needs busctl, systemd-inhibit, not found in ${folder.path}: run \`apt-get install systemd\` first`,
  )
  await expect(toolsLayer([], ['/nonexistent'])).rejects.toThrow('`apt-get install systemd coreutils`')
})

/** Why the programs of the agent cannot be tried here; undefined: they can. */
async function missingForTools(): Promise<string | undefined> {
  try {
    await toolsLayer([])
    await run(...inside('/', '/usr/bin/sleep', '0'))
    return undefined
  } catch (error) {
    return String(error)
  }
}

/** A command with nothing around it but these files. */
function inside(root: string, ...command: readonly string[]): [string, string[]] {
  const chroot = ['chroot', root, ...command]
  return process.getuid?.() === 0 ? ['chroot', chroot.slice(1)] : ['unshare', ['-r', ...chroot]]
}

const missing = await missingForTools()
if (missing !== undefined) console.log(`left out: the image of the node agent, because of ${missing}`)

describe.skipIf(missing !== undefined && !isContinuousIntegration())('the image of the node agent', () => {
  let controller: Image
  let agent: Image
  beforeAll(async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'lifeboat-release-'))
    const program = join(folder.path, 'lifeboat.mjs')
    await writeFile(program, 'console.log(process.argv)\n')
    await writeFile(join(folder.path, 'lifeboat-cluster.mjs'), '')
    controller = await lifeboatImage(program)
    agent = await agentImage(controller)
  })

  const pathsOf = (entries: readonly ImageEntry[] = []) =>
    entries.filter(({ kind }) => kind === 'file').map(({ path }) => path)
  const programs = Object.keys(agentTools).map((name) => `usr/bin/${name}`)

  test('is that of the controller and one layer more, as root', () => {
    expect(agent.reference).toBe(`lifeboat-agent:${packageJson.version}`)
    expect(agent.layers.slice(0, 2)).toEqual(controller.layers)
    expect(agent.layers).toHaveLength(3)
    expect(agent.config).toEqual({ ...controller.config, User: '0:0' })
  })

  test('leaves that of the controller as it is: two layers, one program', () => {
    expect(controller.layers).toHaveLength(2)
    const executables = pathsOf(controller.layers.flat()).filter((path) => path.includes('bin/'))
    expect(executables).toEqual(['usr/bin/node'])
    const modules = pathsOf(controller.layers.flat()).filter((path) => path.endsWith('.mjs'))
    expect(modules).toEqual(['lifeboat/lifeboat.mjs'])
    expect(controller.config.User).toBe('65532:65532')
  })

  test('has three programs in its own layer, brings no file twice, and stays small', () => {
    const [runtime, program, tools = []] = agent.layers
    const brought = pathsOf(tools)
    expect(brought.filter((path) => path.includes('bin/')).toSorted()).toEqual(programs.toSorted())
    const before = new Set([...pathsOf(runtime), ...pathsOf(program)])
    expect(brought.filter((path) => before.has(path))).toEqual([])
    const bytes = tools.reduce((sum, entry) => sum + (entry.kind === 'file' ? entry.content.length : 0), 0)
    expect(bytes).toBeLessThan(20_000_000)
  })

  test('is the same each time', async () => {
    const digest = (entries: readonly ImageEntry[] = []) => {
      const hash = createHash('sha256')
      for (const chunk of tarOf(entries)) hash.update(chunk)
      return hash.digest('hex')
    }
    expect(digest(await toolsLayer(controller.layers.flat()))).toBe(digest(agent.layers[2]))
  })

  test('has all that its programs need to start', async () => {
    await using root = await mkdtempDisposable(join(tmpdir(), 'lifeboat-agent-root-'))
    // Node is large, and no part of this.
    await layOut(
      root.path,
      agent.layers.flat().filter(({ path }) => path !== 'usr/bin/node'),
    )
    const versions = ['busctl', 'systemd-inhibit'].map(async (name) => {
      const { stdout } = await run(...inside(root.path, `/usr/bin/${name}`, '--version'))
      return /^systemd \d+/.test(stdout)
    })
    expect(await Promise.all(versions)).toEqual([true, true])
    await run(...inside(root.path, '/usr/bin/sleep', '0'))
  })
})

/** Only root becomes any user that it wants to. */
const mayBecomeAnybody = process.getuid?.() === 0 && process.platform === 'linux'

describe.skipIf(!mayBecomeAnybody)('the image of the controller runs as any user', () => {
  // As an image runs: with the variables that are in it, and no others.
  const variables = imageConfig.Env

  test.each([
    { name: 'as its own', user: '65532:65532' },
    { name: 'as one that OpenShift assigns, whom no file of it knows', user: '1000680000:0' },
    { name: 'as one whose group is assigned too', user: '1000680000:1000680001' },
  ])('$name', async ({ user }) => {
    await using root = await mkdtempDisposable(join(tmpdir(), 'lifeboat-image-root-'))
    await using folder = await mkdtempDisposable(join(tmpdir(), 'lifeboat-release-'))
    const program = join(folder.path, 'lifeboat.mjs')
    await writeFile(program, "import { homedir } from 'node:os'\nconsole.log(process.getuid(), homedir())\n")
    const { layers } = await lifeboatImage(program)
    await layOut(root.path, layers.flat())
    const command = ['chroot', '--userspec', user, root.path, ...imageConfig.Entrypoint]
    const debug = 'NODE_DEBUG_NATIVE=COMPILE_CACHE'
    // `chroot` itself is found by another path than what runs in the image would be.
    const path = `PATH=${process.env['PATH']}`
    const { stdout, stderr } = await run('env', ['-i', ...variables, debug, path, ...command])
    expect(stdout).toContain(`${user.split(':')[0]} /nonexistent\n`)
    expect(stdout + stderr).toContain('was accepted, keeping the in-memory entry')
  })
})
