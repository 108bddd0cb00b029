import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'

/** `lifeboat run` as a user starts it, in a process of its own. */
export interface LifeboatProcess extends AsyncDisposable {
  /** The line that it printed. */
  readonly ready: string
  /** Where metrics and health are served. */
  readonly url: string
  readonly pid: number
  /** The end of what it wrote to stderr, which is its log. */
  said(): string
  /** Resolves to its exit code; null if a signal ended it. */
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null>
}

const rememberedMax = 100_000
/** Where a run of the tests has put the program in one file, which starts in a third of the time. */
export const bundledVariable = 'LIFEBOAT_TEST_PROGRAM'
const fromSource = join(import.meta.dirname, '..', '..', 'src', 'cli', 'main.ts')

export async function startLifeboat(
  kubeconfigPath: string,
  args: readonly string[] = [],
  program: string = process.env[bundledVariable] ?? fromSource,
  nodeOptions: readonly string[] = [],
): Promise<LifeboatProcess> {
  const words = [
    ...nodeOptions,
    program,
    'run',
    '--kubeconfig',
    kubeconfigPath,
    '--listen',
    '127.0.0.1:0',
    '--log-level',
    'info',
    ...args,
  ]
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  // Beside those of the components, where it is kept if a story fails.
  const logPath = join(dirname(kubeconfigPath), 'lifeboat.log')
  child.stderr.on('data', (chunk: Buffer) => {
    said = (said + chunk.toString()).slice(-rememberedMax)
    appendFileSync(logPath, chunk)
  })
  const ended = once(child, 'close').then(() => child.exitCode)
  const ready = await Promise.race([firstLine(child), ended])
  if (typeof ready !== 'string') throw new Error(`lifeboat ended with ${ready}: ${said}`)
  const end = async (signal: 'SIGTERM' | 'SIGKILL') => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal)
    return ended
  }
  return {
    ready,
    // Behind the address of the cluster, which may be without TLS, too.
    url: /http:\/\/\S+$/.exec(ready)?.[0] ?? '',
    pid: child.pid ?? 0,
    said: () => said,
    end,
    [Symbol.asyncDispose]: async () => void (await end('SIGTERM')),
  }
}

async function firstLine({ stdout }: ChildProcess): Promise<string> {
  if (stdout === null) throw new Error('stdout is piped')
  for await (const line of createInterface({ input: stdout })) return line
  return new Promise(() => {})
}
