import { execFile, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openArrangedCluster, type ArrangedCluster } from './build/arranged-cluster.ts'
import { hasTmux, openScreen, type Screen } from './build/tmux.ts'
import { findFreePorts } from './cluster/ports.ts'
import { isContinuousIntegration } from './continuous-integration.ts'

// What Tab does, in the shells themselves, on a terminal, with the line of docs/cli.md in the file that it names. The
// shells are tested at the same time, because they mostly wait; each takes one case after the other.

const root = join(import.meta.dirname, '..')
const run = promisify(execFile)
const timeout = 120_000

interface Shell {
  readonly name: 'bash' | 'zsh' | 'fish'
  readonly words: readonly string[]
  /** The file that it reads when it starts, and what stands there before and after the line of the docs. */
  readonly file: string
  readonly before: string
  readonly after: string
}

const shells: readonly Shell[] = [
  { name: 'bash', words: ['bash', '-i'], file: '.bashrc', before: '', after: "PS1='$ '" },
  {
    name: 'zsh',
    words: ['zsh', '-i'],
    file: '.zshrc',
    before: 'autoload -Uz compinit && compinit -u',
    after: "PS1='$ '; unsetopt PROMPT_SP",
  },
  {
    name: 'fish',
    words: ['fish', '-i'],
    file: '.config/fish/config.fish',
    // What it would do as well, and in gray: guess at the rest of the line before anybody presses Tab.
    before: 'set -g fish_greeting; set -g fish_autosuggestion_enabled 0',
    after: "function fish_prompt; printf '$ '; end",
  },
]

const isMissing = ({ name }: Shell) => !hasTmux || spawnSync(name, ['--version']).status !== 0
const missing = isContinuousIntegration() ? [] : shells.filter(isMissing).map(({ name }) => name)
if (missing.length > 0) {
  process.stderr.write(`test/completion-shells.test.ts: left out ${missing.join(', ')}, for want of it or of tmux\n`)
}

/** How docs/cli.md says that the script gets into a shell. */
async function lineOfDocs(name: string): Promise<string> {
  const docs = await readFile(join(root, 'docs/cli.md'), 'utf8')
  const [, line] = new RegExp(`^(.*lifeboat completion ${name}\\b.*?) +# in `, 'm').exec(docs) ?? []
  if (line === undefined) throw new Error(`docs/cli.md has no line for ${name}`)
  return line
}

/** Takes connections, and never says a word. */
async function openSilentServer() {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => void sockets.add(socket)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    connections: () => sockets.size,
    [Symbol.asyncDispose]: async () => {
      server.close()
      for (const socket of sockets) socket.destroy()
      await once(server, 'close')
    },
  }
}

/** Where nobody listens. */
async function kubeconfigToNobody(): Promise<string> {
  const [port = 0] = await findFreePorts(1)
  return kubeconfigTo(`http://127.0.0.1:${port}`)
}

function kubeconfigTo(server: string): string {
  return JSON.stringify({
    clusters: [{ name: 'a', cluster: { server } }],
    contexts: [{ name: 'a', context: { cluster: 'a', user: 'a' } }],
    users: [{ name: 'a', user: {} }],
    'current-context': 'a',
  })
}

/** A home of its own, with kubeconfigs to another cluster, and with files that nobody should take for nodes. */
async function openHome(shell: Shell, otherKubeconfig: string) {
  const home = await mkdtemp(join(tmpdir(), `lifeboat-${shell.name}-`))
  const other = await readFile(otherKubeconfig, 'utf8')
  const files = {
    'my clusters/one:two': other,
    other,
    down: await kubeconfigToNobody(),
    'steps.yaml': '',
    'nobody.txt': '',
    [shell.file]: `cd\n${shell.before}\n${await lineOfDocs(shell.name)}\n${shell.after}\n`,
  }
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(home, name)), { recursive: true })
    await writeFile(join(home, name), text)
  }
  return { home, [Symbol.asyncDispose]: () => rm(home, { recursive: true, force: true, maxRetries: 5 }) }
}

async function openShellScreen(shell: Shell, open: AsyncDisposableStack): Promise<Screen> {
  const { home } = open.use(await openHome(shell, otherCluster.kubeconfig))
  const environment = {
    HOME: home,
    ZDOTDIR: home,
    XDG_CONFIG_HOME: join(home, '.config'),
    XDG_DATA_HOME: join(home, '.data'),
    HISTFILE: join(home, 'history'),
    PATH: `${release}${delimiter}${process.env['PATH']}`,
    KUBECONFIG: cluster.kubeconfig,
  }
  const screen = open.use(await openScreen(shell.words, { columns: 150, rows: 24, environment }))
  await screen.until(/^\$$/)
  return screen
}

/** The folder of a `lifeboat` as in the image, which starts in a third of the time that the one of a checkout takes. */
async function buildRelease(open: AsyncDisposableStack): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'lifeboat-release-'))
  open.defer(() => rm(folder, { recursive: true, force: true }))
  await run(process.execPath, [join(root, 'scripts/bundle.ts'), folder], { cwd: root })
  const cache = `export NODE_COMPILE_CACHE='${join(folder, 'cache')}'`
  const start = `exec '${process.execPath}' '${join(folder, 'lifeboat.mjs')}' "$@"`
  await writeFile(join(folder, 'lifeboat'), `#!/bin/sh\n${cache}\n${start}\n`, { mode: 0o755 })
  return folder
}

const clusters = new AsyncDisposableStack()
let release: string
let cluster: ArrangedCluster
let otherCluster: ArrangedCluster
beforeAll(async () => {
  release = await buildRelease(clusters)
  cluster = clusters.use(await openArrangedCluster({ nodes: 1 }))
  await cluster.setMaintenance({ name: 'os-upgrade', nodes: ['node-1'] })
  otherCluster = clusters.use(await openArrangedCluster({ nodes: 1 }))
  await otherCluster.setMaintenance({ name: 'kernel-upgrade', nodes: ['node-1'] })
}, timeout)
afterAll(() => clusters.disposeAsync())

const tested = shells.filter(({ name }) => !missing.includes(name))
/** Whoever asks a cluster gives up after some seconds, and this machine may be busy with other tests. */
const inTurn = { concurrent: false, retry: 2 }

describe.each(tested)('$name', { timeout, concurrent: true }, (shell) => {
  const open = new AsyncDisposableStack()
  let screen: Screen
  beforeAll(async () => {
    screen = await openShellScreen(shell, open)
  }, timeout)
  afterAll(() => open.disposeAsync())

  /** An empty line on an empty screen. Not by Ctrl-C: keys right after that make bash 5.2 give up every Tab that follows. */
  async function clear() {
    await screen.press('C-u')
    await screen.press('C-l')
    await screen.until(/^\$$/)
  }

  /** All that is on the screen after Tab and one letter more: a shell takes that only when it is done with Tab. */
  async function afterTab(typed: string) {
    await clear()
    await screen.type(typed)
    await screen.press('Tab')
    await screen.type('X')
    return screen.until(/X/)
  }

  test.each([
    { what: 'a command', typed: 'lifeboat dr', shown: 'lifeboat drain X' },
    { what: 'a flag', typed: 'lifeboat drain --rea', shown: 'lifeboat drain --reason X' },
    { what: 'a value', typed: 'lifeboat status -o w', shown: 'lifeboat status -o wide X' },
    { what: 'a value after =', typed: 'lifeboat status --output=w', shown: 'lifeboat status --output=wide X' },
    { what: 'a node', typed: 'lifeboat drain no', shown: 'lifeboat drain node-1 X' },
    {
      what: 'a node after words with all that a shell may cut at',
      typed: 'lifeboat drain --reason "a b/c: d" --name=a:b=c no',
      shown: 'lifeboat drain --reason "a b/c: d" --name=a:b=c node-1 X',
    },
    { what: 'a maintenance', typed: 'lifeboat status os', shown: 'lifeboat status os-upgrade X' },
    { what: 'a word in quotes', typed: 'lifeboat drain "no', shown: 'lifeboat drain "node-1" X' },
    { what: 'a file where one fits', typed: 'lifeboat drain --plan st', shown: 'lifeboat drain --plan steps.yaml X' },
    { what: 'a file after =', typed: 'lifeboat drain --plan=st', shown: 'lifeboat drain --plan=steps.yaml X' },
  ])('completes $what', inTurn, async ({ typed, shown }) => expect(await afterTab(typed)).toBe(`$ ${shown}`))

  test.each([
    '--kubeconfig "my clusters/one:two"',
    String.raw`--kubeconfig my\ clusters/one:two`,
    "--kubeconfig='my clusters/one:two'",
    '--kubeconfig ~/other',
  ])('asks the cluster that the line is about: %s', inTurn, async (words) => {
    expect(await afterTab(`lifeboat status ${words} ke`)).toBe(`$ lifeboat status ${words} kernel-upgrade X`)
  })

  test.each([
    { what: 'a node with a colon', typed: 'lifeboat drain a:no' },
    { what: 'a pod with its namespace', typed: 'lifeboat why shop/no' },
    { what: 'a word with a space', typed: String.raw`lifeboat drain a\ no` },
    { what: 'a file where none fits', typed: 'lifeboat drain nob' },
    { what: 'a node of a cluster that is down', typed: 'lifeboat drain --kubeconfig down no' },
  ])('leaves the line as it is: $what', inTurn, async ({ typed }) => {
    expect(await afterTab(typed)).toBe(`$ ${typed}X`)
  })

  test('lists the values where there are several', inTurn, async () => {
    await clear()
    await screen.type('lifeboat status -o ')
    await screen.press('Tab')
    await screen.press('Tab')
    const text = await screen.until(/(?=[^]*json)(?=[^]*wide)(?=[^]*yaml)/)
    expect(text.split('\n')[0]).toMatch(/^\$ lifeboat status -o/)
  })
})

/** As kubectl runs it for `kubectl lifeboat WORDS`: it finds it on the PATH, and asks for words and a last line `:NUMBER`. */
async function completeForKubectl(words: readonly string[], kubeconfig = cluster.kubeconfig) {
  const env = { ...process.env, PATH: `${join(root, 'bin')}${delimiter}${process.env['PATH']}`, KUBECONFIG: kubeconfig }
  return run('kubectl_complete-lifeboat', words, { env, timeout: 30_000 })
}

describe('kubectl', { timeout, concurrent: true }, () => {
  test.each([
    { what: 'a command', words: ['dr'], stdout: 'drain\n:4\n' },
    { what: 'a node', words: ['drain', '--reason', 'a b', ''], stdout: 'node-1\n:4\n' },
    // Its scripts for the shells put the flag before it.
    { what: 'a value after =', words: ['status', '--output=w'], stdout: 'wide\n:4\n' },
    { what: 'a file where one fits', words: ['drain', '--plan', ''], stdout: ':0\n' },
    { what: 'nothing that begins so', words: ['drain', 'a:no'], stdout: ':4\n' },
  ])('is told $what', inTurn, async ({ words, stdout }) => {
    expect(await completeForKubectl(words)).toEqual({ stdout, stderr: '' })
  })

  test('is not kept waiting by a server that does not answer', inTurn, async () => {
    await using server = await openSilentServer()
    const folder = await mkdtemp(join(tmpdir(), 'lifeboat-silent-'))
    try {
      const kubeconfig = join(folder, 'kubeconfig')
      await writeFile(kubeconfig, kubeconfigTo(server.url))
      expect(await completeForKubectl(['drain', ''], kubeconfig)).toEqual({ stdout: ':4\n', stderr: '' })
      expect(server.connections()).toBeGreaterThan(0)
    } finally {
      await rm(folder, { recursive: true })
    }
  })
})
