import { execFile, spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { promisify } from 'node:util'
import { sleep } from '../../src/runtime/clock.ts'
import { systemClock } from '../../src/runtime/system.ts'

/** A real terminal, as far as a program can tell. */
export interface Screen extends AsyncDisposable {
  /** What is on it: lines without spaces at their ends, and none below the last. */
  text(): Promise<string>
  /** Once it shows what is looked for. */
  until(looked: RegExp): Promise<string>
  /** In the words of tmux: `C-c`. */
  press(key: string): Promise<void>
  /** As it stands, letter by letter. */
  type(text: string): Promise<void>
}

export const hasTmux = spawnSync('tmux', ['-V']).status === 0

const run = promisify(execFile)
const limits = { waitMs: 60_000, lookEveryMs: 50 }

/** Runs a command on a terminal of a certain size, with a server of tmux of its own. */
export async function openScreen(
  command: readonly string[],
  options: { readonly columns: number; readonly rows: number; readonly environment: Readonly<Record<string, string>> },
): Promise<Screen> {
  const { columns, rows, environment } = options
  const server = ['-u', '-L', `lifeboat-${randomUUID()}`, '-f', '/dev/null']
  const tmux = async (...words: readonly string[]) => (await run('tmux', [...server, ...words])).stdout
  const variables = Object.entries(environment).map(([name, value]) => `${name}=${value}`)
  // The exit code is on the screen too, and the screen stays; Ctrl-C is for the command, not for the shell around it.
  const script = 'trap : INT; "$@"; echo "exit $?"; sleep 600'
  const size = ['-x', String(columns), '-y', String(rows)]
  await tmux('new-session', '-d', ...size, 'sh', '-c', script, 'sh', 'env', ...variables, ...command)
  const text = async () => (await tmux('capture-pane', '-p')).replaceAll(/ +$/gm, '').trimEnd()
  return {
    text,
    until: async (looked) => {
      const giveUpAtMs = systemClock.monotonicMs() + limits.waitMs
      for (;;) {
        const shown = await text()
        if (looked.test(shown)) return shown
        if (systemClock.monotonicMs() > giveUpAtMs) throw new Error(`${String(looked)} was not shown, but:\n${shown}`)
        await sleep(systemClock, limits.lookEveryMs)
      }
    },
    press: async (key) => void (await tmux('send-keys', key)),
    type: async (letters) => void (await tmux('send-keys', '-l', '--', letters)),
    [Symbol.asyncDispose]: async () => void (await tmux('kill-server')),
  }
}
