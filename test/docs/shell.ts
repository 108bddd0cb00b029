import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { randomUUID } from 'node:crypto'

/** A shell as a reader has it open while going through a page: what one block sets, the next one has. */
export interface Shell extends AsyncDisposable {
  /** Resolves to what the commands printed, on both ways; rejects with that as soon as one of them fails. */
  run(commands: string, limitMs?: number): Promise<string>
}

const limitDefaultMs = 180_000

export function openShell(options: {
  readonly folder: string
  readonly env: Readonly<Record<string, string | undefined>>
}): Shell {
  const child = spawn('bash', ['--noprofile', '--norc', '-eu', '-o', 'pipefail'], {
    cwd: options.folder,
    env: options.env,
    stdio: ['pipe', 'pipe', 'pipe'],
    // Whatever it started goes with it.
    detached: true,
  })
  const closed = once(child, 'close')
  let said = ''
  let wake = () => {}
  const hear = (chunk: Buffer) => {
    said += chunk.toString()
    wake()
  }
  child.stdout.on('data', hear)
  child.stderr.on('data', hear)
  // It may end while it is written to; its output tells why.
  child.stdin.on('error', () => {})
  child.once('close', () => wake())
  // By one pipe: what comes by two may come in another order, and after the line that ends a block.
  child.stdin.write('exec 2>&1\n')
  const endGroup = (signal: 'SIGTERM' | 'SIGKILL') => {
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
    try {
      process.kill(-child.pid, signal)
    } catch {
      // It has ended meanwhile.
    }
  }
  const run = async (commands: string, limitMs = limitDefaultMs) => {
    const end = `end-${randomUUID()}`
    said = ''
    const overdue = setTimeout(() => endGroup('SIGKILL'), limitMs)
    // Commands that read must not read the commands that follow.
    child.stdin.write(`{\n${commands}\n} </dev/null\nprintf '%s\\n' ${end}\n`)
    while (!said.includes(end)) {
      if (child.exitCode !== null || child.signalCode !== null) {
        throw new Error(`ended with ${child.exitCode ?? child.signalCode}:\n${commands}\n${said}`)
      }
      await new Promise<void>((resolve) => (wake = resolve))
    }
    clearTimeout(overdue)
    return said.slice(0, said.indexOf(end))
  }
  return {
    run,
    [Symbol.asyncDispose]: async () => {
      child.stdin.end()
      endGroup('SIGTERM')
      await closed
    },
  }
}
